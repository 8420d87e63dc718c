"""Lists whose length the data decides: known items and runs of items, in order.

    out = [x]                              [x]
    for i in range(n):  out.append(x * i)  [x, Stacked(rows)]
    if p:  out.append(y)                   [x, Stacked(rows), Conditional(p, [y], [])]

A run is in the graph as tensors: the rows of what each trip of a loop appended, or what either side of a branch did,
with its predicate. A list's variable takes the class `GrownList` while it holds a run. That is none of Dynamo's list
classes, so that nothing in Dynamo takes the number of its entries for its length.
"""

import operator
import sys
from typing import Any, NoReturn

import torch
from torch._dynamo import exc
from torch._dynamo.bytecode_transformation import create_call_function, create_instruction
from torch._dynamo.current_scope_id import current_scope_id
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import ListVariable, TupleVariable
from torch._dynamo.variables.misc import GetAttrVariable

from graphweld import runtime
from graphweld.capture import carries
from graphweld.capture.carries import Carry
from graphweld.capture.list_items import item_of, stand_in
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.pieces import fields_of
from graphweld.capture.predicates import truth
from graphweld.capture.ragged import Rows
from graphweld.capture.raises import emit_raise
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import DecidedByData, Thunk, Tx, call, constant, method
from graphweld.diagnostics import rules

Items = list[VariableTracker]
ALL = sys.maxsize  # asked of a list: not so many of its last items, but all


class Run(DecidedByData):
    """Items of a list, as many as the data decides."""

    def length(self, tx: Tx) -> VariableTracker:
        raise NotImplementedError

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        """The item at a number that is known to be in range."""
        raise NotImplementedError

    def last(self, tx: Tx, distance: int, before: Items) -> VariableTracker:
        """The last item but `distance`, of a list that holds `before` before the run."""
        raise NotImplementedError

    def backwards(self, tx: Tx) -> "Run":
        raise NotImplementedError

    def stacked(self, tx: Tx) -> "Stacked":
        """The items as rows."""
        raise NotImplementedError


class Stacked(Run):
    """What the trips of a loop appended: the rows of `stacks`, each an `element`."""

    def __init__(self, element: Carry, stacks: Items, **kw: Any) -> None:
        super().__init__(**kw)
        self.element, self.stacks = element, stacks

    def length(self, tx: Tx) -> VariableTracker:
        return method(tx, self.stacks[0], "size", 0)

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        values = [call(tx, torch.select, stack, 0, index) for stack in self.stacks]
        return item_of(tx, self.element, values)

    def last(self, tx: Tx, distance: int, before: Items) -> VariableTracker:
        return last_of_run(tx, self, distance, before)

    def stacked(self, tx: Tx) -> "Stacked":
        return self

    def backwards(self, tx: Tx) -> Run:
        return Stacked(self.element, [call(tx, torch.flip, stack, [0]) for stack in self.stacks])

    def export(self, join: Any, region: Any) -> Thunk:
        stacks = [join.export(region, stack) for stack in self.stacks]
        return lambda: Stacked(self.element, [stack() for stack in stacks])

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.lists", "rows"))
        codegen.append_output(codegen.create_load_const_unchecked(template(self.element)))
        codegen.foreach(self.stacks)
        codegen.extend_output(create_call_function(1 + len(self.stacks), False))


class Conditional(Run):
    """`then` where the 0-d bool tensor `pred` holds, else `orelse`."""

    def __init__(self, pred: VariableTracker, then: Items, orelse: Items, **kw: Any) -> None:
        super().__init__(**kw)
        self.pred, self.then, self.orelse = pred, then, orelse

    def length(self, tx: Tx) -> VariableTracker:
        return choose(tx, self.pred, lambda: length(tx, self.then), lambda: length(tx, self.orelse))

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return choose(tx, self.pred, lambda: pick(tx, self.then, index), lambda: pick(tx, self.orelse, index))

    def last(self, tx: Tx, distance: int, before: Items) -> VariableTracker:
        return choose(
            tx,
            self.pred,
            lambda: last(tx, [*before, *self.then], distance),
            lambda: last(tx, [*before, *self.orelse], distance),
        )

    def backwards(self, tx: Tx) -> Run:
        return Conditional(self.pred, backwards(tx, self.then), backwards(tx, self.orelse))

    def export(self, join: Any, region: Any) -> Thunk:
        pred = join.export(region, self.pred)
        then, orelse = ([join.export(region, v) for v in items] for items in (self.then, self.orelse))
        return lambda: Conditional(pred(), [v() for v in then], [v() for v in orelse])

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.merge", "pick"))
        codegen(self.pred)
        for items in (self.then, self.orelse):
            _reconstruct(codegen, items)
        codegen.extend_output(create_call_function(3, False))


class Earlier(Run):
    """In the body of a loop that appends: what the list held when the trip began, of which `tail` are the last items.

    Where others are read, `asked` is told how many of the last, or `ALL`; that trace of the body is thrown away. On
    every trip there are `least` items or more.
    """

    _nonvar_fields = {"asked", "least", *Run._nonvar_fields}

    def __init__(
        self, count: VariableTracker, tail: Items, element: Carry, asked: list[int], least: int = 0, **kw: Any
    ) -> None:
        super().__init__(**kw)
        self.count, self.tail, self.element, self.asked, self.least = count, tail, element, asked, least

    def unchecked(self) -> "Earlier":
        """The same, for reads of items that may not be there."""
        return Earlier(self.count, self.tail, self.element, self.asked, ALL)

    def length(self, tx: Tx) -> VariableTracker:
        return self.count

    def whole(self, tx: Tx) -> Run:
        """All of the items, for the rest of a trace of which nothing is kept."""
        from graphweld.capture.list_buffers import empty

        self.asked.append(ALL)
        return empty(tx, self.element, self.count, self.least)

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return self.whole(tx).item(tx, index)

    def stacked(self, tx: Tx) -> Stacked:
        return self.whole(tx).stacked(tx)

    def last(self, tx: Tx, distance: int, before: Items) -> VariableTracker:
        if distance >= self.least:
            raise_if(tx, call(tx, operator.le, self.count, distance))
        if distance < len(self.tail):
            return self.tail[-1 - distance]
        self.asked.append(distance + 1)
        return stand_in(tx, self.element)

    def backwards(self, tx: Tx) -> Run:
        return self.whole(tx).backwards(tx)

    def export(self, join: Any, region: Any) -> Thunk:
        return lambda: self


class GrownList(DecidedByData):
    """A list that holds runs, or a tuple made of one."""

    kind: type = list  # on the class, too, for a list that has changed its class

    def __init__(self, items: Items, kind: type = list, **kw: Any) -> None:
        super().__init__(**kw)
        self.items, self.kind = items, kind

    def python_type(self) -> type:
        return self.kind

    def predicate(self, tx: Tx) -> VariableTracker:
        return truth(tx, call(tx, operator.gt, length(tx, self.items), 0))

    def unpack_var_sequence(self, tx: Any) -> Items:
        give_up(tx, "it is unpacked")

    def tp_iter_impl(self, tx: Any) -> VariableTracker:
        from graphweld.capture.sequences import Items as Sequence
        from graphweld.capture.sequences import Iterated

        return Iterated(Sequence(self.items, self, length=length(tx, self.items)))

    def sq_contains(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        return call(tx, holds, self, item)

    def var_getattr(self, tx: Tx, name: str) -> VariableTracker:
        return GetAttrVariable(self, name)

    def as_proxy(self) -> Any:
        from graphweld.capture.dynamo import current_tx

        give_up(current_tx(), "a function wants it as a whole")

    def call_method(self, tx: Tx, name: str, args: list[Any], kwargs: dict[str, Any]) -> VariableTracker:
        from graphweld.capture.list_operations import METHODS

        if kwargs or name not in METHODS or (self.kind is tuple and not name.startswith(("__", "index", "count"))):
            give_up(tx, f"`{name}` is called on it")
        if name == "count" and len(args) > 1:
            give_up(tx, f"`{name}` is called on it with a place to start from")
        return METHODS[name](tx, self, *(arg.realize() for arg in args))

    def export(self, join: Any, region: Any) -> Thunk:
        if (
            self.source is not None
            or getattr(self.mutation_type, "scope", current_scope_id() + 1) <= current_scope_id()
        ):
            return lambda: self  # it was there before the region
        items = [join.export(region, item) for item in self.items]
        return lambda: new([item() for item in items], self.kind)

    def reconstruct(self, codegen: Any) -> None:
        if self.kind is not list:
            codegen.add_push_null(lambda: codegen(BuiltinVariable(self.kind)))
        _reconstruct(codegen, self.items)
        if self.kind is not list:
            codegen.extend_output(create_call_function(1, False))


def new(items: Items, kind: type = list) -> VariableTracker:
    """A new list of these items, or a tuple of them that holds a run."""
    if kind is list and not has_run(items):
        return ListVariable(items, mutation_type=ValueMutationNew())
    return GrownList(items, kind, mutation_type=ValueMutationNew())


def has_run(items: Items) -> bool:
    return any(isinstance(item, Run) for item in items)


def one_or_other(vt: MergeVariable) -> VariableTracker | None:
    """The items of one list or tuple or of another; None where an alternative is neither."""
    sides = []
    for side in (vt.then.realize(), vt.orelse.realize()):
        found = one_or_other(side) if isinstance(side, MergeVariable) else side
        if not isinstance(found, (ListVariable, TupleVariable, GrownList)):
            return None
        sides.append(list(found.items))
    return new([Conditional(vt.pred, *sides)])


def either_list(vt: VariableTracker) -> VariableTracker | None:
    """The same for lists of different lengths only, of which no item is another on either side."""
    if not isinstance(vt, MergeVariable) or vt.joined is not None or vt.same_length():
        return None
    return one_or_other(vt)


def are_known(items: Items) -> bool:
    """Whether every item there may be is known, though not whether it is there."""
    return all(
        are_known(item.then) and are_known(item.orelse) if isinstance(item, Conditional) else not isinstance(item, Run)
        for item in items
    )


def fit_class(vt: VariableTracker) -> None:
    """Give a list's variable the class that what it holds asks for, keeping the object."""
    if isinstance(vt, (ListVariable, GrownList)):
        vt.__class__ = GrownList if has_run(vt.items) else ListVariable


def holds(entries: Any, item: Any) -> Any:
    """`item in entries`, entry by entry. Traced."""

    def look(entry: Any, found: Any) -> tuple[Any]:
        return (runtime.or_(found, lambda: entry == item, -1),)

    return runtime.for_stmt(entries, look, (False,), ("found",), -1, None)[0]


def give_up(tx: Any, use: str) -> NoReturn:
    refuse(tx, rules.ListLengthDependsOnData(use))


def choose(tx: Tx, condition: VariableTracker, then: Thunk, orelse: Thunk) -> VariableTracker:
    """`then()` where a truth holds, else `orelse()`."""
    from graphweld.capture.conditionals import stage_if

    return stage_if(tx, truth(tx, condition), then, orelse, label="an item")


def raise_if(tx: Tx, condition: VariableTracker, exception: type[Exception] = IndexError, message: str = "") -> None:
    """Raise where a truth holds, which may be known."""
    pred = truth(tx, condition)
    if not isinstance(pred, ConstantVariable):
        emit_raise(tx, pred, exception.__name__)
    elif pred.value:
        exc.raise_observed_exception(exception, tx, args=[message or "list index out of range"])


def length(tx: Tx, items: Items) -> VariableTracker:
    """How many items there are, as a number."""
    runs = [item for item in items if isinstance(item, Run)]
    total: VariableTracker = constant(len(items) - len(runs))
    for run in runs:
        total = call(tx, operator.add, total, run.length(tx))
    return total


def pick(tx: Tx, items: Items, index: VariableTracker) -> VariableTracker:
    """The item at a number from 0 on; raises IndexError, when the program runs, for one that is too large."""
    if not items:
        raise_if(tx, constant(True))
    first, *rest = items
    count = first.length(tx) if isinstance(first, Run) else constant(1)
    here = call(tx, operator.lt, index, count)
    return choose(
        tx,
        here,
        lambda: first.item(tx, index) if isinstance(first, Run) else first,
        lambda: pick(tx, rest, call(tx, operator.sub, index, count)),
    )


def last(tx: Tx, items: Items, distance: int) -> VariableTracker:
    """The last item but `distance`."""
    if not items:
        raise_if(tx, constant(True))
    *before, final = items
    if isinstance(final, Run):
        return final.last(tx, distance, before)
    return last(tx, before, distance - 1) if distance else final


def last_of_run(tx: Tx, run: Run, distance: int, before: Items) -> VariableTracker:
    """The last item but `distance` of what a list held before a run, and the run."""
    count = run.length(tx)
    here = call(tx, operator.gt, count, distance)
    return choose(
        tx,
        here,
        lambda: run.item(tx, call(tx, _from_end, count, distance)),
        lambda: pick(tx, before, call(tx, _from_end, call(tx, operator.add, count, length(tx, before)), distance)),
    )


def getitem(tx: Tx, items: Items, index: VariableTracker) -> VariableTracker:
    """`items[index]` for a number."""
    if isinstance(index, ConstantVariable):
        at = int(index.value)
        if at < 0:
            return last(tx, items, -1 - at)
        if not has_run(items[: at + 1]) and at < len(items):
            return items[at]
        return pick(tx, items, constant(at))
    is_behind = call(tx, operator.lt, index, 0)
    index = choose(tx, is_behind, lambda: call(tx, operator.add, index, length(tx, items)), lambda: index)
    raise_if(tx, call(tx, operator.lt, index, 0))
    return pick(tx, items, index)


def backwards(tx: Tx, items: Items) -> Items:
    return [item.backwards(tx) if isinstance(item, Run) else item for item in reversed(items)]


def _from_end(count: Any, distance: Any) -> Any:
    return count - 1 - distance


def _reconstruct(codegen: Any, items: Items) -> None:
    """Code that builds the Python list."""
    codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.lists", "chain"))
    known, parts = 0, 0
    for item in [*items, None]:
        if known and (item is None or isinstance(item, Run)):
            codegen.append_output(create_instruction("BUILD_LIST", arg=known))
            known, parts = 0, parts + 1
        if item is not None:
            codegen(item)
            known, parts = (known, parts + 1) if isinstance(item, Run) else (known + 1, parts)
    codegen.extend_output(create_call_function(parts, False))


def template(element: Carry) -> tuple[Any, ...]:
    """What `graphweld.runtime.lists.rows` is told of an element."""
    if isinstance(element, carries.Tensor):
        return ("Tensor",)
    if isinstance(element, carries.Number):
        return (element.kind.__name__,)
    if isinstance(element, Rows):
        return ("Rows", element.dim)
    if isinstance(element, carries.Merged):
        return ("Merged", template(element.then), template(element.orelse))
    if isinstance(element, carries.Fixed):
        return ("Constant", element.value.as_python_constant())
    if isinstance(element, carries.Composite):
        return element.template(template)
    assert isinstance(element, carries.Pieces)
    cls, parts = element.like.python_type(), map(template, element.parts)
    if isinstance(element.like, ConstDictVariable):
        return ("dict", tuple(key.vt.as_python_constant() for key in element.like.items), *parts)
    if cls in (list, tuple):
        return (cls.__name__, *parts)
    return ("object", cls, tuple(fields_of(element.like) or ()), *parts)
