"""Functions of torch, `math` and `bisect` that give Python a value of the data: in tensors instead, or spelt out.

torch.equal(a, b)         same sizes and (a == b).all()
torch.allclose(a, b)      torch.isclose(a, b).all()
math.isfinite(t.item())   torch.isfinite(t)
bisect.bisect(a, x)       the loop that it is
"""

import bisect
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from graphweld import runtime


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


def squeeze(*args: Any, **kwargs: Any) -> torch.Tensor:
    """`torch.squeeze`, as the method."""
    whole = args[0] if args else kwargs.pop("input")
    return whole.squeeze(*args[1:], **kwargs)  # type: ignore[no-any-return]


def tolist(a: torch.Tensor) -> Any:
    """`Tensor.tolist`, of a size that is known."""
    return a.item() if a.dim() == 0 else [tolist(row) for row in a.unbind(0)]


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_right`."""
    return _bisect(a, lambda item: x < item, lo, hi, key)


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_left`."""
    return _bisect(a, lambda item: runtime.not_(item < x, -1), lo, hi, key)


def _bisect(a: Any, is_behind: Callable[[Any], Any], lo: Any, hi: Any, key: Any) -> Any:
    """The first place from `lo` to `hi` whose item is behind what is looked for, as halving finds it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")

    def halve(low: Any, high: Any) -> Any:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        low_high = runtime.if_exp(is_behind(item), lambda: (low, middle), lambda: (middle + 1, high), -1)
        return low_high[0], low_high[1]

    span = (lo, len(a) if hi is None else hi)
    return runtime.while_stmt(lambda low, high: low < high, halve, span, ("low", "high"), -1)[0]


_NOTHING = object()


def greatest(*items: Any, key: Any = None, default: Any = _NOTHING) -> Any:
    """`max` with `key` or `default`."""
    return _extreme("max", lambda a, b: a > b, items, key, default)


def least(*items: Any, key: Any = None, default: Any = _NOTHING) -> Any:
    """`min` with `key` or `default`."""
    return _extreme("min", lambda a, b: a < b, items, key, default)


def _extreme(name: str, is_beyond: Callable[[Any, Any], Any], items: Any, key: Any, default: Any) -> Any:
    """The first item that no other is beyond."""
    items = list(items[0]) if len(items) == 1 else items
    if len(items) == 0:
        if default is _NOTHING:
            raise ValueError(f"{name}() iterable argument is empty")
        return default
    found, rank = items[0], items[0] if key is None else key(items[0])
    for item in items[1:]:
        its = item if key is None else key(item)
        found, rank = runtime.if_exp(is_beyond(its, rank), lambda: (item, its), lambda: (found, rank), -1)  # noqa: B023 - called at once
    return found


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
    """`F.scaled_dot_product_attention` in parts, as torch computes it where there is dropout.

    Also where the data decides sizes: to choose a kernel, torch asks whether they are zero.
    """
    dtype = query.dtype
    if dtype.itemsize == 2:
        query, key, value = query.float(), key.float(), value.float()
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
    return (torch.nn.functional.dropout(weights, dropout_p) @ value).to(dtype)


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> torch.Tensor:
    """`torch.nn.utils.rnn.pad_sequence` of sequences whose lengths the data decides."""
    longest = sequences[0].size(0)
    for sequence in sequences[1:]:
        longest = max(longest, sequence.size(0))
    rows = []
    for sequence in sequences:
        missing = longest - sequence.size(0)
        torch._check(missing >= 0)
        padding = sequence.new_full((missing, *sequence.shape[1:]), padding_value)
        rows.append(torch.cat([sequence, padding] if padding_side == "right" else [padding, sequence]))
    return torch.stack(rows, 0 if batch_first else 1)


def exclusive_or(a: Any, b: Any) -> Any:
    """`a ^ b`, of which an exported program has none for numbers."""
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return torch.bitwise_xor(a, b)
    if isinstance(a, bool) and isinstance(b, bool):
        return bool(torch.full((), a, dtype=torch.bool) != torch.full((), b, dtype=torch.bool))
    return (a | b) - (a & b)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    torch.equal: equal,
    torch.allclose: allclose,
    torch.is_nonzero: is_nonzero,
    torch.squeeze: squeeze,
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
OF_SEQUENCES: dict[Any, Callable[..., Any]] = {
    torch._C._nn.pad_sequence: pad_sequence
}  # of sizes that the data decides
BUILTINS: dict[Any, Callable[..., Any]] = {
    divmod: lambda a, b: (a // b, a % b),
    operator.invert: lambda number: -number - 1,
    **dict.fromkeys((operator.xor, operator.ixor), exclusive_or),
}
SKIPPED: dict[Any, Callable[..., Any]] = {bisect.bisect_right: bisect_right, bisect.bisect_left: bisect_left}
