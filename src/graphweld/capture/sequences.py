"""Iterables whose length or items the data decides, as something with a length and an i-th item.

range(n)                length n            item i
rows of a tensor        length x.size(0)    x[i]
enumerate, zip, reversed of those
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import RangeVariable, TupleVariable

from graphweld.capture.grown_lists import GrownList, length, pick
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.predicates import is_data_dependent
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import Tx, call, constant, is_tensor, method
from graphweld.diagnostics import rules


class DynamicSequence(VariableTracker):
    """Base: a sequence that is not unrolled."""

    is_static = False

    def __init__(self, length: VariableTracker, **kw: Any) -> None:
        super().__init__(**kw)
        self.length = length

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        raise NotImplementedError

    def unpack_var_sequence(self, tx: Any) -> list[VariableTracker]:
        refuse(tx, rules.LoopNotWelded("for", "its length is only known when the program runs"))

    def len_impl(self, tx: Tx) -> VariableTracker:
        return self.length


class DynamicRange(DynamicSequence):
    """`range(start, stop, step)` with a bound that came out of a tensor."""

    def __init__(
        self, start: VariableTracker, stop: VariableTracker, step: VariableTracker, length: Any, **kw: Any
    ) -> None:
        super().__init__(length, **kw)
        self.start, self.stop, self.step = start, stop, step

    def python_type(self) -> type:
        return range

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return call(tx, _range_item, self.start, self.step, index)


def _range_item(start: Any, step: Any, index: Any) -> Any:
    return start + index * step


class StaticRange(DynamicRange):
    """A range of known bounds, for a loop with an exit that the data decides."""

    is_static = True


class Rows(DynamicSequence):
    """The rows of a tensor."""

    def __init__(self, tensor: VariableTracker, is_static: bool, **kw: Any) -> None:
        super().__init__(**kw)
        self.tensor, self.is_static = tensor, is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return call(tx, torch.select, self.tensor, 0, index)


class Enumerated(DynamicSequence):
    """`enumerate(inner, start)`."""

    def __init__(self, inner: DynamicSequence, start: VariableTracker, **kw: Any) -> None:
        super().__init__(inner.length, **kw)
        self.inner, self.start, self.is_static = inner, start, inner.is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return TupleVariable([call(tx, _plus, self.start, index), self.inner.item(tx, index)])


def _plus(a: Any, b: Any) -> Any:
    return a + b


class Reversed(DynamicSequence):
    """`reversed(inner)`."""

    def __init__(self, inner: DynamicSequence, **kw: Any) -> None:
        super().__init__(inner.length, **kw)
        self.inner, self.is_static = inner, inner.is_static

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return self.inner.item(tx, call(tx, _from_end, self.length, index))


class Items(DynamicSequence):
    """The items of a list whose length the data decides."""

    def __init__(self, grown: GrownList, **kw: Any) -> None:
        super().__init__(**kw)
        self.items = grown.items

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return pick(tx, self.items, index)


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
        return Items(vt, length=length(tx, vt.items))
    if isinstance(vt, MergeVariable) and vt.joined is not None:
        vt = vt.tensor(tx)
    if isinstance(vt, RangeVariable):
        if not vt.is_python_constant():
            return None
        start, stop, step = vt.items
        return StaticRange(start, stop, step, constant(len(vt.as_python_constant())))
    if is_tensor(vt):
        size = method(tx, vt, "size", 0)
        return Rows(vt, isinstance(size, ConstantVariable), length=size)
    if is_data_dependent(vt):
        refuse(tx, rules.LoopNotWelded("for", "what it iterates over depends on the data"))
    return None


def make_range(tx: Tx, args: list[VariableTracker]) -> VariableTracker:
    """`range` with at least one bound that came out of a tensor."""
    numbers = [method(tx, a, "item") if is_tensor(a) else a for a in args]
    start, stop, step = (constant(0), numbers[0], constant(1)) if len(numbers) == 1 else (*numbers, constant(1))[:3]
    if isinstance(step, ConstantVariable):
        trips = call(tx, _trips_up if step.value > 0 else _trips_down, start, stop, step)
    else:
        refuse(tx, rules.LoopNotWelded("for", "the step of its range depends on the data"))
    return DynamicRange(start, stop, step, trips)


def _trips_up(start: Any, stop: Any, step: Any) -> Any:
    return (stop - start + step - 1) // step


def _trips_down(start: Any, stop: Any, step: Any) -> Any:
    return (start - stop - step - 1) // -step
