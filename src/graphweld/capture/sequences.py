"""Iterables whose length or items the data decides, as something with a length and an i-th item.

range(n)                      length n            item i
rows of a tensor              length x.size(0)    x[i]
a list that loops have grown  its length          its item i
enumerate, zip, map, reversed, islice of those
"""

import operator
import sys
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.iter import CountIteratorVariable
from torch._dynamo.variables.lists import ListVariable, RangeVariable, TupleVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.changing_sizes import has_changing_size, is_changing, is_followed
from graphweld.capture.grown_lists import GrownList, choose, either_list, has_run, length, one_or_other, pick, raise_if
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.predicates import is_data_dependent, truth
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import (
    DecidedByData,
    Thunk,
    Tx,
    call,
    constant,
    example,
    is_data_number,
    is_tensor,
    method,
)
from graphweld.diagnostics import rules


class DynamicSequence(DecidedByData):
    """Base: a sequence that is not unrolled."""

    is_static = False

    def __init__(self, length: VariableTracker, **kw: Any) -> None:
        super().__init__(**kw)
        self.length = length

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        raise NotImplementedError

    def python_type(self) -> type:
        return type(iter(()))

    def predicate(self, tx: Tx) -> VariableTracker:
        return truth(tx, call(tx, operator.gt, self.length, 0))

    def unpack_var_sequence(self, tx: Any) -> list[VariableTracker]:
        refuse(tx, rules.LoopNotWelded("for", "its length is only known when the program runs"))

    def leave(self, tx: Tx, taken: VariableTracker) -> None:
        """Called behind the loop that went through it, with the number of items that the loop took."""

    def tp_iter_impl(self, tx: Any) -> VariableTracker:
        return Iterated(self)

    def tp_iternext_impl(self, tx: Any) -> VariableTracker:
        refuse(tx, rules.LoopNotWelded("for", "its length is only known when the program runs"))

    def export(self, join: Any, region: Any) -> Thunk:
        if region.owns(self):
            refuse(join.tx, rules.BranchesDisagree("the result", "an iterable", "something else", "it cannot leave"))
        return lambda: self


class Iterated(DynamicSequence):
    """`iter(inner)`, from its first item."""

    def __init__(self, inner: DynamicSequence, **kw: Any) -> None:
        super().__init__(inner.length, **kw)
        self.inner, self.is_static = inner, inner.is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return self.inner.item(tx, index)


class DynamicRange(DynamicSequence):
    """`range(start, stop, step)` with a bound that came out of a tensor."""

    def __init__(
        self, start: VariableTracker, stop: VariableTracker, step: VariableTracker, length: Any, **kw: Any
    ) -> None:
        super().__init__(length, **kw)
        self.start, self.stop, self.step = start, stop, step

    def python_type(self) -> type:
        return range

    @property
    def bounds(self) -> tuple[VariableTracker, VariableTracker, VariableTracker]:
        return self.start, self.stop, self.step

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return call(tx, _range_item, self.start, self.step, index)


def _range_item(start: Any, step: Any, index: Any) -> Any:
    return start + index * step


class StaticRange(DynamicRange):
    """A range of known bounds, for a loop with an exit that the data decides."""

    is_static = True

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        number = super().item(tx, index)
        known = all(isinstance(vt, ConstantVariable) for vt in (*self.bounds, self.length))
        if known and self.length.value:  # type: ignore[attr-defined]
            first, last = (range(*(vt.value for vt in self.bounds))[k] for k in (0, -1))  # type: ignore[attr-defined]
            number.gw_bounds = (min(first, last), max(first, last))  # type: ignore[attr-defined]
        return number


class Counting(StaticRange):
    """`itertools.count(start, step)`, which ends only by an exit."""

    def __init__(self, iterator: CountIteratorVariable, **kw: Any) -> None:
        endless = constant(sys.maxsize)
        super().__init__(iterator.item, endless, iterator.step, endless, **kw)
        self.iterator = iterator

    def leave(self, tx: Tx, taken: VariableTracker) -> None:
        tx.output.side_effects.mutation(self.iterator)
        self.iterator.item = self.item(tx, taken)


class Rows(DynamicSequence):
    """The rows of a tensor."""

    def __init__(self, tensor: VariableTracker, is_static: bool, **kw: Any) -> None:
        super().__init__(**kw)
        self.tensor, self.is_static = tensor, is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        pick = lambda tensor: call(tx, torch.select, tensor, 0, index)  # noqa: E731
        return self.tensor.through(tx, pick) if isinstance(self.tensor, MergeVariable) else pick(self.tensor)


class Enumerated(DynamicSequence):
    """`enumerate(inner, start)`."""

    def __init__(self, inner: DynamicSequence, start: VariableTracker, **kw: Any) -> None:
        super().__init__(inner.length, **kw)
        self.inner, self.start, self.is_static = inner, start, inner.is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return TupleVariable([call(tx, operator.add, self.start, index), self.inner.item(tx, index)])


class Reversed(DynamicSequence):
    """`reversed(inner)`."""

    def __init__(self, inner: DynamicSequence, **kw: Any) -> None:
        super().__init__(inner.length, **kw)
        self.inner, self.is_static = inner, inner.is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return self.inner.item(tx, call(tx, _from_end, self.length, index))


class Items(DynamicSequence):
    """Items of a list whose length the data decides, or of one that goes with such a sequence."""

    def __init__(self, items: list[VariableTracker], grown: GrownList | None = None, **kw: Any) -> None:
        super().__init__(**kw)
        self.items, self.grown, self.is_static = items, grown, not has_run(items)

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return pick(tx, self.items, index)


class Mapped(DynamicSequence):
    """`map(fn, inner)`."""

    def __init__(self, fn: VariableTracker, inner: DynamicSequence, **kw: Any) -> None:
        super().__init__(inner.length, **kw)
        self.fn, self.inner, self.is_static = fn, inner, inner.is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return self.fn.call_function(tx, [self.inner.item(tx, index)], {})


class Product(DynamicSequence):
    """`itertools.product(...)`: the last iterable goes round fastest."""

    def __init__(self, inners: list[DynamicSequence], **kw: Any) -> None:
        super().__init__(**kw)
        self.inners = inners

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        parts: list[VariableTracker] = []
        for inner in reversed(self.inners):
            parts.insert(0, inner.item(tx, call(tx, operator.mod, index, inner.length)))
            index = call(tx, operator.floordiv, index, inner.length)
        return TupleVariable(parts)


class Sliced(DynamicSequence):
    """`itertools.islice(inner, start, stop)`."""

    def __init__(self, inner: DynamicSequence, start: VariableTracker, length: VariableTracker, **kw: Any) -> None:
        super().__init__(length, **kw)
        self.inner, self.start = inner, start

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return self.inner.item(tx, call(tx, operator.add, self.start, index))


def _from_end(length: Any, index: Any) -> Any:
    return length - 1 - index


class Zipped(DynamicSequence):
    """`zip(...)` of sequences of which one at least is dynamic."""

    def __init__(self, inners: list[DynamicSequence], **kw: Any) -> None:
        super().__init__(**kw)
        self.inners = inners
        self.is_static = all(inner.is_static for inner in inners)

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return TupleVariable([inner.item(tx, index) for inner in self.inners])


def as_sequence(tx: Tx, vt: VariableTracker) -> DynamicSequence | None:
    """What a `for` statement iterates over as a sequence; None for Python objects that have to be unrolled."""
    vt = vt.realize()
    if isinstance(vt, DynamicSequence):
        return vt
    if isinstance(vt, GrownList):
        return Items(vt.items, vt, length=length(tx, vt.items))
    tensor = vt.tensor(tx) if isinstance(vt, MergeVariable) and vt.joined is not None else vt
    if isinstance(vt, CountIteratorVariable) and vt.source is None:
        return Counting(vt)
    if isinstance(vt, RangeVariable):
        if not vt.is_python_constant():
            return None
        start, stop, step = vt.items
        return StaticRange(start, stop, step, constant(len(vt.as_python_constant())))
    if is_tensor(tensor):
        size = method(tx, tensor, "size", 0)
        if is_changing(size) and not is_followed(tx):
            return None
        return Rows(vt, isinstance(size, ConstantVariable), length=size)
    if isinstance(vt, MergeVariable):
        either = one_or_other(vt)
        return vt.give_up("it is iterated over", tx) if either is None else as_sequence(tx, either)
    if is_data_dependent(vt):
        refuse(tx, rules.LoopNotWelded("for", "what it iterates over depends on the data"))
    return None


def is_dynamic(tx: Tx, vt: VariableTracker) -> bool:
    """Whether how many items an iterable has is not known in the trace, or is it a number that the data decides."""
    vt = vt.realize()
    if is_tensor(vt):
        shape = example(vt).shape
        return not shape or bool(free_unbacked_symbols(shape[0])) or (has_changing_size(vt) and is_followed(tx))
    return isinstance(vt, (DynamicSequence, GrownList)) or is_data_number(vt) or either_list(vt) is not None


def beside(tx: Tx, vt: VariableTracker) -> DynamicSequence:
    """An iterable that is gone through together with a sequence whose length the data decides."""
    vt = vt.realize()
    if isinstance(vt, (ListVariable, TupleVariable)):
        return Items(list(vt.items), length=constant(len(vt.items)))
    sequence = as_sequence(tx, vt)
    if sequence is None:
        refuse(tx, rules.LoopNotWelded("for", "an iterator is taken along with one whose length the data decides"))
    return sequence


def enumerated(tx: Tx, items: VariableTracker, start: VariableTracker | None = None) -> VariableTracker:
    """`enumerate`."""
    return Enumerated(beside(tx, items), constant(0) if start is None else start)


def zipped(tx: Tx, *iterables: VariableTracker, strict: VariableTracker | None = None) -> VariableTracker:
    """`zip`."""
    inners = [beside(tx, vt) for vt in iterables]
    shortest = inners[0].length
    for inner in inners[1:]:
        if strict is not None and strict.as_python_constant():
            refuse(tx, rules.LoopNotWelded("for", "a strict `zip` compares lengths that the data decides"))
        shortest = call(tx, min, shortest, inner.length)
    return Zipped(inners, length=shortest)


def product(tx: Tx, *iterables: VariableTracker) -> VariableTracker:
    """`itertools.product`."""
    inners = [beside(tx, vt) for vt in iterables]
    total = inners[0].length
    for inner in inners[1:]:
        total = call(tx, operator.mul, total, inner.length)
    return Product(inners, length=total)


def mapped(tx: Tx, fn: VariableTracker, *iterables: VariableTracker) -> VariableTracker:
    """`map`."""
    if len(iterables) != 1:
        refuse(tx, rules.LoopNotWelded("for", "`map` takes several iterables, of which the data decides the length"))
    return Mapped(fn, beside(tx, iterables[0]))


def sliced(tx: Tx, items: VariableTracker, *bounds: VariableTracker) -> VariableTracker:
    """`itertools.islice` without a step."""
    start, stop = (constant(0), *bounds) if len(bounds) == 1 else bounds[:2]
    if len(bounds) == 3:
        refuse(tx, rules.LoopNotWelded("for", "`islice` has a step, and the data decides the length"))
    inner = beside(tx, items)
    return Sliced(inner, start, call(tx, _sliced_length, inner.length, start, stop))


def _sliced_length(length: Any, start: Any, stop: Any) -> Any:
    return max((length if stop is None else min(length, stop)) - start, 0)


def make_range(tx: Tx, args: list[VariableTracker]) -> VariableTracker:
    """`range` with at least one bound that came out of a tensor."""
    numbers = [method(tx, a, "item") if is_tensor(a) else a for a in args]
    start, stop, step = (constant(0), numbers[0], constant(1)) if len(numbers) == 1 else (*numbers, constant(1))[:3]
    raise_if(tx, call(tx, operator.eq, step, 0), ValueError, "range() arg 3 must not be zero")
    trips = choose(
        tx,
        call(tx, operator.gt, step, 0),
        lambda: call(tx, _trips_up, start, stop, step),
        lambda: call(tx, _trips_down, start, stop, step),
    )
    return DynamicRange(start, stop, step, trips)


def _trips_up(start: Any, stop: Any, step: Any) -> Any:
    return (stop - start + step - 1) // step


def _trips_down(start: Any, stop: Any, step: Any) -> Any:
    return (start - stop - step - 1) // -step
