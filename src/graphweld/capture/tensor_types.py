"""When two tensors are of one type, as far as a graph output is concerned, and sizes that the data decides."""

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.variables import same_size


def unflatten(flat: torch.Tensor, *sizes: int) -> torch.Tensor:
    """A flat tensor in the sizes it had, which nothing but the program knows to fit. Traced."""
    total = 1
    for size in sizes:
        torch._check(size >= 0)
        total = total * size
    torch._check(flat.size(0) == total)
    return flat.view(sizes)


def is_sized_by_data(fake: torch.Tensor) -> bool:
    return any(isinstance(n, torch.SymInt) and free_unbacked_symbols(n) for n in fake.shape)


def same_type(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether one graph output can stand for both tensors, with nothing a user sees changed."""
    return (
        type(a) is type(b)
        and a.dtype is b.dtype
        and a.device == b.device
        and a.layout is b.layout
        and a.dim() == b.dim()
        and all(map(same_size, a.shape, b.shape))
        and (a.layout is not torch.strided or _same_strides(a, b))
    )


def _same_strides(a: torch.Tensor, b: torch.Tensor) -> bool:
    return all(
        same_size(s, t) or same_size(n, 1) or a.numel() == 0
        for s, t, n in zip(a.stride(), b.stride(), a.shape, strict=True)
    )
