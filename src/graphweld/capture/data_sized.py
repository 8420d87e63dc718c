"""Functions of torch which ask about sizes that the data decides, spelt out so that they need not.

torch.diff(rows)                   are there two? rows[1:] - rows[:-1] does not ask
pad_sequence([a, b])               which is longest? the loop that finds it
torch.lstm(x, ...)                 torch unrolls it: the loop that it is
"""

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture import draws, polyfills, recurrent
from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import Tx, example, is_tensor

LSTM_ON_A_BATCH = 9  # arguments


def diff(
    x: torch.Tensor, n: int = 1, dim: int = -1, prepend: torch.Tensor | None = None, append: torch.Tensor | None = None
) -> torch.Tensor:
    """`torch.diff`. Traced."""
    rows = torch.cat([part for part in (prepend, x, append) if part is not None], dim).movedim(dim, 0)
    for _ in range(n):
        rows = rows[1:] ^ rows[:-1] if rows.dtype == torch.bool else rows[1:] - rows[:-1]
    return rows.movedim(0, dim)


def instead(tx: Tx, fn: Any, args: list[VariableTracker], kwargs: dict[str, VariableTracker]) -> Any:
    """What to trace in place of a call of torch's; None where torch can do that itself."""
    if fn in recurrent.OF_UNKNOWN_LENGTH:
        return recurrent.OF_UNKNOWN_LENGTH[fn] if len(args) == LSTM_ON_A_BATCH and is_sized(args[0]) else None
    if fn is draws.ATTENTION:
        of_data = draws.draws_in_region(tx, args, kwargs) or any(map(is_sized, (*args, *kwargs.values())))
        return polyfills.attention if of_data else None
    if fn in polyfills.OF_SEQUENCES:
        return polyfills.OF_SEQUENCES[fn] if any(map(is_sized, args[0].unpack_var_sequence(tx))) else None
    return diff if fn is torch.diff and "out" not in kwargs and any(map(is_sized, args)) else None


def method_instead(tensor: VariableTracker, name: str) -> Callable[..., Any] | None:
    """The same for a method of a tensor's."""
    return diff if name == "diff" and is_sized(tensor) else None


def is_sized(vt: VariableTracker) -> bool:
    """Whether the data decides a size of something."""
    return is_tensor(vt := vt.realize()) and is_sized_by_data(example(vt))
