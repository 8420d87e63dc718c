"""`and`, `or`, `not`, `in` and `is`, as lazy as in Python.

gw.and_(mask is not None, lambda: (mask == 0).any(), 0)
"""

import builtins
from collections.abc import Callable
from typing import Any


def and_(left: Any, right: Callable[[], Any], site: int) -> Any:
    """`left and right()`."""
    if left:
        return right()
    return left


def or_(left: Any, right: Callable[[], Any], site: int) -> Any:
    """`left or right()`."""
    if left:
        return left
    return right()


def not_(value: Any, site: int) -> Any:
    """`not value`."""
    return not value


def contains(item: Any, container: Any, site: int) -> Any:
    """`item in container`."""
    return item in container


def not_contains(item: Any, container: Any, site: int) -> Any:
    """`item not in container`."""
    return item not in container


def is_(left: Any, right: Any) -> bool:
    """`left is right`."""
    return left is right


def is_not(left: Any, right: Any) -> bool:
    """`left is not right`."""
    return left is not right


def is_self(fn: Any, name: str, line: int) -> bool:
    """Whether a function, or a method's function, is the one that starts at a line: no wrapper around it."""
    code = getattr(getattr(fn, "__func__", fn), "__code__", None)
    return code is not None and (code.co_name, code.co_firstlineno) == (name, line)


def is_builtin(fn: Any, name: str) -> bool:
    """Whether a name still is that of the builtin function."""
    return fn is getattr(builtins, name)
