"""Picking, at the boundary of a compiled program, the Python object that the data chose."""

from typing import Any

from graphweld.runtime.undefined import UNDEFINED


def pick(pred: Any, then: Any, orelse: Any) -> Any:
    """`then` where the 0-d bool tensor `pred` holds, else `orelse`."""
    return then if pred else orelse


def give(target: Any, name: str, value: Any) -> None:
    """`target.name = value`, unless the attribute is not there on the path that the program took."""
    if value is not UNDEFINED:
        setattr(target, name, value)
