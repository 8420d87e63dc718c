"""One of the things that a container holds, by an index or a key that the data decides.

experts[i]              a tree of branches on `i < k`, down to one module
table[f"head {i}"]      a tree of branches on which of the keys it is; KeyError where it is none
getattr(self, f"f{i}")  as an entry of a table
counts[i] += 1          each entry is the new value where it is the one, and itself where not

Keys are numbers, strings that numbers are written in, and tuples of those. A table that would get a new key is refused.
"""

import functools
import operator
import string
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builtin import GetAttrBuiltinVariable, HasAttrBuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import ListVariable, TupleVariable
from torch._dynamo.variables.misc import StringFormatVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture.conditionals import distribute, merge_in, stage_if
from graphweld.capture.data_dicts import hook_dicts, list_entries
from graphweld.capture.data_sets import is_of_data
from graphweld.capture.grown_lists import choose, raise_if
from graphweld.capture.indexing import outside
from graphweld.capture.predicates import as_bool, either, negate, predicate, select_bool
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import assume, known
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, call, constant, example, is_data_number, is_tensor, method
from graphweld.diagnostics import rules

Args = list[VariableTracker]
CONTAINERS = {getattr(torch.nn, name).__getitem__ for name in ("ModuleList", "Sequential", "ParameterList")}


# -- by index -----------------------------------------------------------------------------------


def is_index(vt: VariableTracker) -> bool:
    """Whether the data decides an index of a list."""
    if is_tensor(vt):
        fake = example(vt)
        return fake.numel() == 1 and not (fake.is_floating_point() or fake.is_complex() or fake.dtype is torch.bool)
    return is_data_number(vt) and vt.python_type() is int


def is_container(vt: VariableTracker) -> bool:
    """Whether an object is one of torch's lists of modules or parameters."""
    return isinstance(vt, UserDefinedObjectVariable) and getattr(vt.python_type(), "__getitem__", None) in CONTAINERS


def pick_item(tx: Tx, items: Args, index: VariableTracker) -> VariableTracker:
    """`items[index]`."""
    choice = getattr(index, "gw_choice", None)
    if choice is not None:  # one constant or another, and no other
        return call(tx, operator.getitem, TupleVariable(items), choice)
    index = _place(tx, index, len(items), "list index out of range")
    return _one_of(tx, items, lambda low, middle: predicate(tx, call(tx, operator.lt, index, middle)), "the item")


def store_item(tx: Tx, target: ListVariable, index: VariableTracker, value: VariableTracker) -> VariableTracker:
    """`target[index] = value`."""
    index = _place(tx, index, len(target.items), "list assignment index out of range")
    heres = [predicate(tx, call(tx, operator.eq, index, k)) for k in range(len(target.items))]
    stored = _stored(tx, heres, target.items, value)
    tx.output.side_effects.mutation(target)
    target.items[:] = stored
    return constant(None)


def _place(tx: Tx, index: VariableTracker, count: int, message: str) -> VariableTracker:
    """An index counted from the start; IndexError where there is none such."""
    if is_tensor(index):
        index = method(tx, index, "item")
    if not count:
        raise_if(tx, constant(True), IndexError, message)
    raise_if(tx, outside(tx, index, constant(count)), IndexError, message)
    from_end = call(tx, operator.lt, index, 0)
    return choose(tx, from_end, lambda: call(tx, operator.add, index, count), lambda: index)


def _one_of(tx: Tx, items: Args, is_before: Callable[[int, int], VariableTracker], label: str) -> VariableTracker:
    """One item; `is_before(low, k)` tells, of those from `low` on, whether it is one before the `k`-th."""

    def between(low: int, high: int) -> VariableTracker:
        if high - low == 1:
            return items[low]
        middle = (low + high) // 2
        here, left, right = is_before(low, middle), between(low, middle), between(middle, high)
        return stage_if(tx, here, lambda: left, lambda: right, label=label)

    return between(0, len(items))


def _stored(tx: Tx, heres: Args, items: Args, value: VariableTracker) -> Args:
    pairs = zip(heres, items, strict=True)
    return [stage_if(tx, here, lambda: value, lambda old=old: old, label="the item") for here, old in pairs]  # type: ignore[misc]


# -- by key -------------------------------------------------------------------------------------


def is_key(vt: VariableTracker) -> bool:
    """Whether the data decides a key, in a way that tells which of some constants it is."""
    vt = vt.realize()
    if isinstance(vt, TupleVariable):
        parts = [part.realize() for part in vt.items]
        return any(map(is_key, parts)) and all(part.is_python_constant() or is_key(part) for part in parts)
    if isinstance(vt, StringFormatVariable):
        return all(arg.is_python_constant() or is_index(arg) for arg in (*vt.sym_args, *vt.sym_kwargs.values()))
    return is_data_number(vt)


def equals(tx: Tx, key: VariableTracker, value: Any) -> VariableTracker:
    """Whether a key is a constant: a predicate, or a constant."""
    key = key.realize()
    if key.is_python_constant():
        return constant(key.as_python_constant() == value)
    if isinstance(key, TupleVariable):
        if not isinstance(value, tuple) or len(value) != len(key.items):
            return constant(False)
        return _all_of(tx, [equals(tx, part, v) for part, v in zip(key.items, value, strict=True)])
    if isinstance(key, StringFormatVariable):
        return _spells(tx, key, value) if isinstance(value, str) else constant(False)
    if not isinstance(value, (int, float)):
        return constant(False)
    return predicate(tx, call(tx, operator.eq, key, value))


def _all_of(tx: Tx, preds: Args) -> VariableTracker:
    return functools.reduce(lambda a, b: select_bool(tx, a, b, constant(False)), preds, constant(True))


def _spells(tx: Tx, key: StringFormatVariable, text: str) -> VariableTracker:
    """Whether a string that numbers are written in is `text`: for some way to read the numbers, those are they."""
    places = iter(key.sym_args)
    pieces: list[tuple[str, VariableTracker | None, str]] = []
    for literal, name, spec, conversion in string.Formatter().parse(key.format_string):
        if literal:
            pieces.append((literal, None, ""))
        if name is not None:
            vt = key.sym_kwargs[name] if name in key.sym_kwargs else next(places)
            shown = f"{{{'!' + conversion if conversion else ''}:{spec or ''}}}"
            constant_text = shown.format(vt.as_python_constant()) if vt.is_python_constant() else ""
            pieces.append((constant_text, None, "") if vt.is_python_constant() else ("", vt, shown))
    readings = _readings(pieces, text)
    equal = [_all_of(tx, [predicate(tx, call(tx, operator.eq, vt, n)) for vt, n in reading]) for reading in readings]
    return either(tx, *equal)


def _readings(pieces: Any, text: str) -> list[list[tuple[VariableTracker, int]]]:
    if not pieces:
        return [] if text else [[]]
    (literal, vt, shown), *rest = pieces
    if vt is None:
        return _readings(rest, text[len(literal) :]) if text.startswith(literal) else []
    found = []
    for end in range(1, len(text) + 1):
        try:
            number = int(text[:end])
        except ValueError:
            continue
        if shown.format(number) == text[:end]:
            found += [[(vt, number), *reading] for reading in _readings(rest, text[end:])]
    return found


class _Lookup:
    """Which of a table's keys a key is."""

    def __init__(self, tx: Tx, keys: list[Any], key: VariableTracker) -> None:
        equal = [(place, equals(tx, key, value)) for place, value in enumerate(keys)]
        found = [(place, here) for place, here in equal if not (isinstance(here, ConstantVariable) and not here.value)]
        self.places, self.heres = [place for place, _ in found], [here for _, here in found]
        self.missing = negate(tx, either(tx, *self.heres))

    def one_of(self, tx: Tx, items: Args) -> VariableTracker:
        """The item at the key's place, which is known to have one."""
        chosen = [items[place] for place in self.places]
        return _one_of(tx, chosen, lambda low, middle: either(tx, *self.heres[low:middle]), "the entry")

    def require(self, tx: Tx, exception: type[Exception], message: str) -> None:
        """Raise where the key is none of the table's."""
        if isinstance(self.missing, ConstantVariable) or known(tx, self.missing) is None:
            raise_if(tx, self.missing, exception, message)
            if not isinstance(self.missing, ConstantVariable):
                assume(tx, self.missing, False)


def _look_up(tx: Tx, keys: list[Any], key: VariableTracker) -> _Lookup:
    """The lookup of a key, one for each region and all inside of it: what a first one found out, a second one knows."""
    wanted = (key, tuple(keys))
    for tracer in reversed(tx.output.tracers):
        made = vars(tracer).get("gw_lookups", {}).get(wanted)
        if made is not None:
            return made  # type: ignore[no-any-return]
    current = vars(tx.output.current_tracer).setdefault("gw_lookups", {})
    current[wanted] = _Lookup(tx, keys, key)
    return current[wanted]  # type: ignore[no-any-return]


def _in_table(tx: Tx, table: Any, key: VariableTracker) -> _Lookup | None:
    """The lookup of a key of the data in a dict of constant keys; None for any other, which are Dynamo's."""
    if trace_of(tx) is None or not is_key(key):
        return None
    keys = [k.vt.realize() for k in table.items]
    if not all(k.is_python_constant() for k in keys):
        return None
    table.install_dict_keys_match_guard()
    return _look_up(tx, [k.as_python_constant() for k in keys], key.realize())


def hook_choices() -> None:
    """Have dicts and attributes take keys and names that the data decides."""
    subscript, contains = ConstDictVariable.mp_subscript_impl, ConstDictVariable.sq_contains
    store, call_method = ConstDictVariable.mp_ass_subscript_impl, ConstDictVariable.call_method
    store_in_list = ListVariable.mp_ass_subscript_impl

    def entry(self: ConstDictVariable, tx: Tx, key: VariableTracker) -> VariableTracker:
        key = getattr(key, "gw_choice", key)
        if merge_in(key) is not None:
            return distribute(tx, [key], {}, lambda new, _: entry(self, tx, new[0]))
        lookup = _in_table(tx, self, key)
        if lookup is None:
            return subscript(self, tx, key)
        lookup.require(tx, KeyError, "no such key")
        return lookup.one_of(tx, list(self.items.values()))

    def has_entry(self: ConstDictVariable, tx: Tx, item: VariableTracker) -> VariableTracker:
        lookup = _in_table(tx, self, item)
        return contains(self, tx, item) if lookup is None else as_bool(negate(tx, lookup.missing))

    def store_entry(self: ConstDictVariable, tx: Tx, key: VariableTracker, value: Any) -> VariableTracker:
        lookup = _in_table(tx, self, key)
        if lookup is None:
            return store(self, tx, key, value)
        is_missing = lookup.missing.value if isinstance(lookup.missing, ConstantVariable) else known(tx, lookup.missing)  # type: ignore[attr-defined]
        if value is None or is_missing is not False:
            list_entries(tx, self)
            refuse(tx, rules.TypeDependsOnData("a key", "any", "a dict gets an entry by it, or loses one"))
        items = list(self.items)
        kept = [self.items[items[place]] for place in lookup.places]
        for place, new in zip(lookup.places, _stored(tx, lookup.heres, kept, value), strict=True):
            store(self, tx, items[place].vt, new)
        return constant(None)

    @functools.wraps(call_method)
    def method_of_dict(self: ConstDictVariable, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        if name == "setdefault" and args and trace_of(tx) is not None and is_of_data(args[0]):
            list_entries(tx, self)
        lookup = _in_table(tx, self, args[0]) if name == "get" and args else None
        if lookup is None:
            return call_method(self, tx, name, args, kwargs)
        default = args[1] if len(args) > 1 else constant(None)
        found = lambda: lookup.one_of(tx, list(self.items.values()))  # noqa: E731
        return stage_if(tx, lookup.missing, lambda: default, found, label="the entry")

    @functools.wraps(store_in_list)
    def store_in(self: ListVariable, tx: Tx, key: VariableTracker, value: Any) -> VariableTracker:
        if value is not None and self.is_mutable() and trace_of(tx) is not None and is_index(key.realize()):
            return store_item(tx, self, key.realize(), value)
        return store_in_list(self, tx, key, value)

    ConstDictVariable.mp_subscript_impl, ConstDictVariable.sq_contains = entry, has_entry  # type: ignore[method-assign]
    ConstDictVariable.mp_ass_subscript_impl = store_entry  # type: ignore[method-assign]
    for cls, name, function in (  # methods that remember what was there are wrapped once more
        (ConstDictVariable, "call_method", method_of_dict),
        (ListVariable, "mp_ass_subscript_impl", store_in),
    ):
        setattr(cls, name, function)
    hook_dicts()
    GetAttrBuiltinVariable.call_function = _attribute(GetAttrBuiltinVariable.call_function)  # type: ignore[method-assign]
    HasAttrBuiltinVariable.call_function = _attribute(HasAttrBuiltinVariable.call_function)  # type: ignore[method-assign]


def _attribute(function: Any) -> Any:
    """`getattr` and `hasattr` with a name that numbers of the data are written in."""

    @functools.wraps(function)
    def call_function(self: Any, tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
        is_open = len(args) > 1 and isinstance(args[1].realize(), StringFormatVariable) and is_key(args[1])
        if not is_open or not isinstance(args[0].realize(), UserDefinedObjectVariable):
            return function(self, tx, args, kwargs)  # type: ignore[no-any-return]
        receiver, name, *default = args
        names = _plain_attributes(receiver.realize())
        lookup = _look_up(tx, names, name.realize())
        if isinstance(self, HasAttrBuiltinVariable):
            return as_bool(negate(tx, lookup.missing))
        get = lambda: lookup.one_of(tx, [call(tx, getattr, receiver, n) for n in names])  # noqa: E731
        if not default:
            lookup.require(tx, AttributeError, "no such attribute")
            return get()
        return stage_if(tx, lookup.missing, lambda: default[0], get, label="the attribute")

    return call_function


def _plain_attributes(receiver: Any) -> list[str]:
    """Names that an object has when the trace begins, and that are read without running code of its own."""
    value = receiver.value
    held = list(vars(value)) if hasattr(value, "__dict__") else []
    if isinstance(value, torch.nn.Module):
        own = (value.named_parameters(recurse=False), value.named_buffers(recurse=False), value.named_children())
        held += [name for named in own for name, _ in named]
    methods = [n for n in dir(type(value)) if callable(getattr(type(value), n, None))]
    return list(dict.fromkeys((*held, *methods)))
