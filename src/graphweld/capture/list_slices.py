"""A part of a list, where the bounds or the number of items are up to the data.

out[1:]      of [x, run]           [run]
out[:n]      of [x, y]             [x if n > 0, y if n > 1]
out[-2:]     of [x, run]           the last two rows of x and the run, as tensors
out[-2:]     in the loop           the last two items, which the loop carries
"""

import operator
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import SliceVariable

from graphweld.capture.grown_lists import (
    Conditional,
    Earlier,
    Items,
    Run,
    Stacked,
    choose,
    give_up,
    has_run,
    last,
    length,
)
from graphweld.capture.list_items import stand_in
from graphweld.capture.list_rows import as_stacked
from graphweld.capture.predicates import truth
from graphweld.capture.variables import Tx, call, constant

MOST_OF_TAIL = 8


def getslice(tx: Tx, items: Items, bounds: Items) -> Items:
    """`items[start:stop:step]`."""
    start, stop, step = bounds
    if step.is_constant_none() or step.is_constant_match(1):
        if not has_run(items):
            return _of_known(tx, items, start, stop)
        items, start, stop = _without_known_ends(items, start, stop)
        if start.is_constant_none() and stop.is_constant_none():
            return list(items)
        earlier = next((item for item in items if isinstance(item, Earlier)), None)
        if earlier is not None and _is_tail(start, stop):
            return _tail(tx, items, earlier, start)
    elif not (isinstance(step, ConstantVariable) and step.value > 0):
        give_up(tx, "a part of it is taken backwards, or in steps that the data decides")
    run = as_stacked(tx, items)
    key = SliceVariable([start, stop, step], tx=tx)
    return [Stacked(run.element, [call(tx, operator.getitem, stack, key) for stack in run.stacks])]


def _of_known(tx: Tx, items: Items, start: VariableTracker, stop: VariableTracker) -> Items:
    count = len(items)
    low = constant(0) if start.is_constant_none() else _place(tx, start, count)
    high = constant(count) if stop.is_constant_none() else _place(tx, stop, count)
    found: Items = []
    for k, item in enumerate(items):
        here = truth(tx, call(tx, _is_between, k, low, high))
        if not isinstance(here, ConstantVariable):
            found.append(Conditional(here, [item], []))
        elif here.value:
            found.append(item)
    return found


def _place(tx: Tx, bound: VariableTracker, count: int) -> VariableTracker:
    """The bound of a slice, counted from the start."""
    return choose(tx, call(tx, operator.lt, bound, 0), lambda: call(tx, operator.add, bound, count), lambda: bound)


def _is_between(place: int, low: Any, high: Any) -> Any:
    return place >= low and place < high


def _without_known_ends(
    items: Items, start: VariableTracker, stop: VariableTracker
) -> tuple[Items, VariableTracker, VariableTracker]:
    """The slice of fewer items that is left when bounds that are known have taken known items off the ends."""
    low = 0 if start.is_constant_none() else start.value if isinstance(start, ConstantVariable) else None
    high = None if stop.is_constant_none() else stop.value if isinstance(stop, ConstantVariable) else None
    if low is None or not (stop.is_constant_none() or isinstance(stop, ConstantVariable)):
        return items, start, stop
    known_front = next(k for k, item in enumerate(items) if isinstance(item, Run))
    known_back = next(k for k, item in enumerate(reversed(items)) if isinstance(item, Run))
    if high is not None and (0 <= high <= low or (low < 0 and high <= low)):
        return [], constant(None), constant(None)
    if -known_back <= low < 0:
        return items[low:high], constant(None), constant(None)
    if high is not None and 0 <= high <= known_front and low >= 0:
        return items[low:high], constant(None), constant(None)
    back = min(-high, known_back) if high is not None and high < 0 and low >= 0 else 0
    front = min(low, known_front) if low > 0 else 0
    low -= front
    if high is not None:
        high = high + back if high < 0 else high - front
    left = items[front : len(items) - back]
    is_open = high is None or (high == 0 and back > 0)
    return left, constant(low or None), constant(None if is_open else high)


def _is_tail(start: VariableTracker, stop: VariableTracker) -> bool:
    is_near = isinstance(start, ConstantVariable) and start.value is not None and -MOST_OF_TAIL <= start.value < 0
    return is_near and stop.is_constant_none()


def _tail(tx: Tx, items: Items, earlier: Earlier, start: Any) -> Items:
    """`items[-k:]` in the loop that appends to them."""
    least = earlier.least + sum(not isinstance(item, Run) for item in items)
    found: Items = []
    for distance in reversed(range(-start.value)):
        if distance < least:
            found.append(last(tx, items, distance))
            continue
        here = truth(tx, call(tx, operator.gt, length(tx, items), distance))
        item = choose(
            tx,
            here,
            lambda distance=distance: last(tx, items, distance),  # type: ignore[misc]
            lambda: stand_in(tx, earlier.element),
        )
        found.append(Conditional(here, [item], []))
    return found
