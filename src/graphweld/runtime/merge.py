"""Picking, at the boundary of a compiled program, the Python object that the data chose."""

from typing import Any


def pick(pred: Any, then: Any, orelse: Any) -> Any:
    """`then` where the 0-d bool tensor `pred` holds, else `orelse`."""
    return then if pred else orelse
