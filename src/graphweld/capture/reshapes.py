"""The size that `-1` stands for, in a tensor of which the data decides sizes: a number of its own.

    x[mask].reshape(n, -1)        (n, u1) instead of (n, 8 * u0 // n)

torch learns what such a number is from the operators behind: a matrix product with a weight of 80 columns says u1 = 80.
Of a quotient it learns nothing, and cannot compare it with anything either.
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import Tx, call, example, is_tensor

NAMES = ("reshape", "view")


def reshaped(tx: Tx, whole: VariableTracker, name: str, args: Any, result: VariableTracker) -> VariableTracker:
    """What a reshape gave, or the same with a number of its own for a size that is a quotient."""
    if name not in NAMES or not is_tensor(result) or not is_sized_by_data(example(result)):
        return result
    first = args[0].realize() if args else None
    sizes = [s.realize() for s in (first.items if isinstance(first, BaseListVariable) else args)]
    at = [k for k, s in enumerate(sizes) if isinstance(s, ConstantVariable) and s.value == -1]
    if len(at) != 1 or len(sizes) != example(result).dim() or not _is_compound(example(result).shape[at[0]]):
        return result
    return call(tx, _reshape_by_number, whole, sizes, at[0])


def _is_compound(size: Any) -> bool:
    return isinstance(size, torch.SymInt) and bool(free_unbacked_symbols(size)) and not size.node.expr.is_Symbol


def _reshape_by_number(whole: torch.Tensor, sizes: Any, at: int) -> torch.Tensor:
    known = 1
    for k, size in enumerate(sizes):
        if k != at:
            known = known * size
    number = int(torch.full((), whole.numel() // known, dtype=torch.int64).item())
    torch._check(number >= 0)
    return whole.reshape([number if k == at else size for k, size in enumerate(sizes)])
