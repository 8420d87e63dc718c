"""The items of a list, whose number the data decides, as the rows of tensors.

[x, Stacked(rows), Conditional(p, [y], [])]    cat([x[None], rows, y[None]])[mask], where the last of `mask` is p
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import TupleVariable

from graphweld.capture import carries
from graphweld.capture.carries import Carry
from graphweld.capture.frozen import freeze
from graphweld.capture.grown_lists import Conditional, GrownList, Items, Run, Stacked, give_up, new
from graphweld.capture.list_items import rows_of_item, stand_in
from graphweld.capture.pieces import is_exception
from graphweld.capture.predicates import negate
from graphweld.capture.ragged import Rows
from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import State, Tx, call, is_tensor, method

Made = Callable[[Items], VariableTracker]


@dataclass(frozen=True, eq=False, slots=True)
class Known(carries.Composite):
    """The same known value in each item: a row tells no more than that there is one."""

    value: Carry

    def leaves(self) -> list[carries.Tensor]:
        """See `carries.leaves`."""
        return carries.leaves(carries.Number(bool))

    def conforms(self, vt: VariableTracker) -> bool:
        """See `carries.conforms`."""
        return carries.conforms(self.value, vt)

    def unpack(self, tx: Tx, values: State) -> VariableTracker:
        """See `carries.unpack`."""
        values.pop(0)
        return carries.unpack(tx, self.value, [], "an item")

    def pack(self, tx: Tx, vt: VariableTracker) -> State:
        """See `carries.pack`."""
        return [call(tx, torch.full, (), True, dtype=torch.bool)]

    def template(self, of: Callable[[Carry], Any]) -> Any:
        """See `grown_lists.template`."""
        return ("Merged", of(self.value), of(self.value))

    def describe(self) -> str:
        """See `carries.describe`."""
        return carries.describe(self.value)


def has_rows(element: Carry) -> bool:
    """Whether items of a type can be rows: numbers, tensors of one size or up to one, containers of them, or either."""
    if isinstance(element, carries.Merged):
        return all(_is_known(side) or has_rows(side) for side in (element.then, element.orelse))
    if isinstance(element, carries.Pieces) and not is_exception(element.like):
        return any(map(has_rows, element.parts)) and all(_is_known(part) or has_rows(part) for part in element.parts)
    return isinstance(element, (carries.Number, Rows, carries.Composite)) or (
        isinstance(element, carries.Tensor) and not is_sized_by_data(element.like)
    )


def _is_known(carry: Carry) -> bool:
    """Whether a value takes no rows, and can yet be written down."""
    if isinstance(carry, carries.Pieces):
        return not is_exception(carry.like) and all(map(_is_known, carry.parts))
    return isinstance(carry, carries.Fixed) and isinstance(carry.value, ConstantVariable)


def widened(tx: Tx, element: Carry | None, vt: VariableTracker) -> Carry:
    """The type of an item, that of the items before it being `element`."""
    if element is None and isinstance(vt.realize(), GrownList):
        element = carries.Pieces(TupleVariable([]) if vt.python_type() is tuple else new([]), ())
    if isinstance(element, Known):
        if element.conforms(vt):
            return element
        element = element.value
    if element is not None:
        element = carries.widen(tx, element, vt, "the items of a list")
    else:
        element = _of_numbers(carries.carry_of(vt))
    return Known(element) if _is_known(element) else element


def _of_numbers(element: Carry) -> Carry:
    """A type of which known numbers, also those in tuples and lists, may be others in other items."""
    if isinstance(element, carries.Pieces):
        return carries.Pieces(element.like, tuple(map(_of_numbers, element.parts)))
    if isinstance(element, carries.Fixed) and type(getattr(element.value, "value", None)) in (int, float, bool):
        return carries.Number(element.value.python_type())
    return element


def as_stacked(tx: Tx, items: Items, element: Carry | None = None, use: str = "a part of it is taken") -> Stacked:
    """One run of all items, of one type. What is copied for it must not be changed in place any more."""
    if len(items) == 1 and isinstance(items[0], Run) and not isinstance(items[0], Conditional):
        return items[0].stacked(tx)
    for vt in examples(tx, items):
        element = widened(tx, element, vt)
    if element is None or not has_rows(element):
        give_up(tx, f"{use}, and its items are of several types")
    stacks: Items = []
    mask = None
    for k in range(len(carries.leaves(element))):

        def made(known: Items, k: int = k) -> VariableTracker:
            return call(tx, torch.stack, [rows_of_item(tx, element, vt)[k] for vt in known])

        rows, mask = rows_of(tx, items, made, lambda run, k=k: run.stacks[k])  # type: ignore[misc]
        stacks.append(rows if mask is None else method(tx, rows, "__getitem__", mask))
    freeze(tx, [*filter(is_tensor, examples(tx, items)), *stacks], "a slice of a list", None)
    return Stacked(element, stacks)


def examples(tx: Tx, items: Items) -> Items:
    """An item of each type that there may be: each known one, and one for each run."""
    found: Items = []
    for item in items:
        if isinstance(item, Conditional):
            found += examples(tx, [*item.then, *item.orelse])
        elif isinstance(item, Run):
            element = item.element  # type: ignore[attr-defined]
            found.append(stand_in(tx, element))
        else:
            found.append(item)
    return found


def rows_of(
    tx: Tx, items: Items, made: Made, stack_of: Callable[[Stacked], VariableTracker]
) -> tuple[VariableTracker, VariableTracker | None]:
    """A row for each item that there may be, and a mask of those that there are; None for all.

    `made` gives the rows of known items, `stack_of` those of a run.
    """
    parts: list[tuple[VariableTracker, VariableTracker | None]] = []
    known: Items = []
    for item in [*items, None]:
        if known and (item is None or isinstance(item, Run)):
            parts.append((made(known), None))
            known = []
        if isinstance(item, Conditional):
            for pred, side in ((item.pred, item.then), (negate(tx, item.pred), item.orelse)):
                if side:
                    rows, mask = rows_of(tx, side, made, stack_of)
                    here = method(tx, pred, "expand", method(tx, rows, "size", 0))
                    parts.append((rows, here if mask is None else call(tx, torch.logical_and, here, mask)))
        elif isinstance(item, Run):
            parts.append((stack_of(item.stacked(tx)), None))
        elif item is not None:
            known.append(item)
    if all(mask is None for _, mask in parts):
        return _cat(tx, [rows for rows, _ in parts]), None
    masks = [
        call(tx, torch.ones, method(tx, rows, "size", 0), dtype=torch.bool) if mask is None else mask
        for rows, mask in parts
    ]
    return _cat(tx, [rows for rows, _ in parts]), _cat(tx, masks)


def _cat(tx: Tx, parts: Items) -> VariableTracker:
    return parts[0] if len(parts) == 1 else call(tx, torch.cat, parts)
