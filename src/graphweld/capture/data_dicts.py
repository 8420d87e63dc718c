"""Dicts whose keys are values of the data: a list of keys, of which no two are equal, and a list of their values.

    first = {}                                   keys, values = [], []
    for i, token in enumerate(tokens):           for i, token in enumerate(tokens):
        if token not in first:            ->         if token not in keys:
            first[token] = i                             keys.append(token), values.append(i)

The lists are in the order in which Python's dict has its entries. Torch's dicts have constant keys. Where a program
stores under a key of the data that may be a new one, its trace starts over, and the dict that was made at that place
of the program is of this kind.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import ListVariable
from torch._dynamo.variables.misc import GetAttrVariable

from graphweld.capture import sites
from graphweld.capture.conditionals import stage_if
from graphweld.capture.data_sets import existed_before, is_of_data, nothing
from graphweld.capture.frozen import freeze
from graphweld.capture.grown_lists import length, new, raise_if
from graphweld.capture.instructions import dispatch
from graphweld.capture.membership import index_of
from graphweld.capture.predicates import truth
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import DecidedByData, Thunk, Tx, call, constant, method
from graphweld.diagnostics import rules

MOST = 8  # stores outside of a loop's node: each is behind a comparison with all others, and a choice of all values


class DataDict(DecidedByData):
    """A dict that the program made, as two lists."""

    _nonvar_fields = {"stores", *DecidedByData._nonvar_fields}

    def __init__(self, keys: VariableTracker, values: VariableTracker, stores: int = 0, **kw: Any) -> None:
        super().__init__(**kw)
        self.keys, self.values, self.stores = keys, values, stores

    def python_type(self) -> type:
        return dict

    def predicate(self, tx: Tx) -> VariableTracker:
        return truth(tx, call(tx, operator.gt, self.mp_length(tx), 0))

    def mp_length(self, tx: Tx) -> VariableTracker:
        return length(tx, self.keys.items)  # type: ignore[attr-defined]

    def sq_contains(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        return self.keys.sq_contains(tx, item)

    def mp_subscript_impl(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        at = self._place(tx, key)
        raise_if(tx, call(tx, operator.lt, at, 0), KeyError, "no such key")
        return self._value(tx, at)

    def mp_ass_subscript_impl(self, tx: Tx, key: VariableTracker, value: Any) -> VariableTracker:
        if value is None:
            self.give_up(tx, "an entry is deleted")
        self.stores += 1
        if self.stores > MOST:
            self.give_up(tx, f"more than {MOST} are stored one by one")
        at = self._place(tx, key)

        def add() -> VariableTracker:
            method(tx, self.keys, "append", key)
            return method(tx, self.values, "append", value)

        return self._if_new(tx, at, add, lambda: method(tx, self.values, "__setitem__", at, value))

    def call_method(self, tx: Tx, name: str, args: list[Any], kwargs: dict[str, Any]) -> VariableTracker:
        function = _METHODS.get(name)
        if function is None or kwargs:
            self.give_up(tx, f"`{name}` is called on it")
        return function(self, tx, *args)

    def get(self, tx: Tx, key: VariableTracker, default: VariableTracker | None = None) -> VariableTracker:
        at = self._place(tx, key)
        return self._if_new(tx, at, lambda: default or constant(None), lambda: self._value(tx, at))

    def setdefault(self, tx: Tx, key: VariableTracker, default: VariableTracker | None = None) -> VariableTracker:
        value = default or constant(None)
        self._if_new(tx, self._place(tx, key), lambda: self.mp_ass_subscript_impl(tx, key, value), nothing)
        return self.mp_subscript_impl(tx, key)

    def _value(self, tx: Tx, at: VariableTracker) -> VariableTracker:
        return call(tx, operator.getitem, self.values, at)

    def _place(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """Where a key is, or -1."""
        return call(tx, index_of, self.keys, key)

    def _if_new(self, tx: Tx, at: VariableTracker, then: Thunk, orelse: Thunk) -> VariableTracker:
        return stage_if(tx, truth(tx, call(tx, operator.lt, at, 0)), then, orelse, label="an entry")

    def give_up(self, tx: Tx, use: str) -> NoReturn:
        refuse(tx, rules.TypeDependsOnData("a key of a dict", "any", use))

    def var_getattr(self, tx: Tx, name: str) -> VariableTracker:
        return GetAttrVariable(self, name)

    def unpack_var_sequence(self, tx: Any) -> list[VariableTracker]:
        return self.keys.unpack_var_sequence(tx)

    def tp_iter_impl(self, tx: Any) -> VariableTracker:
        return self.seen(tx, self.keys).tp_iter_impl(tx)

    def seen(self, tx: Tx, held: Any) -> VariableTracker:
        """The keys or values as they are now. Python has what sees later changes, so there must be none."""
        freeze(tx, [held], "what goes through it", None, "a dict")
        return new(list(held.items))

    def export(self, join: Any, region: Any) -> Thunk:
        if existed_before(self.keys):
            return lambda: self
        keys, values = join.export(region, self.keys), join.export(region, self.values)
        return lambda: DataDict(keys(), values(), self.stores)

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.lists", "entries"))
        codegen(self.keys)
        codegen(self.values)
        codegen.extend_output(create_call_function(2, False))


_METHODS: dict[str, Callable[..., VariableTracker]] = {
    "__len__": DataDict.mp_length,
    "__contains__": lambda self, tx, key: self.sq_contains(tx, key),
    "__getitem__": DataDict.mp_subscript_impl,
    "__setitem__": DataDict.mp_ass_subscript_impl,
    "get": DataDict.get,
    "setdefault": DataDict.setdefault,
    "keys": lambda self, tx: self.seen(tx, self.keys),
    "values": lambda self, tx: self.seen(tx, self.values),
    "items": lambda self, tx: call(tx, zip, self.seen(tx, self.keys), self.seen(tx, self.values)),
}


def list_entries(tx: Any, table: ConstDictVariable) -> None:
    """Trace the program again with two lists in the place of a dict, if it was made in the program."""
    place = getattr(table, "gw_made_at", None)
    trace = sites.trace_of(tx)
    if place is not None and trace is not None and place not in trace.listed_dicts:
        from graphweld.capture.dynamo import start_over

        trace.listed_dicts.add(place)
        start_over(trace, tx, "has dicts with keys of the data")


def hook_dicts() -> None:
    """Put the hooks in place, once a process."""
    build_map = InstructionTranslatorBase.BUILD_MAP

    @functools.wraps(build_map)
    def display(self: Any, inst: Any) -> None:
        trace, count = sites.trace_of(self), 2 * inst.argval
        if trace is not None and count and any(map(is_of_data, self.stack[-count::2])):
            entries = self.popn(count)
            self.push(DataDict(_list_of([]), _list_of([])))
            for key, value in zip(entries[::2], entries[1::2], strict=True):
                self.stack[-1].mp_ass_subscript_impl(self, key, value)
            return
        build_map(self, inst)
        if trace is not None and self.stack:
            self.stack[-1] = _made(self, trace, self.stack[-1])

    InstructionTranslatorBase.BUILD_MAP = display  # type: ignore[method-assign]
    dispatch("BUILD_MAP")


def _made(tx: Any, trace: sites.Trace, table: VariableTracker) -> VariableTracker:
    """A dict that is made here, or the lists in its place."""
    is_filled_by_torch = tx.f_code.co_name == "<dictcomp>"  # as a dict of its own
    if type(table) is not ConstDictVariable or table.source is not None or is_filled_by_torch:
        return table
    place = (tx.f_code, getattr(tx.current_instruction, "offset", None))
    if place not in trace.listed_dicts:
        table.gw_made_at = place  # type: ignore[attr-defined]
        return table
    return DataDict(_list_of([key.vt for key in table.items]), _list_of(list(table.items.values())))


def _list_of(items: list[VariableTracker]) -> VariableTracker:
    return ListVariable(items, mutation_type=ValueMutationNew())
