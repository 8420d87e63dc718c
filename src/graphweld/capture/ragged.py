"""Tensors of which the data decides one size: a buffer that holds the largest there can be, and how much is in use.

kept = x[x > 0]                              a buffer of the size of x, and a count
torch.cat([f(x[:n]) for n in sizes])         a buffer and a count for each trip: rows[arange < counts]
"""

from dataclasses import dataclass

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.variables import same_size

MOST_ROWS = 2**24  # of a buffer


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """A tensor as large along `dim` as the data says, but no larger than `like`."""

    like: torch.Tensor
    requires_grad: bool
    dim: int

    @property
    def most(self) -> int:
        return int(self.like.shape[self.dim])

    def fits(self, fake: torch.Tensor) -> bool:
        """Whether a tensor is a part of such a buffer."""
        like = self.like
        if not (like.dtype is fake.dtype and like.device == fake.device and like.dim() == fake.dim()):
            return False
        if not all(
            same_size(a, b) for d, (a, b) in enumerate(zip(like.shape, fake.shape, strict=True)) if d != self.dim
        ):
            return False
        most = most_of(fake.shape[self.dim])
        return most is not None and most <= self.most


def rows_for(fake: torch.Tensor) -> Rows | None:
    """The type of a tensor of which the data decides one size, up to a known one; None for any other."""
    sized = [d for d, size in enumerate(fake.shape) if isinstance(size, torch.SymInt) and free_unbacked_symbols(size)]
    most = most_of(fake.shape[sized[0]]) if len(sized) == 1 else None
    if most is None:
        return None
    (dim,) = sized
    with fake.fake_mode:  # type: ignore[attr-defined]
        like = fake.new_empty((*fake.shape[:dim], most, *fake.shape[dim + 1 :]))
    return Rows(like, bool(fake.requires_grad), dim)


def most_of(size: int | torch.SymInt) -> int | None:
    """The largest that a size can be, None where there is no bound."""
    if isinstance(size, int):
        return size
    bound = size.node.shape_env.bound_sympy(size.node.expr).upper
    return int(bound) if bound.is_Integer and bound <= MOST_ROWS else None  # else it is infinite


def in_use(buffer: torch.Tensor, count: int, dim: int) -> torch.Tensor:
    """The part in use. Traced."""
    torch._check(count >= 0)
    torch._check(count <= buffer.size(dim))
    return buffer.narrow(dim, 0, count)


def filled_up(rows: torch.Tensor, most: int, dim: int) -> torch.Tensor:
    """A buffer that starts with these rows. Traced."""
    missing = (*rows.shape[:dim], most - rows.size(dim), *rows.shape[dim + 1 :])
    return torch.cat([rows, rows.new_zeros(missing)], dim)


def joined(buffers: torch.Tensor, counts: torch.Tensor, dim: int) -> torch.Tensor:
    """What is in use of each buffer, in a row along `dim`. Traced."""
    rows = buffers.movedim(dim + 1, 1)
    is_used = torch.arange(rows.size(1), device=counts.device) < counts.unsqueeze(1)
    return rows[is_used].movedim(0, dim).contiguous()


def part(tensor: torch.Tensor, sizes: torch.Tensor, ends: torch.Tensor, dim: int, index: int) -> torch.Tensor:
    """`tensor.split(sizes, dim)[index]`. Traced."""
    size = int(torch.select(sizes, 0, index).item())
    end = int(torch.select(ends, 0, index).item())
    torch._check(size >= 0)
    torch._check(size <= tensor.size(dim))
    torch._check(end >= size)
    torch._check(end <= tensor.size(dim))
    return tensor.narrow(dim, end - size, size)
