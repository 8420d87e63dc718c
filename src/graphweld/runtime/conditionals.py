"""`if` statements and conditional expressions.

(y,) = gw.if_stmt(x.sum() > 0, then_1, else_1, (y,), ("y",), 0)
y = gw.if_exp(x.sum() > 0, lambda: x + 1, lambda: x - 1, 1)
"""

from collections.abc import Callable
from typing import Any


def if_stmt(
    test: Any,
    then: Callable[..., tuple[Any, ...]],
    orelse: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: tuple[str, ...],
    site: int,
) -> tuple[Any, ...]:
    """Run one branch on `state`, the values of `names`, and return their values after it."""
    if test:
        return then(*state)
    return orelse(*state)


def if_exp(test: Any, then: Callable[[], Any], orelse: Callable[[], Any], site: int) -> Any:
    """`then() if test else orelse()`."""
    if test:
        return then()
    return orelse()
