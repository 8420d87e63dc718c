"""What an expression may hold: the lattice of the data flow.

>>> join(TENSOR, NONE) == TENSOR, join(PLAIN, NUMBER) == NUMBER, join(UNKNOWN, PLAIN) == UNKNOWN
(True, True, True)
>>> sequence(NUMBER).item(), pair(TENSOR, PLAIN).item(1)
(Value(kind=<Kind.NUMBER: 5>, ...), Value(kind=<Kind.PLAIN: 1>, ...))
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """Sorted: where two paths meet, the higher wins, since what it stands for does reach the place."""

    UNKNOWN = 0
    PLAIN = 1
    OBJECT = 2
    SEQUENCE = 3
    TENSOR = 4
    NUMBER = 5


class Value(NamedTuple):
    """`sure` tells flow that was followed from flow that was guessed from a name or a method.

    A NUMBER is a Python value read out of a tensor. `varies`: a size that tensor values decide; of a sequence too.
    """

    kind: Kind
    sure: bool = True
    is_bool: bool = False
    varies: bool = False
    element: Value | None = None
    """Of a sequence: what any of its items may hold."""
    items: tuple[Value, ...] = ()
    """Of a sequence that stands item by item in the source."""
    name: str = ""
    """Of an object: the class in this file (or the torch layer) that it is an instance of."""
    is_array: bool = False
    """A NumPy array: torch traces it like a tensor."""

    def item(self, position: int | None = None) -> Value:
        """What an index or an iteration gives."""
        if self.kind is Kind.TENSOR:
            return self._replace(varies=False)
        if self.kind is Kind.SEQUENCE:
            if self.items and position is not None and -len(self.items) <= position < len(self.items):
                return self.items[position]
            return self.element or join(*self.items) if self.element or self.items else UNKNOWN
        return PLAIN if self.kind is Kind.PLAIN else UNKNOWN

    @property
    def steers(self) -> bool:
        """Whether asking for its truth asks for tensor values."""
        return self.kind in (Kind.TENSOR, Kind.NUMBER) or (self.kind is Kind.SEQUENCE and self.varies)

    def guessed(self) -> Value:
        """The same, but not sure."""
        return self._replace(sure=False)


UNKNOWN = Value(Kind.UNKNOWN)
PLAIN = Value(Kind.PLAIN)
NONE = PLAIN
TENSOR = Value(Kind.TENSOR)
MASK = Value(Kind.TENSOR, is_bool=True)
VARYING = Value(Kind.TENSOR, varies=True)
NUMBER = Value(Kind.NUMBER)
TENSORS = Value(Kind.SEQUENCE, element=TENSOR)


def sequence(element: Value, *, varies: bool = False, sure: bool = True) -> Value:
    """A list or tuple of any length."""
    return Value(Kind.SEQUENCE, sure=sure, element=element, varies=varies)


def pair(*items: Value) -> Value:
    """A tuple whose items are known one by one."""
    return Value(Kind.SEQUENCE, items=items)


def instance(name: str) -> Value:
    """An object of a class."""
    return Value(Kind.OBJECT, name=name)


def join(*values: Value) -> Value:
    """What holds where several paths meet."""
    if not values:
        return PLAIN
    result = values[0]
    for value in values[1:]:
        result = _join(result, value)
    return result


def _join(a: Value, b: Value) -> Value:
    if a == b:
        return a
    low, high = (a, b) if a.kind <= b.kind else (b, a)
    if low.kind is Kind.UNKNOWN and high.kind in (Kind.PLAIN, Kind.OBJECT):
        return UNKNOWN
    if low.kind is Kind.SEQUENCE and high.kind is Kind.TENSOR:
        return high.guessed()
    if low.kind is not high.kind:
        return high
    if low.kind is Kind.SEQUENCE:
        return _join_sequences(low, high)
    if low.kind is Kind.TENSOR:
        return Value(
            Kind.TENSOR,
            sure=low.sure or high.sure,
            is_bool=low.is_bool and high.is_bool,
            varies=low.varies or high.varies,
            is_array=low.is_array and high.is_array,
        )
    if low.kind is Kind.OBJECT:
        return UNKNOWN
    return low if low.sure else high


def _join_sequences(a: Value, b: Value) -> Value:
    varies, sure = a.varies or b.varies, a.sure or b.sure
    if a.items and len(a.items) == len(b.items):
        items = tuple(_join(x, y) for x, y in zip(a.items, b.items, strict=True))
        return Value(Kind.SEQUENCE, sure=sure, varies=varies, items=items)
    if not (a.items or a.element):
        return b._replace(varies=varies)
    if not (b.items or b.element):
        return a._replace(varies=varies)
    return sequence(_join(a.item(), b.item()), varies=varies, sure=sure)
