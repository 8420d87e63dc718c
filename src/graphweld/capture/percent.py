"""Strings that `%` makes of values of the data: as `str.format`, which is what a string of the data is made with.

"step %d: %5.2f of %s" % (i, loss, x)       ->       "step {:>d}: {:>5.2f} of {!s:>}".format(i, loss, x)
"""

import re
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import TupleVariable
from torch._dynamo.variables.misc import StringFormatVariable
from torch._dynamo.variables.tensor import SymNodeVariable

from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.variables import Tx, call, example, is_number, is_tensor

PLACE = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ 0]*)(?P<width>\d*)(?P<digits>\.\d+)?(?P<kind>[diuxXeEfFgGsra%])"
)
INTS, FLOATS, TEXTS = "diuxX", "eEfFgG", "sra"


def percent(tx: Tx, text: str, given: VariableTracker) -> VariableTracker | None:
    """`text % given`; None where it is not known to be what `str.format` makes."""
    given = given.realize()
    if isinstance(given, MergeVariable):
        return None  # of a tuple each item has a place of its own
    left = list(given.items) if isinstance(given, TupleVariable) else [given]
    taken, parts, end = list[VariableTracker](), [], 0
    for place in PLACE.finditer(text):
        parts.append(escaped(text[end : place.start()]))
        end = place.end()
        if place["kind"] == "%":
            parts.append("%")
            continue
        if place["key"] is not None:
            value = _entry(given, place["key"])
            left = []
        else:
            value = left.pop(0).realize() if left else None
        if place["kind"] in "diu" and isinstance(value, SymNodeVariable) and value.python_type() is float:
            value = call(tx, int, value)
        spec = None if value is None else _spec(value, place)
        if value is None or spec is None:
            return None
        taken.append(value)
        parts.append(spec)
    if left or "%" in PLACE.sub("", text):
        return None
    return StringFormatVariable.create("".join([*parts, escaped(text[end:])]), taken, {})


def escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _entry(given: VariableTracker, key: str) -> VariableTracker | None:
    if type(given) is not ConstDictVariable:
        return None
    return next((v.realize() for k, v in given.items.items() if k.vt.is_constant_match(key)), None)


def _spec(value: VariableTracker, place: re.Match[str]) -> str | None:
    """The place in the words of `str.format`; None where a value is not one that it takes for the same."""
    kind, flags, width, digits = place["kind"], place["flags"], place["width"], place["digits"] or ""
    if kind in TEXTS:
        align = "<" if "-" in flags else ">"
        return f"{{!{kind}:{align}{width}{digits}}}" if width or digits else f"{{!{kind}}}"
    if not _is_number(value, kind) or (kind in INTS and digits):
        return None
    sign = "+" if "+" in flags else " " if " " in flags else ""
    pad = "<" if "-" in flags else ""
    fill = "0" if "0" in flags and not pad and width else ""
    return f"{{:{pad or ('' if fill else '>')}{sign}{fill}{width}{digits}{'d' if kind in 'diu' else kind}}}"


def _is_number(value: Any, kind: str) -> bool:
    """Whether both take a value for the same number."""
    if isinstance(value, ConstantVariable) or (is_number(value) and not is_tensor(value)):
        return value.python_type() in ((int, bool) if kind in INTS else (int, bool, float))
    if not is_tensor(value) or example(value).dim() != 0 or example(value).dtype.is_complex:
        return False
    return not example(value).dtype.is_floating_point or kind in FLOATS
