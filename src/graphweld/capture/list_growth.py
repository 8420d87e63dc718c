"""Lists that the body of a loop appends to.

    for i in range(n):             carried: how many items there are, and as many of the last as the body reads
        out.append(x * i)          a row of each trip: x * i
        if p: out.append(y)        a row of each trip: p, y

Behind the loop the rows are one run of the list; those whose flag is false are left out of it.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture import carries
from graphweld.capture.carries import Carry
from graphweld.capture.effects import contents_of, put_contents
from graphweld.capture.grown_lists import Conditional, Earlier, Items, Run, Stacked, give_up, last, length
from graphweld.capture.list_rows import has_rows, widened
from graphweld.capture.predicates import negate, select_bool
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import Tx, call, constant, method
from graphweld.diagnostics import rules

Slot = tuple[VariableTracker | None, VariableTracker]  # under which predicate, what is appended


@dataclass(frozen=True, slots=True)
class Growth:
    """What a body appends to a list, and how many of the last items it reads."""

    element: Carry
    tail: int = 0

    def carried(self) -> list[Carry]:
        return [carries.Number(int), *[self.element] * self.tail]


def growth_of(tx: Tx, growth: Growth | None, start: Items, before: Items, after: Any, asked: list[int]) -> Growth:
    """The growth that holds for one more trace of the body as well.

    The list held `start` before the loop, `before` at the start of the traced trip, and `after` behind it.
    """
    if not isinstance(after, list) or not _is_prefix(before, after):
        refuse(tx, rules.RegionMutates("a list", "a loop"))
    tail = max([0 if growth is None else growth.tail, *asked])
    element = None if growth is None else growth.element
    for vt in [*_elements(tx, after[len(before) :]), *_elements(tx, start[max(0, len(start) - tail) :])]:
        element = widened(tx, element, vt)
    if element is None or not has_rows(element):
        give_up(tx, f"what a loop appends to it has no rows{f': {carries.describe(element)}' if element else ''}")
    if growth is not None and element is growth.element and tail == growth.tail:
        return growth
    return Growth(element, tail)


def _is_prefix(before: Items, after: Items) -> bool:
    return len(before) <= len(after) and all(a is b for a, b in zip(before, after, strict=False))


def _elements(tx: Tx, items: Items) -> Items:
    found: Items = []
    for item in items:
        if isinstance(item, Conditional):
            found += _elements(tx, [*item.then, *item.orelse])
        elif isinstance(item, Run):
            give_up(tx, "a loop appends to it inside of another one")
        else:
            found.append(item)
    return found


def enter(tx: Tx, vt: Any, growth: Growth, values: Items) -> list[int]:
    """In a trace of the body, have the list hold what it held before the trip. Takes its carries off `values`.

    Returns a list that will have how many of its last items were asked for beyond those that are carried.
    """
    asked: list[int] = []
    count, *tail = (carries.unpack(tx, c, values, "an item") for c in growth.carried())
    least = sum(item.least if isinstance(item, Earlier) else not isinstance(item, Run) for item in contents_of(vt))
    tx.output.side_effects.mutation(vt)
    put_contents(vt, [Earlier(count, tail, growth.element, asked, least)])
    return asked


def start_values(tx: Tx, growth: Growth, items: Items) -> Items:
    """What is carried of a list before the first trip."""
    tail: list[Items] = []
    for distance in reversed(range(growth.tail)):
        is_there = any(isinstance(i, Run) for i in items) or distance < len(items)
        # Where there is no such item, none is read: the body asks for the number of items first.
        tail.append(
            carries.pack(tx, growth.element, last(tx, items, distance))
            if is_there
            else carries.fillers(tx, growth.element)
        )
    return [*carries.pack(tx, carries.Number(int), length(tx, items)), *(leaf for leaves in tail for leaf in leaves)]


def next_values(tx: Tx, growth: Growth, items: Items) -> Items:
    """What is carried of a list behind a trip."""
    kept = [last(tx, items, distance) for distance in reversed(range(growth.tail))]
    values = [length(tx, items), *kept]
    return [leaf for c, v in zip(growth.carried(), values, strict=True) for leaf in carries.pack(tx, c, v)]


def slots(tx: Tx, items: Items) -> list[Slot]:
    """What a trip appended, each under the predicate of its branch."""
    found: list[Slot] = []
    for item in items:
        if isinstance(item, Conditional):
            for pred, side in ((item.pred, item.then), (negate(tx, item.pred), item.orelse)):
                for flag, vt in slots(tx, side):
                    found.append((pred if flag is None else select_bool(tx, pred, flag, constant(False)), vt))
        elif not isinstance(item, Earlier):
            found.append((None, item))
    return found


def rows(tx: Tx, growth: Growth, appended: list[Slot]) -> Items:
    """The rows that a trip gives out."""
    return [
        leaf
        for flag, vt in appended
        for leaf in ([] if flag is None else [flag]) + carries.pack(tx, growth.element, vt)
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


def _interleave(tx: Tx, stacks: Items) -> VariableTracker:
    if len(stacks) == 1:
        return stacks[0]
    return method(tx, call(tx, torch.stack, stacks, 1), "flatten", 0, 1)
