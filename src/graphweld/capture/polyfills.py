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


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """`F.scaled_dot_product_attention` in parts, as torch computes it where there is dropout."""
    if enable_gqa:
        key, value = (t.repeat_interleave(query.size(-3) // t.size(-3), -3) for t in (key, value))
    root = math.sqrt(1 / math.sqrt(query.size(-1)) if scale is None else scale)
    weights = (query * root) @ (key * root).transpose(-2, -1)
    if is_causal:
        attn_mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        weights = weights.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        weights = weights + attn_mask
    nothing = (weights == -math.inf).all(-1, keepdim=True)  # a row that may look at nothing
    weights = torch.softmax(weights.masked_fill(nothing, 0.0), -1).masked_fill(nothing, 0.0)
    return torch.nn.functional.dropout(weights, dropout_p) @ value


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
