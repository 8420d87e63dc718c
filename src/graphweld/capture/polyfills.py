"""Functions of torch, and of `math`, that give Python a value of the data: in tensors instead.

torch.equal(a, b)         same sizes and (a == b).all()
torch.allclose(a, b)      torch.isclose(a, b).all()
math.isfinite(t.item())   torch.isfinite(t)
"""

import math
from collections.abc import Callable
from typing import Any

import torch


def equal(a: torch.Tensor, b: torch.Tensor) -> Any:
    """`torch.equal`."""
    if a.shape != b.shape:
        return False
    return bool((a == b).all())


def allclose(
    a: torch.Tensor, b: torch.Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """`torch.allclose`."""
    return bool(torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan).all())


def is_nonzero(a: torch.Tensor) -> Any:
    """`torch.is_nonzero`."""
    return bool(a)


def tolist(a: torch.Tensor) -> Any:
    """`Tensor.tolist`, of a size that is known."""
    return a.item() if a.dim() == 0 else [tolist(row) for row in a.unbind(0)]


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    torch.equal: equal,
    torch.allclose: allclose,
    torch.is_nonzero: is_nonzero,
    torch.Tensor.equal: equal,
    torch.Tensor.allclose: allclose,
    torch.Tensor.is_nonzero: is_nonzero,
}
METHODS: dict[str, Callable[..., Any]] = {
    "equal": equal,
    "allclose": allclose,
    "is_nonzero": is_nonzero,
    "tolist": tolist,
    "__bool__": is_nonzero,
    "__contains__": lambda container, item: bool((container == item).any()),
}
OF_NUMBERS: dict[Any, Callable[[Any], Any]] = {
    math.isnan: lambda number: bool(torch.isnan(torch.full((), number, dtype=torch.float64))),
    math.isinf: lambda number: bool(torch.isinf(torch.full((), number, dtype=torch.float64))),
    math.isfinite: lambda number: bool(torch.isfinite(torch.full((), number, dtype=torch.float64))),
}
