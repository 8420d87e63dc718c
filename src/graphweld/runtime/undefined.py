"""A name that is not bound on this path.

y = gw.UNDEFINED           # before an `if` that may bind y
return gw.bound(y, "y")    # a read that Python would answer with UnboundLocalError
"""

import sys
from typing import Final, TypeVar

T = TypeVar("T")

_BEFORE, _AFTER = (
    ("cannot access local variable", "where it is not associated with a value")
    if sys.version_info >= (3, 11)
    else ("local variable", "referenced before assignment")
)


class Undefined:
    """The type of `UNDEFINED`, the stand-in for the value of an unbound name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unbound>"


UNDEFINED: Final = Undefined()


def bound(value: T, name: str) -> T:
    """Return `value`, or raise what Python raises for a name that is not bound.

    Raises:
        UnboundLocalError: `value` is `UNDEFINED`.
    """
    if value is UNDEFINED:
        raise UnboundLocalError(f"{_BEFORE} '{name}' {_AFTER}")
    return value
