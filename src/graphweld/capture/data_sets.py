"""Sets of values of the data: a list of the items, of which no two are equal.

    seen = set()                       seen = []
    if token not in seen:       ->     if token not in seen:
        seen.add(token)                    if token not in seen: seen.append(token)

Torch's sets hold constants. Where a program adds a value of the data to one, its trace starts over, and the sets that
it makes are of this kind. In which order Python goes through such a set is not known, so that is refused.
"""

import functools
import operator
from typing import Any, NoReturn

from torch._dynamo.current_scope_id import current_scope_id
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.lists import ListVariable, TupleVariable
from torch._dynamo.variables.misc import GetAttrVariable
from torch._dynamo.variables.sets import SetVariable

from graphweld.capture import sites
from graphweld.capture.grown_lists import length
from graphweld.capture.instructions import dispatch
from graphweld.capture.predicates import is_data_dependent, predicate, truth
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import DecidedByData, Thunk, Tx, call, constant, is_data_number, method
from graphweld.diagnostics import rules

MOST = 20  # additions outside of a loop's node: each is behind a comparison with all others


class DataSet(DecidedByData):
    """A set that the program made; `held` is the list."""

    _nonvar_fields = {"additions", *DecidedByData._nonvar_fields}

    def __init__(self, held: VariableTracker, additions: int = 0, **kw: Any) -> None:
        super().__init__(**kw)
        self.held, self.additions = held, additions

    def python_type(self) -> type:
        return set

    def predicate(self, tx: Tx) -> VariableTracker:
        return truth(tx, call(tx, operator.gt, self.sq_length(tx), 0))

    def sq_length(self, tx: Tx) -> VariableTracker:
        return length(tx, self.held.items)  # type: ignore[attr-defined]

    def sq_contains(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        return self.held.sq_contains(tx, item)

    def call_method(self, tx: Tx, name: str, args: list[Any], kwargs: dict[str, Any]) -> VariableTracker:
        from graphweld.capture.conditionals import stage_if

        if name == "__len__":
            return self.sq_length(tx)
        if name in ("__contains__", "add", "discard") and len(args) == 1:
            is_there = self.sq_contains(tx, args[0])
            if name == "__contains__":
                return is_there
            self.additions += 1
            if self.additions > MOST:
                self.give_up(tx, f"more than {MOST} are added one by one")
            test = predicate(tx, is_there) if is_data_dependent(is_there) else truth(tx, is_there)
            added = lambda: method(tx, self.held, "append", args[0])  # noqa: E731
            removed = lambda: method(tx, self.held, "remove", args[0])  # noqa: E731
            sides = (nothing, added) if name == "add" else (removed, nothing)
            return stage_if(tx, test, *sides, label="a set")
        if name == "clear" and not args:
            return method(tx, self.held, "clear")
        if name == "update" and len(args) == 1:
            for item in args[0].unpack_var_sequence(tx):
                self.call_method(tx, "add", [item], {})
            return constant(None)
        self.give_up(tx, f"`{name}` is called on it")

    def give_up(self, tx: Tx, use: str) -> NoReturn:
        refuse(tx, rules.TypeDependsOnData("an item of a set", "any", use))

    def var_getattr(self, tx: Tx, name: str) -> VariableTracker:
        return GetAttrVariable(self, name)

    def unpack_var_sequence(self, tx: Any) -> list[VariableTracker]:
        self.give_up(tx, "the set is gone through")

    def tp_iter_impl(self, tx: Any) -> VariableTracker:
        self.give_up(tx, "the set is gone through")

    def export(self, join: Any, region: Any) -> Thunk:
        if existed_before(self.held):
            return lambda: self
        held = join.export(region, self.held)
        return lambda: DataSet(held(), self.additions)

    def reconstruct(self, codegen: Any) -> None:
        self.give_up(codegen.tx, "the set is handed out")


def existed_before(held: VariableTracker) -> bool:
    """Whether a list was there before the region that is traced."""
    return getattr(held.mutation_type, "scope", current_scope_id() + 1) <= current_scope_id()


def nothing() -> VariableTracker:
    return constant(None)


def is_of_data(vt: VariableTracker) -> bool:
    """Whether a key is a number of the data, or a tuple with one; one of several known keys torch's tables can hold."""
    vt = vt.realize()
    return any(map(is_of_data, vt.items)) if isinstance(vt, TupleVariable) else is_data_number(vt)


def _list_sets(trace: sites.Trace, tx: Any) -> NoReturn:
    from graphweld.capture.dynamo import start_over

    trace.lists_sets = True
    start_over(trace, tx, "has sets of values of the data")


def _set_of(tx: Tx, items: list[VariableTracker]) -> DataSet:
    made = DataSet(ListVariable([], mutation_type=ValueMutationNew()))
    made.call_method(tx, "update", [TupleVariable(items)], {})
    return made


def hook_sets() -> None:
    """Put the hooks in place, once a process."""
    call_method, make = SetVariable.call_method, BuiltinVariable.call_set
    build_set, contains = InstructionTranslatorBase.BUILD_SET, SetVariable.sq_contains

    @functools.wraps(call_method)
    def method_of_set(self: SetVariable, tx: Tx, name: str, args: Any, kwargs: Any) -> VariableTracker:
        trace = sites.trace_of(tx)
        if trace is not None and name in ("add", "discard", "remove") and any(map(is_of_data, args)):
            if trace.lists_sets:
                refuse(tx, rules.TypeDependsOnData("an item", "any", "a set that was there before holds it"))
            _list_sets(trace, tx)
        return call_method(self, tx, name, args, kwargs)

    @functools.wraps(contains)
    def holds(self: SetVariable, tx: Tx, item: VariableTracker) -> VariableTracker:
        trace = sites.trace_of(tx)
        if trace is not None and not trace.lists_sets and isinstance(item, TupleVariable) and is_of_data(item):
            _list_sets(trace, tx)
        return contains(self, tx, item)

    @functools.wraps(make)
    def made(self: BuiltinVariable, tx: Tx, *args: VariableTracker, **kwargs: VariableTracker) -> VariableTracker:
        trace = sites.trace_of(tx)
        if trace is None or not trace.lists_sets or kwargs or len(args) > 1:
            return make(self, tx, *args, **kwargs)
        return _set_of(tx, args[0].unpack_var_sequence(tx) if args else [])

    @functools.wraps(build_set)
    def display(self: Any, inst: Any) -> None:
        trace = sites.trace_of(self)
        if not inst.argval or trace is None:  # an empty one is of a comprehension
            build_set(self, inst)
            return
        if not trace.lists_sets and any(map(is_of_data, self.stack[-inst.argval :])):
            _list_sets(trace, self)
        if not trace.lists_sets:
            build_set(self, inst)
        else:
            self.push(_set_of(self, self.popn(inst.argval)))

    for name, function in (("call_method", method_of_set),):  # what remembers what was there is wrapped once more
        setattr(SetVariable, name, function)
    SetVariable.sq_contains = holds  # type: ignore[method-assign]
    BuiltinVariable.call_set = made  # type: ignore[method-assign]
    InstructionTranslatorBase.BUILD_SET = display  # type: ignore[method-assign]
    dispatch("BUILD_SET")
