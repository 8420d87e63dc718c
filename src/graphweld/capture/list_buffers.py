"""A list that a loop carries whole: the first `count` rows of buffers, which have room for what the trips append.

    for i in range(int(n)):                count, buffer = 1, zeros(n + 1, *x.shape) with x in row 0
        out.append(out[i // 2] + i)   ->   buffer[count] = buffer[i // 2] + i; count += 1

Where a trip reads the last items only, the loop carries these (`list_growth`). A buffer is for a trip that reads other
items, or takes some off. Its room is exact where the number of trips has a bound before the loop starts. Else it is
large, and the call is left to plain Python where that is not enough.
"""

import math
import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import TupleVariable

from graphweld.capture import carries
from graphweld.capture.carries import Carry, Tensor
from graphweld.capture.data_numbers import number_tensor
from graphweld.capture.frozen import freeze
from graphweld.capture.grown_lists import (
    Conditional,
    Items,
    Run,
    Stacked,
    has_run,
    last_of_run,
    length,
    raise_if,
    template,
)
from graphweld.capture.list_items import item_of, rows_of_item
from graphweld.capture.list_rows import as_stacked
from graphweld.capture.loop_identity import tensors_within
from graphweld.capture.predicates import negate
from graphweld.capture.selects import emit_select
from graphweld.capture.variables import State, Thunk, Tx, call, constant, example, is_tensor, method

MOST_BYTES = 2**20  # of a buffer whose room is not exact, but for
LEAST_ROWS, MOST_ROWS = 64, 4096
MOST_EXACT = 2**14  # rows that are given to a loop which may end long before


@dataclass(frozen=True, eq=False, slots=True)
class Room:
    """How many rows the buffers of a loop have, and whether no trip can ask for more."""

    rows: VariableTracker
    is_enough: bool
    trip: "Additions"


@dataclass(frozen=True, slots=True)
class Additions:
    """How many rows a trip writes, if that is known; whether it leaves the items from before the loop as they are."""

    rows: int | None
    are_appended: bool


REPLACED = Additions(None, False)  # of a list that a trip puts in its place, and not what it adds


class Buffered(Run):
    """In a loop that carries the list: its first items.

    `is_kept` tells whether those from before the loop are as they were. `added` is how many rows this trip has
    written, where that is known, and `least` how many items there are at least. A list that `is_replaced` has room for
    the longest that a trip leaves, which need not be the longest that an inner loop makes.
    """

    _nonvar_fields = {"is_enough", "is_kept", "added", "least", "is_replaced", *Run._nonvar_fields}

    def __init__(
        self,
        element: Carry,
        count: VariableTracker,
        buffers: Items,
        is_enough: bool,
        is_kept: bool = True,
        added: int | None = 0,
        least: int = 0,
        is_replaced: bool = False,
        **kw: Any,
    ) -> None:
        super().__init__(**kw)
        self.element, self.count, self.buffers, self.is_enough = element, count, buffers, is_enough
        self.is_kept, self.added, self.least, self.is_replaced = is_kept, added, least, is_replaced

    def but(self, **changes: Any) -> "Buffered":
        """The same with some fields changed."""
        kept = {name: getattr(self, name) for name in ("is_enough", "is_kept", "added", "least", "is_replaced")}
        given = {"element": self.element, "count": self.count, "buffers": self.buffers, **kept, **changes}
        return Buffered(**given)

    def length(self, tx: Tx) -> VariableTracker:
        return self.count

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        values = [call(tx, torch.select, buffer, 0, index) for buffer in self.buffers]
        return item_of(tx, self.element, values)

    def last(self, tx: Tx, distance: int, before: Items) -> VariableTracker:
        if before:
            return last_of_run(tx, self, distance, before)
        if distance >= self.least:
            raise_if(tx, call(tx, operator.le, self.count, distance))
        return self.item(tx, call(tx, operator.sub, self.count, distance + 1))

    def stacked(self, tx: Tx) -> Stacked:
        """The rows in use, which must not be changed in place: they are copies of the program's own tensors."""
        stacks = [call(tx, _rows, buffer, 0, self.count) for buffer in self.buffers]
        freeze(tx, self.buffers, "a loop", None, "an item of a list")
        return Stacked(self.element, stacks)

    def backwards(self, tx: Tx) -> Run:
        return self.stacked(tx).backwards(tx)

    def export(self, join: Any, region: Any) -> Thunk:
        count = join.export(region, self.count)
        buffers = [join.export(region, buffer) for buffer in self.buffers]
        return lambda: self.but(count=count(), buffers=[buffer() for buffer in buffers])

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.lists", "first_rows"))
        codegen.append_output(codegen.create_load_const_unchecked(template(self.element)))
        codegen.foreach([self.count, *self.buffers])
        codegen.extend_output(create_call_function(2 + len(self.buffers), False))


def _rows(buffer: torch.Tensor, start: int, count: int) -> torch.Tensor:
    """Rows of a buffer. Traced."""
    torch._check(count >= 0)
    torch._check(start + count <= buffer.size(0))
    return buffer.narrow(0, start, count)


def empty(tx: Tx, element: Carry, count: VariableTracker, least: int) -> Buffered:
    """Buffers that hold nothing, for a trace that is thrown away."""
    buffers: Items = []
    for leaf in carries.leaves(element):
        sizes = TupleVariable([count, *map(constant, leaf.like.shape)])
        buffers.append(call(tx, torch.zeros, sizes, dtype=leaf.like.dtype, device=carries.device_of(leaf.like)))
    return Buffered(element, count, buffers, False, least=least)


# -- what a loop carries ------------------------------------------------------------------------


def additions(items: Items, before: Items) -> Additions:
    """What a trip has done to a list, which held `before`."""
    if not items:
        return Additions(0, not before)
    first, rest = items[0], items[1:]
    if isinstance(first, Buffered):
        return Additions(_plus(first.added, _slots(rest)), first.is_kept)
    if isinstance(first, Conditional) and adopted([first]) is not None:
        sides = [additions(side, before) for side in (first.then, first.orelse)]
        rows = [side.rows for side in sides]
        one = _are_same(adopted(first.then), adopted(first.orelse))
        most = None if None in rows or not one else max(rows)  # type: ignore[type-var]
        return Additions(_plus(most, _slots(rest)), all(side.are_appended for side in sides))
    is_appended = len(before) <= len(items) and all(a is b for a, b in zip(before, items, strict=False))
    return Additions(_slots(items[len(before) :] if is_appended else items), is_appended)


def _are_same(a: Buffered | None, b: Buffered | None) -> bool:
    """Whether sides of a branch leave the same buffers. It cannot give out others of a size of the data."""
    return a is not None and b is not None and all(x is y for x, y in zip(a.buffers, b.buffers, strict=True))


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _slots(items: Items) -> int | None:
    """How many rows it takes to hold items; None where no number is enough."""
    total: int | None = 0
    for item in items:
        if isinstance(item, Conditional):
            total = _plus(total, _plus(_slots(item.then), _slots(item.orelse)))
        elif isinstance(item, Buffered):
            total = _plus(total, item.added)
        else:
            total = None if isinstance(item, Run) else _plus(total, 1)
    return total


def room_for(tx: Tx, element: Carry, start: Items, most: VariableTracker | None, trip: Additions) -> Room:
    """Room for a list that holds `start` before a loop of `most` trips."""
    first = adopted(start)
    if first is not None:
        is_enough = first.is_enough and not (first.is_replaced and trip.rows != 0)
        return Room(method(tx, first.buffers[0], "size", 0), is_enough, trip)
    held, adds = length(tx, start), trip.rows
    if most is not None and adds is not None and not _is_long(most, adds):
        return Room(_fresh(tx, call(tx, _total, held, most, adds)), True, trip)
    size = max((math.prod(leaf.like.shape) * leaf.like.dtype.itemsize for leaf in carries.leaves(element)), default=1)
    rows = min(MOST_ROWS, max(LEAST_ROWS, MOST_BYTES // max(1, size)))
    return Room(constant(rows + held.value if isinstance(held, ConstantVariable) else rows), False, trip)


def _is_long(most: VariableTracker, adds: int) -> bool:
    return isinstance(most, ConstantVariable) and most.value * adds > MOST_EXACT


def _total(held: Any, most: Any, adds: Any) -> Any:
    return held + most * adds


def _fresh(tx: Tx, rows: VariableTracker) -> VariableTracker:
    """A number of rows, one at least, as a symbol of its own: sizes that are sums and products are hard on backends."""
    if isinstance(rows, ConstantVariable):
        return constant(max(1, rows.value))
    return call(tx, _number_from_one, number_tensor(tx, rows, int))


def _number_from_one(rows: torch.Tensor) -> int:
    number = rows.clamp(min=1).item()
    torch._check(number >= 1)
    return number  # type: ignore[return-value]


def carried(tx: Tx, element: Carry, room: Room) -> list[Carry]:
    """The types of what is carried: how many items there are, and the buffers."""
    rows = room.rows.value if isinstance(room.rows, ConstantVariable) else example(room.rows)
    made: list[Carry] = [carries.Number(int)]
    for leaf in carries.leaves(element):
        with tx.fake_mode:  # type: ignore[union-attr]
            like = torch.empty((rows, *leaf.like.shape), dtype=leaf.like.dtype, device=carries.device_of(leaf.like))
        made.append(Tensor(like, leaf.requires_grad))
    return made


def enter(tx: Tx, element: Carry, room: Room, values: Items, least: int) -> Buffered:
    """What the list holds when a trip begins. Takes its carries off `values`."""
    count, *buffers = [values.pop(0) for _ in range(1 + len(carries.leaves(element)))]
    number = call(tx, _in_use, method(tx, count, "item"), buffers[0], room.is_enough)
    replaced = room.trip == REPLACED
    least = least if room.trip.are_appended else 0
    return Buffered(element, number, buffers, room.is_enough, least=least, is_replaced=replaced)


def _in_use(count: int, buffer: torch.Tensor, is_enough: bool) -> int:
    torch._check(count >= 0)
    if is_enough:
        torch._check(count <= buffer.size(0))
    return count


def start_values(tx: Tx, element: Carry, room: Room, items: Items) -> Items:
    """What is carried of a list before the first trip."""
    if first := adopted(items):
        whole = flushed(tx, items, first)
        return [number_tensor(tx, whole.count, int), *whole.buffers]
    return filled(tx, element, room, items)


def filled(tx: Tx, element: Carry, room: Room, items: Items) -> Items:
    """How many items there are, and new buffers that hold them."""
    held = length(tx, items)
    if not room.is_enough:
        raise_if(tx, call(tx, operator.gt, held, room.rows), MemoryError)
    count = number_tensor(tx, held, int)
    rows = as_stacked(tx, items, element).stacks if items else [None] * len(carries.leaves(element))
    buffers = []
    for leaf, stack in zip(carries.leaves(element), rows, strict=True):
        shape = tuple(leaf.like.shape)
        buffers.append(call(tx, _filled, stack, room.rows, shape, leaf.like.dtype, carries.device_of(leaf.like)))
    return [count, *buffers]


def _filled(rows: torch.Tensor | None, most: int, shape: Any, dtype: Any, device: Any) -> torch.Tensor:
    """A buffer that starts with these rows. Traced."""
    empty = torch.zeros((most, *shape), dtype=dtype, device=device)
    return empty if rows is None else put_rows(empty, torch.zeros((), dtype=torch.int64), rows)


def next_values(tx: Tx, items: Items, before: Items) -> Items:
    """What is carried of a list behind a trip, which began with `before`."""
    whole = flushed(tx, items, adopted(before))
    return [number_tensor(tx, whole.count, int), *whole.buffers]


def behind(tx: Tx, element: Carry, room: Room, start: Items, values: Items) -> Items:
    """What the list holds behind the loop, whose carries then are `values`."""
    count, *buffers = values
    is_kept = room.trip.are_appended
    number = call(tx, _in_use, method(tx, count, "item"), buffers[0], True)
    if first := adopted(start):
        return [first.but(count=number, buffers=buffers, is_kept=is_kept and first.is_kept, added=None, least=0)]
    held: VariableTracker = length(tx, start) if is_kept else constant(0)
    added = call(tx, operator.sub, number, held)
    run = Stacked(element, [call(tx, _rows, buffer, held, added) for buffer in buffers])
    if is_kept:
        return [*start, run]
    freeze(tx, run.stacks, "a loop", None, "an item of a list")  # maybe copies of what it started with
    return [run]


# -- what a trip does ---------------------------------------------------------------------------


def adopted(items: Items) -> Buffered | None:
    """The buffers that a list has already, those of a loop further out."""
    for item in items:
        if isinstance(item, Buffered):
            return item
        if isinstance(item, Conditional) and (found := adopted([*item.then, *item.orelse])):
            return found
    return None


def _one(tx: Tx, first: VariableTracker, like: Buffered) -> Buffered:
    """The buffers at the start of a list, of whichever side of a branch."""
    if isinstance(first, Conditional):
        then, orelse = flushed(tx, first.then, like), flushed(tx, first.orelse, like)
        known = then.added is not None and orelse.added is not None
        return then.but(
            count=_number(tx, call(tx, torch.where, first.pred, _tensor(tx, then.count), _tensor(tx, orelse.count))),
            buffers=[
                a if a is b else emit_select(tx, first.pred, a, b)
                for a, b in zip(then.buffers, orelse.buffers, strict=True)
            ],
            is_kept=then.is_kept and orelse.is_kept,
            added=max(then.added or 0, orelse.added or 0) if known else None,
            least=min(then.least, orelse.least),
        )
    assert isinstance(first, Buffered)
    return first


def flushed(tx: Tx, items: Items, like: Buffered | None = None) -> Buffered:
    """The list as buffers, with what was appended written to them; `like` those that a trip began with, if any."""
    found = adopted(items) or like
    assert found is not None
    if items and adopted(items[:1]):
        whole, rest = _one(tx, items[0], found), items[1:]
    else:  # anew, with what the trip has put before those
        whole, rest = found.but(count=constant(0), is_kept=False, added=0, least=0), items
    before = whole
    for item in rest:
        whole = _put(tx, whole, item)
    if whole is not before:
        freeze(tx, [b for b in before.buffers if is_tensor(b)], "a loop", None, "an item of a list")
        if not whole.is_enough:
            rows = method(tx, whole.buffers[0], "size", 0)
            raise_if(tx, call(tx, operator.gt, whole.count, rows), MemoryError)
    return whole


def _put(tx: Tx, whole: Buffered, item: VariableTracker) -> Buffered:
    """The buffers with one more item of the list, or a run."""
    if isinstance(item, Conditional) and not has_run([*item.then, *item.orelse]):
        for pred, side in ((item.pred, item.then), (negate(tx, item.pred), item.orelse)):
            for vt in side:
                whole = _put_row(tx, whole, vt, pred)
        return whole
    if isinstance(item, Run):
        stacked = item.stacked(tx) if isinstance(item, Buffered) else as_stacked(tx, [item], whole.element)
        count = stacked.length(tx)
        buffers = [
            call(tx, put_rows, buffer, _tensor(tx, whole.count), rows)
            for buffer, rows in zip(whole.buffers, stacked.stacks, strict=True)
        ]
        added = _plus(whole.added, _slots([item]))
        return whole.but(count=call(tx, operator.add, whole.count, count), buffers=buffers, added=added)
    return _put_row(tx, whole, item, None)


def _put_row(tx: Tx, whole: Buffered, vt: VariableTracker, flag: VariableTracker | None) -> Buffered:
    """With one more row; where the flag is false it is not counted, and so the next one takes its place."""
    at = _tensor(tx, whole.count)
    rows = copied_rows(tx, whole.element, vt)
    buffers = [call(tx, put_row, buffer, at, row) for buffer, row in zip(whole.buffers, rows, strict=True)]
    if flag is None:
        count, least = call(tx, operator.add, whole.count, 1), whole.least + 1
    else:
        count, least = _number(tx, call(tx, operator.add, at, method(tx, flag, "to", torch.int64))), whole.least
    added = None if whole.added is None else whole.added + 1
    return whole.but(count=count, buffers=buffers, least=least, added=added)


def copied_rows(tx: Tx, element: Carry, item: VariableTracker) -> State:
    """The rows of an item that is put among others now: a later change of one of its tensors would not reach them."""
    rows = rows_of_item(tx, element, item)
    freeze(tx, tensors_within(item), "a list", None, "an item")
    return rows


def put_row(buffer: torch.Tensor, at: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """The buffer with another row; with any, where there is no room. Traced."""
    place = at.clamp(max=buffer.size(0) - 1).reshape(1).to(buffer.device)
    return buffer.index_copy(0, place, row.unsqueeze(0))


def put_rows(buffer: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The buffer with further rows from a place on. Traced."""
    places = at.to(buffer.device) + torch.arange(rows.size(0), device=buffer.device)
    return buffer.index_copy(0, places.clamp(max=buffer.size(0) - 1), rows)


def _tensor(tx: Tx, number: VariableTracker) -> VariableTracker:
    return number_tensor(tx, number, int)


def _number(tx: Tx, tensor: VariableTracker) -> VariableTracker:
    return call(tx, _from_zero, tensor)


def _from_zero(tensor: torch.Tensor) -> int:
    number = tensor.item()
    torch._check(number >= 0)
    return number  # type: ignore[return-value]
