"""Exceptions that a handler in the same function catches, as values.

gw_exception = gw.raised(ValueError("negative"))        # raise ValueError("negative")
if gw.catches(gw_exception, (KeyError, ValueError)):     # except (KeyError, ValueError):
"""

from typing import Any


def raised(exception: Any, *cause: Any) -> Any:
    """The exception that `raise exception from cause` raises."""
    made = exception() if isinstance(exception, type) else exception
    if cause:
        made.__cause__ = cause[0]() if isinstance(cause[0], type) else cause[0]
    return made


def catches(exception: Any, classes: Any) -> bool:
    """Whether `except classes` catches an exception."""
    return isinstance(exception, classes)
