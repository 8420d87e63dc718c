"""Lists that the body of a loop appends to.

    for i in range(n):             carried: how many items there are, and as many of the last as the body reads
        out.append(x * i)          a row of each trip: x * i
        if p: out.append(y)        a row of each trip: p, y

Behind the loop the rows are one run of the list; those whose flag is false are left out of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture import carries, list_buffers
from graphweld.capture.carried_containers import Assumed, containers_in
from graphweld.capture.carries import Carry
from graphweld.capture.effects import contents_of, put_contents
from graphweld.capture.grown_lists import ALL, Conditional, Earlier, Items, Run, Stacked, give_up, last, length
from graphweld.capture.list_buffers import Buffered, Room, adopted
from graphweld.capture.list_items import item_of, rows_of_item
from graphweld.capture.list_rows import examples, has_rows, widened
from graphweld.capture.predicates import negate, select_bool
from graphweld.capture.variables import State, Tx, call, constant, method

Slot = tuple[VariableTracker | None, VariableTracker]  # under which predicate, what is appended


@dataclass(frozen=True, slots=True)
class Growth:
    """What a body appends to a list, and how many of the last items it reads; or, with a room, any of them."""

    element: Carry
    tail: int = 0
    room: Room | None = None

    def carried(self, tx: Tx) -> list[Carry]:
        if self.room is not None:
            return list_buffers.carried(tx, self.element, self.room)
        return [carries.Number(int), *[self.element] * self.tail]


@dataclass(frozen=True, slots=True)
class Bound:
    """The greatest number of trips, where that is known before the loop; whether they are few enough to be unrolled."""

    most: VariableTracker | None = None
    are_few: bool = False


UNBOUNDED = Bound()


@dataclass(frozen=True, slots=True)
class Trip:
    """A list at the start of a loop, at the start of a trip of its body, and behind that."""

    start: Items
    before: Items
    after: Items
    asked: list[int]  # see `Earlier`
    bound: Bound


def growth_of(tx: Tx, growth: Growth | None, trip: Trip) -> Growth:
    """The growth that holds for one more trace of the body as well."""
    element = None if growth is None else growth.element
    if (growth is not None and growth.room) or ALL in trip.asked or _is_more_than_appends(trip):
        return _with_room(tx, growth, trip, _element(tx, element, [*trip.start, *trip.before, *trip.after]))
    tail = max([0 if growth is None else growth.tail, *trip.asked])
    start = trip.start[max(0, len(trip.start) - tail) :]
    element = _element(tx, element, [*trip.after[len(trip.before) :], *start])
    if growth is not None and element is growth.element and tail == growth.tail:
        return growth
    return Growth(element, tail)


def _is_more_than_appends(trip: Trip) -> bool:
    appended = trip.after[len(trip.before) :]
    return not _is_prefix(trip.before, trip.after) or adopted(trip.start) is not None or _has_rows(appended)


def _has_rows(items: Items) -> bool:
    """Whether a run among items is of an unknown number of them."""
    sides = [side for item in items if isinstance(item, Conditional) for side in (item.then, item.orelse)]
    return any(isinstance(i, Run) and not isinstance(i, Conditional) for i in items) or any(map(_has_rows, sides))


def _with_room(tx: Tx, growth: Growth | None, trip: Trip, element: Carry) -> Growth:
    if trip.bound.are_few:
        give_up(tx, "the loop that appends to it does more than that")
    _check_rows(tx, element)
    adds = list_buffers.additions(trip.after, trip.before)
    room = None if growth is None else growth.room
    if room is None or room.trip != adds:
        room = list_buffers.room_for(tx, element, trip.start, trip.bound.most, adds)
    if growth is not None and element is growth.element and room is growth.room:
        return growth
    return Growth(element, 0, room)


def _element(tx: Tx, element: Carry | None, items: Items) -> Carry:
    for vt in examples(tx, items):
        element = widened(tx, element, vt)
    assert element is not None  # something was appended
    return element


def _check_rows(tx: Tx, element: Carry) -> None:
    if not has_rows(element):
        give_up(tx, f"what a loop appends to it has no rows: {carries.describe(element)}")


def _is_prefix(before: Items, after: Items) -> bool:
    return len(before) <= len(after) and all(a is b for a, b in zip(before, after, strict=False))


def enter(tx: Tx, vt: Any, growth: Growth, values: Items) -> list[int]:
    """In a trace of the body, have the list hold what it held before the trip. Takes its carries off `values`.

    Returns a list that will have how many of its last items were asked for beyond those that are carried.
    """
    asked: list[int] = []
    start = contents_of(vt)
    least = sum(item.least if isinstance(item, (Earlier, Buffered)) else not isinstance(item, Run) for item in start)
    tx.output.side_effects.mutation(vt)
    if growth.room is not None:
        put_contents(vt, [list_buffers.enter(tx, growth.element, growth.room, values, least)])
        return asked
    count, *tail = (item_of(tx, c, values) for c in growth.carried(tx))
    put_contents(vt, [Earlier(count, tail, growth.element, asked, least)])
    return asked


def start_values(tx: Tx, growth: Growth, items: Items) -> Items:
    """What is carried of a list before the first trip."""
    if growth.room is not None:
        return list_buffers.start_values(tx, growth.element, growth.room, items)
    tail: list[Items] = []
    for distance in reversed(range(growth.tail)):
        is_there = any(isinstance(i, Run) for i in items) or distance < len(items)
        # Where there is no such item, none is read: the body asks for the number of items first.
        tail.append(
            rows_of_item(tx, growth.element, last(tx, items, distance))
            if is_there
            else carries.fillers(tx, growth.element)
        )
    return [*carries.pack(tx, carries.Number(int), length(tx, items)), *(leaf for leaves in tail for leaf in leaves)]


def next_values(tx: Tx, growth: Growth, items: Items, before: Items) -> Items:
    """What is carried of a list behind a trip, which began with `before`."""
    if growth.room is not None:
        return list_buffers.next_values(tx, items, before)
    # Where there is no such item, none is read.
    items = [item.unchecked() if isinstance(item, Earlier) else item for item in items]
    kept = [last(tx, items, distance) for distance in reversed(range(growth.tail))]
    values = [length(tx, items), *kept]
    return [leaf for c, v in zip(growth.carried(tx), values, strict=True) for leaf in carries.pack(tx, c, v)]


def slots(tx: Tx, items: Items) -> list[Slot]:
    """What a trip appended, each under the predicate of its branch."""
    found: list[Slot] = []
    for item in items:
        if isinstance(item, Conditional):
            for pred, side in ((item.pred, item.then), (negate(tx, item.pred), item.orelse)):
                for flag, vt in slots(tx, side):
                    found.append((pred if flag is None else select_bool(tx, pred, flag, constant(False)), vt))
        elif not isinstance(item, (Earlier, Buffered)):
            found.append((None, item))
    return found


def shares_containers(values: State, lists: list[Items]) -> bool:
    """Whether one container is in two of these values, or also in what these lists hold, at the end of a trip."""
    appended = [found for items in lists for found in _appended(items, frozenset())]
    if any(vt in containers_in(values, where) for vt, where in appended):
        return True
    return any(len(set(found)) < len(found) for found in (containers_in(values), [vt for vt, _ in appended]))


def _appended(items: Items, where: Assumed) -> Iterator[tuple[VariableTracker, Assumed]]:
    for item in items:
        if isinstance(item, Conditional):
            for holds, side in ((True, item.then), (False, item.orelse)):
                yield from _appended(side, where | {(item.pred, holds)})
        elif not isinstance(item, Run):
            yield from ((vt, where) for vt in containers_in([item], where))


def rows(tx: Tx, growth: Growth, appended: list[Slot]) -> Items:
    """The rows that a trip gives out."""
    if growth.room is not None:
        return []
    _check_rows(tx, growth.element)
    return [
        leaf
        for flag, vt in appended
        for leaf in ([] if flag is None else [flag]) + rows_of_item(tx, growth.element, vt)
    ]


def run_of(tx: Tx, growth: Growth, appended: list[Slot], stacks: Items) -> Stacked:
    """The run behind the loop. Takes its stacks off `stacks`, in the order of `rows`."""
    number = len(carries.leaves(growth.element))
    flags: list[VariableTracker | None] = []
    columns: list[Items] = []
    for flag, _ in appended:
        flags.append(None if flag is None else stacks.pop(0))
        columns.append([stacks.pop(0) for _ in range(number)])
    leaves = [_interleave(tx, list(column)) for column in zip(*columns, strict=True)]
    if any(flag is not None for flag in flags):
        all_of = call(tx, torch.ones_like, next(flag for flag in flags if flag is not None))
        mask = _interleave(tx, [all_of if flag is None else flag for flag in flags])
        leaves = [method(tx, leaf, "__getitem__", mask) for leaf in leaves]
    return Stacked(growth.element, leaves)


def behind(tx: Tx, growth: Growth, start: Items, appended: list[Slot], carried: Items, stacks: Items) -> Items:
    """What the list holds behind the loop, which has left these values of its carries. Takes its rows off `stacks`."""
    if growth.room is not None:
        return list_buffers.behind(tx, growth.element, growth.room, start, carried)
    return [*start, run_of(tx, growth, appended, stacks)]


def _interleave(tx: Tx, stacks: Items) -> VariableTracker:
    if len(stacks) == 1:
        return stacks[0]
    return method(tx, call(tx, torch.stack, stacks, 1), "flatten", 0, 1)
