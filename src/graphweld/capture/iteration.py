"""What a loop over known objects gets on each trip, looked up when the trip begins, as in Python.

    for c in items:                    trip 0 gets items[0], trip 1 gets items[1], ...
        if c.sum() > 5: break          each in the region of its trip, where taking it runs the program's code
        items[-1] = c

The loop may change what it goes through: replace a later item, append some, or change a dict's size, which raises.
An iterator of the program's own that the data may have stopped is at a place that nobody knows, and not used again.
"""

import functools
import itertools
import operator
from collections.abc import Iterator
from typing import Any, NoReturn

from torch._dynamo import exc
from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.functions import LocalGeneratorObjectVariable
from torch._dynamo.variables.iter import (
    CountIteratorVariable,
    DictViewIterator,
    IteratorVariable,
    MapVariable,
    RepeatIteratorVariable,
    SetIterator,
    ZipVariable,
)
from torch._dynamo.variables.lists import DequeVariable, ListIteratorVariable, ListVariable, TupleVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture.absence import absence, may_be_absent, present, settled
from graphweld.capture.effects import is_same_contents, unwatched
from graphweld.capture.grown_lists import Conditional, GrownList, has_run, length, raise_if
from graphweld.capture.output import sayings
from graphweld.capture.refusal import refuse
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import DecidedByData, Thunk, Tx, call, constant, is_undefined
from graphweld.diagnostics import rules

MOST_GROWN = 256  # items that a list gets while a region goes through it
MOST_ASKED = 8  # items asked of an object: where the data decides how many it has, each makes the next a larger graph
GROWS = "write `while k < len(items):` with a counter `k`, which may read a list whose length the data decides"
CHANGED = "dictionary changed size during iteration"


class SpentIterator(DecidedByData):
    """An iterator that a loop has taken items from, as many as the data decides."""

    def python_type(self) -> type:
        return type(iter([]))

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        from graphweld.capture.dynamo import current_tx

        refuse(current_tx(), rules.RegionMutates("an iterator that the data may have stopped", "a loop"))

    predicate = export = reconstruct = unpack_var_sequence = call_method = tp_iter_impl = tp_iternext_impl = _refuse


class Enumerated(ZipVariable):
    """`enumerate`, as a zip of numbers and items."""

    _cpython_type = enumerate  # type: ignore[assignment]

    def python_type(self) -> type:
        return enumerate

    def reconstruct(self, codegen: Any) -> None:
        numbers, items = self.iterable.items  # type: ignore[attr-defined]
        codegen.add_push_null(lambda: codegen.load_import_from("builtins", "enumerate"))
        codegen.foreach([items, numbers.item])
        codegen.extend_output(create_call_function(2, False))


def in_turn(tx: Tx, iterable: VariableTracker) -> Iterator[VariableTracker | Thunk]:
    """The items, one by one; or what takes one when it is called, in the region of a trip, or raises StopIteration."""
    if isinstance(iterable, (ListVariable, GrownList)):
        yield from _slots(tx, iterable)
        return
    iterator = call(tx, iter, iterable).realize()
    if isinstance(iterator, UserDefinedObjectVariable):
        yield from itertools.repeat(lambda: iterator.tp_iternext_impl(tx), MOST_ASKED)
        refuse(tx, rules.LoopNotWelded("for", "how many items there are is not known, and the data may end it"))
    if isinstance(iterator, MapVariable) and not iterator.strict and all(map(_is_pure, iterator.iterable.items)):
        given = ZipVariable(iterator.iterable, mutation_type=iterator.mutation_type)
        yield from itertools.repeat(lambda: iterator.fn.call_function(tx, list(_next(tx, given).items), {}))  # type: ignore[attr-defined]
    if _is_pure(iterator):
        yield from itertools.repeat(lambda: _next(tx, iterator))
    yield from _all_now(tx, iterator)


def _slots(tx: Tx, vt: VariableTracker) -> Iterator[VariableTracker]:
    """The items of a list, which may be conditional: where one is, what stands before must stay."""
    passed: list[VariableTracker] = []
    start = len(vt.items)  # type: ignore[attr-defined]
    for at in itertools.count():
        _check_entries(tx, vt, at)
        before = vt.items[:at]  # type: ignore[attr-defined]
        if (has_run(passed) or has_run(before)) and not is_same_contents(passed, before):
            refuse(tx, rules.RegionMutates("a list", "a trip", is_gone_through=True))
        if at >= len(vt.items):  # type: ignore[attr-defined]
            return
        item = vt.items[at]  # type: ignore[attr-defined]
        is_endless = at > start + MOST_GROWN and tx.output.current_tracer.parent is not None
        if is_endless or (at >= start and has_run([item])):
            refuse(tx, rules.LoopNotWelded("for", "the list that it goes through grows", GROWS))
        passed = [*before, item]
        yield item


def _is_pure(iterator: VariableTracker) -> bool:
    """Whether taking an item runs no code of the program's."""
    if isinstance(iterator, ZipVariable):
        return all(map(_is_pure, iterator.iterable.items))  # type: ignore[attr-defined]
    return isinstance(iterator, (ListIteratorVariable, DictViewIterator, CountIteratorVariable, RepeatIteratorVariable))


def _next(tx: Tx, iterator: VariableTracker) -> VariableTracker:
    """The next item of an iterator, taken once for all: its place is not put back behind the region."""
    with unwatched(tx):
        return iterator.tp_iternext_impl(tx)


def _all_now(tx: Tx, iterator: VariableTracker) -> Iterator[VariableTracker]:
    """The items of a generator expression and its like, taken before the first trip: making them must show nowhere."""
    before = _shown(tx)
    items = call(tx, list, iterator).unpack_var_sequence(tx)
    if _shown(tx) != before:
        refuse(
            tx, rules.LoopNotWelded("for", "an item is made with a side effect, and the data may end the loop before")
        )
    yield from items


def _shown(tx: Tx) -> tuple[int, dict[Any, Any]]:
    """What the program has said and set."""
    stored, at_last = tx.output.side_effects.store_attr_mutations, tx.output.root_tx.debug_locals
    return len(sayings(tx)) + len(at_last), {vt: dict(held) for vt, held in stored.items()}


def is_known(vt: VariableTracker) -> bool:
    """Whether an iterable can be gone through now: it has an end, and no effect for each item."""
    vt = vt.realize()
    if isinstance(vt, ZipVariable):
        counted = [v for v in vt.iterable.items if not isinstance(v, CountIteratorVariable)]  # type: ignore[attr-defined]
        return bool(counted) and all(map(is_known, counted))
    if isinstance(vt, (ListIteratorVariable, DictViewIterator)):
        return True
    return not isinstance(vt, (IteratorVariable, LocalGeneratorObjectVariable))


def enumerated(tx: Tx, items: VariableTracker, start: VariableTracker | None = None) -> VariableTracker:
    """`enumerate` of a container as a zip, of which each item is looked up in turn: Dynamo's is a generator, which to
    `is_known` might have no end.
    """
    numbers = CountIteratorVariable(constant(0) if start is None else start, mutation_type=ValueMutationNew())
    pairs = TupleVariable([numbers, call(tx, iter, settled(tx, items))])
    return Enumerated(pairs, mutation_type=ValueMutationNew())


def spend(iterator: VariableTracker) -> None:
    """Have an iterator that the loop went through be used no more; what the loop made one of stays as it is."""
    if isinstance(iterator, (ZipVariable, MapVariable)):
        for inner in iterator.iterable.items:  # type: ignore[attr-defined]
            spend(inner)
    if isinstance(iterator, (IteratorVariable, LocalGeneratorObjectVariable)):
        iterator.__class__ = SpentIterator  # type: ignore[assignment]


def _count(tx: Tx, held: dict[Any, VariableTracker]) -> VariableTracker:
    """How many entries there are."""
    nowhere = [absence(tx, value) for value in held.values()]
    unsure = [Conditional(where, [], [where]) for where in nowhere if not isinstance(where, ConstantVariable)]
    sure = sum(isinstance(where, ConstantVariable) and not where.value for where in nowhere)
    return call(tx, operator.add, length(tx, [*unsure]), sure)


def _check_entries(tx: Tx, vt: VariableTracker, at: int) -> None:
    """Of a dict that only on some paths has what a loop goes through, see what has become of it."""
    held, before = getattr(vt, "gw_entries", (None, {}))
    if held is None or is_same_contents(before, held.items):
        return
    there = [key for key, value in before.items() if not is_undefined(value)]
    if list(before) != list(held.items) or any(before[key] is not held.items[key] for key in there[at:]):
        refuse(tx, rules.RegionMutates("a dict", "a trip", is_gone_through=True))
    raise_if(tx, call(tx, operator.ne, _count(tx, held.items), _count(tx, before)), RuntimeError, CHANGED)


def backwards(plain: Any) -> Any:
    """`reversed` of a list: Dynamo's goes through a copy."""

    def handler(tx: Tx, args: list[VariableTracker], kwargs: Any) -> VariableTracker:
        made = plain(tx, args, kwargs)
        made.gw_backwards = args[0]
        return made  # type: ignore[no-any-return]

    return handler


def _look_again(iterator: Any, tx: Tx) -> None:
    """Have an iterator of Dynamo's over a list or deque see what has become of it."""
    if hasattr(iterator, "gw_deque"):
        deque, before = iterator.gw_deque
        raise_if(tx, constant(len(deque.items) != len(before)), RuntimeError, "deque mutated during iteration")
        if not is_same_contents(before, deque.items):  # rotated, or only assigned to?
            refuse(tx, rules.RegionMutates("a deque", "a trip", is_gone_through=True))
    elif hasattr(iterator, "gw_backwards"):
        items = iterator.gw_backwards.items
        if has_run(items) or len(items) != len(iterator.items):
            refuse(tx, rules.RegionMutates("a list", "a trip", is_gone_through=True))
        iterator.items = items[::-1]
    elif has_run(iterator.items[: iterator.index + 1]):
        refuse(tx, rules.RegionMutates("a list", "a trip", is_gone_through=True))


def hook_iterators() -> None:
    """Iterators of Dynamo's over containers of which the data decides, since the iterator was made, what there is."""
    init, next_entry = DictViewIterator.__init__, DictViewIterator.tp_iternext_impl
    iterate_deque, next_item = DequeVariable.tp_iter_impl, ListIteratorVariable.tp_iternext_impl

    @functools.wraps(init)
    def made(self: Any, items: Any, **kwargs: Any) -> None:
        init(self, items, **kwargs)
        self.gw_items, self.gw_size, self.gw_at = getattr(items, "mapping", items), len(items), 0

    def entry(self: Any, tx: Tx) -> VariableTracker:
        if trace_of(tx) is None:
            return next_entry(self, tx)
        held = list(self.gw_items.items())
        if len(held) != self.gw_size and any(may_be_absent(value) for _, value in held[: self.gw_size]):
            refuse(tx, rules.RegionMutates("a dict", "a trip", is_gone_through=True))
        words = CHANGED.replace("dictionary", "Set") if isinstance(self, SetIterator) else CHANGED
        raise_if(tx, call(tx, operator.ne, _count(tx, self.gw_items), self.gw_size), RuntimeError, words)
        if self.gw_at >= self.gw_size:
            self.gw_items, self.gw_size = {}, 0  # it has ended, whatever becomes of the dict
            exc.raise_observed_exception(StopIteration, tx)
        key, value = held[self.gw_at]
        self.gw_at += 1
        if self.view_type == "keys":
            return key.vt  # type: ignore[no-any-return]
        value = present(tx, value)
        return value if self.view_type == "values" else TupleVariable([key.vt, value])

    def item(self: Any, tx: Tx) -> VariableTracker:
        if trace_of(tx) is not None:
            _look_again(self, tx)
        return next_item(self, tx)

    def deque(self: DequeVariable, tx: Tx) -> VariableTracker:
        made = iterate_deque(self, tx)
        made.gw_deque = (self, list(self.items))  # type: ignore[attr-defined]
        return made

    DequeVariable.tp_iter_impl = deque  # type: ignore[method-assign]
    DictViewIterator.__init__ = made  # type: ignore[method-assign]
    DictViewIterator.tp_iternext_impl = entry  # type: ignore[method-assign]
    ListIteratorVariable.tp_iternext_impl = item  # type: ignore[method-assign]
