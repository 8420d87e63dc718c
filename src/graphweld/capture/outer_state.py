"""Attributes, closure variables, entries of dicts and members of sets that the body of a loop changes: carried, each.

for i in range(n):
    self.last = x * i        carried: x * i, or that there is none
    seen["sum"] += x[i]      carried: that entry

What a trip adds to a dict comes behind what is there. More than one such key is refused where trips may add them in
another order.
"""

from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.sets import SetVariable

from graphweld.capture import carries
from graphweld.capture.absence import may_be_absent, store_attribute, there_or_absent
from graphweld.capture.carries import Carry
from graphweld.capture.effects import contents_of, current_attribute, put_contents
from graphweld.capture.joins import key_text
from graphweld.capture.partial import PartialDict, PartialSet, merged_order
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region
from graphweld.capture.variables import Tx
from graphweld.diagnostics import rules

Key = tuple[VariableTracker, Any, Any]  # an object, an attribute and how it is stored; or a dict, a key of it and None
TABLES = (ConstDictVariable, PartialDict, SetVariable, PartialSet)


def is_table(vt: VariableTracker) -> bool:
    """Whether something is carried entry by entry."""
    return type(vt) in TABLES


def name_of(key: Key) -> str:
    vt, part, kind = key
    return str(part) if kind is not None else f"{vt.python_type_name()}[{key_text(part)}]"


def before(tx: Tx, key: Key) -> VariableTracker:
    """What there is where the trace stands."""
    vt, part, kind = key
    held = contents_of(vt).get(part) if kind is None else current_attribute(tx, vt, part)
    return there_or_absent(tx, held, part if kind is not None else "")


def after(tx: Tx, region: Region, key: Key) -> VariableTracker:
    """What a trip leaves."""
    vt, part, kind = key
    effects = region.effects
    left = effects.contents.get(vt, contents_of(vt)).get(part) if kind is None else effects.attributes.get((vt, part))
    return there_or_absent(tx, left)


def write(tx: Tx, key: Key, value: VariableTracker) -> None:
    """Put something in its place."""
    vt, part, kind = key
    if kind is not None:
        store_attribute(tx, vt, part, value, kind)
        return
    tx.output.side_effects.mutation(vt)
    put_contents(vt, contents_of(vt) | {part: value})


def types_of(tx: Tx, outer: dict[Any, Carry], region: Region) -> dict[Any, Carry]:
    """The types with what one more trace of the body changes."""
    types = dict(outer)
    for key in changed_keys(tx, region):
        if key not in types:
            types[key] = carries.carry_of(before(tx, key))
        types[key] = carries.widen(tx, types[key], after(tx, region, key), name_of(key))
    return types


def changed_keys(tx: Tx, region: Region) -> list[Key]:
    """The attributes that the body sets, and all entries of dicts that it changes."""
    changed: list[Key] = [(vt, name, region.effects.kinds[vt, name]) for vt, name in region.effects.attributes]
    for vt, left in region.effects.contents.items():
        if is_table(vt):
            changed += [(vt, part, None) for part in _parts(tx, vt, contents_of(vt), left)]
    return changed


def _parts(tx: Tx, vt: VariableTracker, start: Any, left: Any) -> list[Any]:
    """The keys that a dict has before or behind a trip, in their order."""
    order = merged_order(start, left)
    added = [key for key in left if key not in start]
    is_settled = isinstance(vt, SetVariable) or len(added) < 2 or not any(may_be_absent(left[key]) for key in added)
    if order is None or not is_settled:
        refuse(tx, rules.RegionMutates(f"the order of a {vt.python_type_name()}", "a loop"))
    return order
