"""Other shapes of a tensor of which the data decides sizes.

    x[mask].reshape(n, -1)        (n, u1) instead of (n, 8 * u0 // n): a number of its own
    nonzero(x).squeeze()          one dimension fewer where there is one item, else the same

torch learns what such a number is from the operators behind: a matrix product with a weight of 80 columns says u1 = 80.
Of a quotient it learns nothing, and cannot compare it with anything either. Of a size that may be 1 it takes it that it
is not.
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, statically_known_true

from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.predicates import truth
from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import Thunk, Tx, call, example, is_tensor, method

NAMES = ("reshape", "view", "squeeze")


def reshaped(tx: Tx, whole: VariableTracker, name: str, args: Any, kwargs: Any, plain: Thunk) -> VariableTracker:
    """What a reshape gives, with a number of its own for a size that is a quotient; `plain` calls torch's."""
    if name == "squeeze":
        return _squeezed(tx, whole, [*args, *kwargs.values()]) or plain()
    result = plain()
    if kwargs or not is_tensor(result) or not is_sized_by_data(example(result)):
        return result
    first = args[0].realize() if args else None
    sizes = [s.realize() for s in (first.items if isinstance(first, BaseListVariable) else args)]
    at = [k for k, s in enumerate(sizes) if isinstance(s, ConstantVariable) and s.value == -1]
    if len(at) != 1 or len(sizes) != example(result).dim() or not _is_compound(example(result).shape[at[0]]):
        return result
    return call(tx, _reshape_by_number, whole, sizes, at[0])


def _squeezed(tx: Tx, whole: VariableTracker, args: list[VariableTracker]) -> VariableTracker | None:
    """`whole.squeeze(*args)`, where the data decides what dimensions that leaves; None where torch knows, or raises."""
    from graphweld.capture.conditionals import stage_if

    sizes = example(whole).shape
    named = args[0].as_python_constant() if args else range(len(sizes))
    named = [named] if isinstance(named, int) else named
    if not all(-len(sizes) <= dim < len(sizes) for dim in named):
        return None
    dims = {dim % len(sizes) for dim in named}
    unknown = [dim for dim in dims if isinstance(sizes[dim], torch.SymInt) and free_unbacked_symbols(sizes[dim])]
    if all(statically_known_true(sizes[dim] != 1) for dim in unknown):
        return None

    def without(vt: VariableTracker, dim: int) -> VariableTracker:
        if isinstance(vt, MergeVariable):
            return vt.each(tx, lambda side: without(side, dim))
        if dim not in unknown:
            return method(tx, vt, "squeeze", dim)
        is_one = truth(tx, call(tx, _is_one, vt, dim))
        return stage_if(tx, is_one, lambda: method(tx, vt, "select", dim, 0), lambda: vt, label="a squeezed tensor")

    for dim in sorted(dims, reverse=True):
        whole = without(whole, dim)
    return whole


def _is_one(whole: torch.Tensor, dim: int) -> bool:
    return whole.size(dim) == 1


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
