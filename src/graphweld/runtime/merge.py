"""Picking, at the boundary of a compiled program, the Python object that the data chose."""

import contextlib
from typing import Any

from graphweld.runtime.undefined import UNDEFINED


def pick(pred: Any, then: Any, orelse: Any) -> Any:
    """`then` where the 0-d bool tensor `pred` holds, else `orelse`."""
    return then if pred else orelse


def put_attribute(target: Any, name: str, value: Any) -> None:
    """Set an attribute, or see to it that there is none where `value` is that of an unbound name."""
    if value is not UNDEFINED:
        setattr(target, name, value)
    else:
        with contextlib.suppress(AttributeError):
            delattr(target, name)


def put_in_dict(target: Any, name: str, value: Any) -> None:
    """The same for what is to be stored as it is, whatever the class does when an attribute is set."""
    if value is not UNDEFINED:
        vars(target)[name] = value
    else:
        vars(target).pop(name, None)


def put_items(target: list[Any], items: list[Any]) -> None:
    """Make a list hold other items."""
    target[:] = items


def entries(table: dict[Any, Any]) -> dict[Any, Any]:
    """The entries that there are."""
    return {key: value for key, value in table.items() if value is not UNDEFINED}


def members(table: dict[Any, Any]) -> set[Any]:
    """The keys of the entries that there are."""
    return set(entries(table))
