"""`for` and `while` statements.

(s,) = gw.while_stmt(test_1, body_1, (s,), ("s",), 0)
(s,) = gw.for_stmt(range(n), body_1, (s,), ("s",), 1, None)
"""

from collections.abc import Callable, Iterable
from typing import Any


def while_stmt(
    test: Callable[..., Any],
    body: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: tuple[str, ...],
    site: int,
) -> tuple[Any, ...]:
    """Run `body` on `state`, the values of `names`, while `test` of them holds."""
    while test(*state):
        state = body(*state)
    return state


def for_stmt(
    iterable: Iterable[Any],
    body: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: tuple[str, ...],
    site: int,
    test: Callable[..., Any] | None,
) -> tuple[Any, ...]:
    """Run `body` on each item and `state`; before an item is taken, `test` says whether the loop goes on."""
    for item in iterable:
        state = body(item, *state)
        if test is not None and not test(*state):
            break
    return state


def empty_set() -> set[Any]:
    """`set()`, whatever the program calls by that name: what a set comprehension starts with."""
    return set()
