"""Lists that a loop puts in the place of one another: rows in buffers that have room for the longest.

    active = [0, 1, 2, 3]
    while active:                                  count, buffer = 4, [0, 1, 2, 3]
        active = [i for i in active if left[i]]    count, buffer = 2, [1, 3, ...]

A list that the loop only changes is `list_growth`'s. Where no length is the greatest, the room is large, and the call
is left to plain Python where that is not enough.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import ListVariable, TupleVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture import carries, list_buffers
from graphweld.capture.carries import Carry, Fixed, Merged, Number, Pieces, Tensor
from graphweld.capture.grown_lists import Conditional, GrownList, Items, Run, Stacked, give_up, length
from graphweld.capture.list_buffers import REPLACED, Buffered, Room
from graphweld.capture.list_items import stand_in
from graphweld.capture.list_rows import examples, has_rows, widened
from graphweld.capture.ragged import Rows
from graphweld.capture.tensor_types import same_type
from graphweld.capture.variables import State, Tx, constant, example, same_size

Size = int | torch.SymInt
MOST_KNOWN = 2**12  # items, of which a list holds some: more are a matter of `list_buffers`


@dataclass(frozen=True, eq=False, slots=True)
class Listed(carries.Composite):
    """A list of no more items than there is room for, each an `element`."""

    element: Carry
    room: Room
    columns: tuple[Carry, ...]  # how many there are, and the buffers
    kind: type

    def leaves(self) -> list[Tensor]:
        """See `carries.leaves`."""
        return [leaf for column in self.columns for leaf in carries.leaves(column)]

    def conforms(self, vt: VariableTracker) -> bool:
        """See `carries.conforms`."""
        if not _is_list(vt, self.kind) or not _are_of(self.element, vt.items):  # type: ignore[attr-defined]
            return False
        return not self.room.is_enough or _at_most(_most(vt.items), _size(self.room.rows))  # type: ignore[attr-defined]

    def unpack(self, tx: Tx, values: State) -> VariableTracker:
        """See `carries.unpack`."""
        held = list_buffers.enter(tx, self.element, self.room, values, 0)
        return GrownList([held], self.kind, mutation_type=ValueMutationNew())

    def pack(self, tx: Tx, vt: VariableTracker) -> State:
        """See `carries.pack`."""
        items: Items = list(vt.items)  # type: ignore[attr-defined]
        first = items[0] if items else None
        if isinstance(first, Buffered) and _is_like(first, self):
            return list_buffers.next_values(tx, items, [first])
        return list_buffers.filled(tx, self.element, self.room, items)

    def template(self, of: Callable[[Carry], Any]) -> Any:
        """See `grown_lists.template`."""
        return ("Listed", self.kind.__name__, len(carries.leaves(self.element)), of(self.element))

    def describe(self) -> str:
        """See `carries.describe`."""
        return self.kind.__name__


def widened_list(tx: Tx, carry: Carry, vt: VariableTracker) -> Carry | None:
    """The type of the lists that `carry` may be and of one more; None where these are no lists or are kept apart."""
    kind = vt.python_type()
    if kind not in (list, tuple) or not _is_list(vt, kind):
        return None
    found = [one for one in _alternatives(carry) if _kind_of(one) is kind]
    others = [one for one in _alternatives(carry) if _kind_of(one) is not kind]
    is_known = isinstance(vt, (ListVariable, TupleVariable)) and all(isinstance(one, Pieces) for one in found)
    if is_known and (not found or any(carries.conforms_in_shape(one, vt) for one in found)):  # type: ignore[arg-type]
        return None
    element = None
    for item in examples(tx, [item for one in found for item in _items(tx, one)] + vt.items):  # type: ignore[attr-defined]
        element = widened(tx, element, item)
    may_be_apart = is_known and len(found) < carries.MOST_ALTERNATIVES - 1
    if element is None or not has_rows(element) or (may_be_apart and isinstance(element, Merged)):
        if is_known:
            return None
        give_up(tx, f"a loop puts it in the place of another, and its items have no rows{_described(element)}")
    room = _room(tx, element, found, vt.items)  # type: ignore[attr-defined]
    wider: Carry = Listed(element, room, tuple(list_buffers.carried(tx, element, room)), kind)
    for other in others:
        wider = Merged(wider, other)
    return wider


def _described(element: Carry | None) -> str:
    return "" if element is None else f": {carries.describe(element)}"


def _room(tx: Tx, element: Carry, found: list[Carry], items: Items) -> Room:
    """Room for lists of these types and for one of these items."""
    starts = [one.value.items for one in found if isinstance(one, Fixed)]  # type: ignore[attr-defined]
    sizes = [_most(start) for start in starts]
    sizes += [len(one.parts) for one in found if isinstance(one, Pieces)]
    sizes += [_size(one.room.rows) if one.room.is_enough else None for one in found if isinstance(one, Listed)]
    grows = any(isinstance(one, Listed) for one in found)
    new = _most(items)
    if not grows and all(isinstance(size, int) for size in (*sizes, new)):
        return Room(constant(max(1, *sizes, new)), True, REPLACED)  # type: ignore[type-var]
    if not grows and len(starts) == len(found) == 1 and _at_most(new, sizes[0]):
        return Room(length(tx, starts[0]), True, REPLACED)
    return list_buffers.room_for(tx, element, [], None, REPLACED)


def _most(items: Items) -> Size | None:
    """The greatest length that a list of these items can have, if that is known before the loop."""
    total: Size = 0
    for item in items:
        if isinstance(item, Conditional):
            sides = _most(item.then), _most(item.orelse)
            if not all(isinstance(side, int) for side in sides):
                return None
            total += max(sides)  # type: ignore[type-var,operator]
        elif isinstance(item, Stacked) or (isinstance(item, Buffered) and item.is_enough):
            size = example(item.stacks[0] if isinstance(item, Stacked) else item.buffers[0]).shape[0]
            if not isinstance(size, int) and free_unbacked_symbols(size):
                return None
            total += size
        elif isinstance(item, Run):
            return None
        else:
            total += 1
    return total if not isinstance(total, int) or total <= MOST_KNOWN else None


def _at_most(size: Size | None, room: Size | None) -> bool:
    if isinstance(size, int) and isinstance(room, int):
        return size <= room
    return size is not None and room is not None and same_size(size, room)


def _size(vt: VariableTracker) -> Size:
    return vt.value if isinstance(vt, ConstantVariable) else example(vt)  # type: ignore[no-any-return]


def _is_list(vt: VariableTracker, kind: type) -> bool:
    return isinstance(vt, (ListVariable, TupleVariable, GrownList)) and vt.python_type() is kind


def _is_like(held: Buffered, carry: Listed) -> bool:
    """Whether buffers are those of a type."""
    rows = example(held.buffers[0]).shape[0]
    return held.is_enough == carry.room.is_enough and same_size(rows, _size(carry.room.rows))


def _alternatives(carry: Carry) -> list[Carry]:
    return [*_alternatives(carry.then), *_alternatives(carry.orelse)] if isinstance(carry, Merged) else [carry]


def _kind_of(carry: Carry) -> type | None:
    """List or tuple, for a type of these; None for others."""
    if isinstance(carry, Listed):
        return carry.kind
    if isinstance(carry, Fixed):
        return carry.value.python_type() if isinstance(carry.value, GrownList) else None
    return carry.like.python_type() if isinstance(carry, Pieces) and _is_plain(carry.like) else None


def _is_plain(vt: VariableTracker) -> bool:
    return isinstance(vt, (ListVariable, TupleVariable)) and vt.python_type() in (list, tuple)


def _items(tx: Tx, carry: Carry) -> Items:
    """Items of a list of a type."""
    if isinstance(carry, Listed):
        return [stand_in(tx, carry.element)]
    if isinstance(carry, Pieces):
        return [stand_in(tx, part) for part in carry.parts]
    return list(carry.value.items)  # type: ignore[union-attr]


def _are_of(element: Carry, items: Items) -> bool:
    """Whether items, also those of runs, are of a type."""
    return all(
        _are_of(element, [*item.then, *item.orelse])
        if isinstance(item, Conditional)
        else _includes(element, item.element)  # type: ignore[attr-defined]
        if isinstance(item, Run)
        else carries.conforms(element, item)
        for item in items
    )


def _includes(carry: Carry, other: Any) -> bool:
    """Whether each value of the one type is of the other as well, and stands in as many tensors."""
    match carry, other:
        case (Number(), Number()):
            return carry.kind is other.kind
        case (Tensor(), Tensor()):
            return same_type(carry.like, other.like) and (carry.requires_grad or not other.requires_grad)
        case (Rows(), Rows()):
            return carry.dim == other.dim and same_type(carry.like, other.like)
        case (Pieces(), Pieces()):
            return carries.conforms_in_shape(carry, other.like) and all(map(_includes, carry.parts, other.parts))
        case (Listed(), Listed()):
            return carry.room is other.room and _includes(carry.element, other.element)
        case (Merged(), Merged()):
            return _includes(carry.then, other.then) and _includes(carry.orelse, other.orelse)
        case (Fixed(), Fixed()):
            return carries.conforms(carry, other.value)
    return carry is other
