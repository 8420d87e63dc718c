"""Changes of a list, of which the data decides the length or the place: as new rows of the tensors that hold its items.

out.pop(i)           every row behind i moves up by one
out.insert(i, y)     every row from i on moves down by one, and row i is y
out[i] = y           row i is y
out.sort()           of ints: the rows in order
"""

import operator
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable

from graphweld.capture import carries, grown_lists, list_buffers
from graphweld.capture.data_numbers import number_tensor
from graphweld.capture.frozen import freeze
from graphweld.capture.grown_lists import Items, Run, Stacked, choose, give_up, raise_if
from graphweld.capture.list_buffers import Buffered
from graphweld.capture.list_items import item_of, rows_of_item
from graphweld.capture.list_rows import as_stacked, widened
from graphweld.capture.variables import Tx, call, constant, method


def pop(tx: Tx, receiver: Any, index: VariableTracker | None = None) -> VariableTracker:
    """`receiver.pop(index)`."""
    items: Items = receiver.items
    if index is None or index.is_constant_match(-1):
        if not isinstance(items[-1], Run):
            tx.output.side_effects.mutation(receiver)
            return items.pop()
        rows = _rows(tx, items)
        raise_if(tx, call(tx, operator.le, rows.length(tx), 0), IndexError, "pop from empty list")
        taken = rows.item(tx, call(tx, operator.sub, rows.length(tx), 1))
        _put(tx, receiver, _resized(tx, rows, -1))
        return _copied(tx, rows, taken)
    rows = _rows(tx, items)
    place = _place(tx, rows, index, "pop index out of range")
    taken = _copied(tx, rows, rows.item(tx, place))
    _put(tx, receiver, _resized(tx, _gathered(tx, rows, _without, place), -1))
    return taken


def insert(tx: Tx, receiver: Any, index: VariableTracker, value: VariableTracker) -> VariableTracker:
    """`receiver.insert(index, value)`."""
    items: Items = receiver.items
    at = index.as_python_constant() if index.is_python_constant() else -1
    if 0 <= at <= len(items) and not grown_lists.has_run(items[:at]):
        tx.output.side_effects.mutation(receiver)
        items.insert(at, value)
        return constant(None)
    rows = _rows(tx, [*items, value])  # with room for it, behind
    last = call(tx, operator.sub, rows.length(tx), 1)
    place = call(tx, _between, number_tensor(tx, index, int), number_tensor(tx, last, int))
    moved = _gathered(tx, rows, _with_gap, place)
    _put(tx, receiver, _with_row(tx, moved, place, value))
    return constant(None)


def set_item(tx: Tx, receiver: Any, index: VariableTracker, value: VariableTracker) -> VariableTracker:
    """`receiver[index] = value`."""
    items: Items = receiver.items
    at = index.value if isinstance(index, ConstantVariable) else None
    if type(at) is int:
        near = items[: at + 1] if at >= 0 else items[at:]
        if -len(items) <= at < len(items) and not grown_lists.has_run(near):
            tx.output.side_effects.mutation(receiver)
            items[at] = value
            return constant(None)
    elif index.python_type() is not int:
        give_up(tx, "a part of it is set")
    rows = _rows(tx, items)
    place = _place(tx, rows, index, "list assignment index out of range")
    _put(tx, receiver, _with_row(tx, rows, place, value))
    return constant(None)


def remove(tx: Tx, receiver: Any, value: VariableTracker) -> VariableTracker:
    """`receiver.remove(value)`, for numbers."""
    rows = _rows(tx, receiver.items)
    if not isinstance(rows.element, carries.Number):
        give_up(tx, "`remove` is called on it, and its items are no numbers")
    found = call(tx, _matches, _tensors(rows)[0], value, number_tensor(tx, rows.length(tx), int))
    raise_if(tx, call(tx, torch.logical_not, method(tx, found, "any")), ValueError)
    place = method(tx, method(tx, method(tx, found, "to", torch.int8), "argmax"), "item")
    _put(tx, receiver, _resized(tx, _gathered(tx, rows, _without, place), -1))
    return constant(None)


def sort(tx: Tx, receiver: Any, reverse: bool = False) -> VariableTracker:
    """`receiver.sort()`, for ints."""
    rows = _rows(tx, receiver.items)
    if not (isinstance(rows.element, carries.Number) and rows.element.kind is int):
        give_up(tx, "`sort` is called on it, and its items are no ints")
    (held,) = _tensors(rows)
    done = call(tx, _sorted, held, number_tensor(tx, rows.length(tx), int), reverse)
    _put(tx, receiver, _like(rows, [done]))
    return constant(None)


def _rows(tx: Tx, items: Items) -> Any:
    """All items as rows: those of a loop's buffers, or a run of their own."""
    if any(isinstance(item, grown_lists.Earlier) for item in items):
        items = [item.whole(tx) if isinstance(item, grown_lists.Earlier) else item for item in items]
    return list_buffers.flushed(tx, items) if list_buffers.adopted(items) else as_stacked(tx, items)


def _tensors(rows: Any) -> Items:
    return rows.buffers if isinstance(rows, Buffered) else rows.stacks  # type: ignore[no-any-return]


def _like(rows: Any, tensors: Items) -> Run:
    if isinstance(rows, Buffered):
        return rows.but(buffers=tensors, is_kept=False)
    return Stacked(rows.element, tensors)


def _resized(tx: Tx, rows: Any, by: int) -> Run:
    """With fewer rows in use."""
    if isinstance(rows, Buffered):
        count = call(tx, operator.add, rows.count, by)
        return rows.but(count=count, is_kept=False, least=max(0, rows.least + by))
    return Stacked(rows.element, [call(tx, _shortened, stack, -by) for stack in rows.stacks])


def _shortened(rows: torch.Tensor, by: int) -> torch.Tensor:
    left = rows.size(0) - by
    torch._check(left >= 0)
    return rows.narrow(0, 0, left)


def _gathered(tx: Tx, rows: Any, order: Any, place: VariableTracker) -> Run:
    at = number_tensor(tx, place, int)
    return _like(rows, [call(tx, order, held, at) for held in _tensors(rows)])


def _without(rows: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """The rows without one of them; the last twice. Traced."""
    places = torch.arange(rows.size(0), device=rows.device)
    moved = torch.where(places >= at, places + 1, places).clamp(max=rows.size(0) - 1)
    return rows.index_select(0, moved)


def _with_gap(rows: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """The rows with one of them twice, without the last. Traced."""
    places = torch.arange(rows.size(0), device=rows.device)
    return rows.index_select(0, torch.where(places > at, places - 1, places))


def _between(index: torch.Tensor, last: torch.Tensor) -> int:
    """Where `insert` puts an item. Traced."""
    place = torch.where(index < 0, index + last, index)
    number = torch.minimum(place.clamp(min=0), last).item()
    torch._check(number >= 0)
    return number  # type: ignore[return-value]


def _with_row(tx: Tx, rows: Any, place: VariableTracker, value: VariableTracker) -> Run:
    if widened(tx, rows.element, value) is not rows.element:
        give_up(tx, "an item of another type is put into it")
    at = number_tensor(tx, place, int)
    packed = list_buffers.copied_rows(tx, rows.element, value)
    return _like(
        rows, [call(tx, list_buffers.put_row, held, at, row) for held, row in zip(_tensors(rows), packed, strict=True)]
    )


def _place(tx: Tx, rows: Any, index: VariableTracker, message: str) -> VariableTracker:
    """An index, counted from the start; an IndexError where there is no such item."""
    count = rows.length(tx)
    is_behind = call(tx, operator.lt, index, 0)
    place = choose(tx, is_behind, lambda: call(tx, operator.add, index, count), lambda: index)
    raise_if(tx, call(tx, operator.lt, place, 0), IndexError, message)
    raise_if(tx, call(tx, operator.ge, place, count), IndexError, message)
    return place


def _copied(tx: Tx, rows: Any, item: VariableTracker) -> VariableTracker:
    """An item that the list holds no more: a copy of the program's own tensor, which must not be changed in place."""
    values = [method(tx, leaf, "clone") for leaf in rows_of_item(tx, rows.element, item)]
    freeze(tx, values, "a list", None, "an item that is taken off")
    return item_of(tx, rows.element, values)


def _matches(rows: torch.Tensor, value: Any, count: torch.Tensor) -> torch.Tensor:
    return (rows == value) & (torch.arange(rows.size(0), device=rows.device) < count)


def _sorted(rows: torch.Tensor, count: torch.Tensor, reverse: bool) -> torch.Tensor:
    """The rows in use in order, and the others behind them. Traced."""
    unused = torch.arange(rows.size(0), device=rows.device) >= count
    limits = torch.iinfo(rows.dtype)
    return rows.masked_fill(unused, limits.min if reverse else limits.max).sort(descending=reverse).values


def _put(tx: Tx, receiver: Any, run: Run) -> None:
    if isinstance(run, Stacked):
        freeze(tx, run.stacks, "a list", None, "an item")
    tx.output.side_effects.mutation(receiver)
    receiver.items[:] = [run]
    grown_lists.fit_class(receiver)
