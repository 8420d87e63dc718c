"""A change at one position of a tensor, where the data decide which: a decomposition that asks nothing.

table[i, j] = v        ->        select_scatter(table[i], v, 0, j)        ->        where(places == j, v, table[i])

torch's own (2.13) first asks whether the position is negative, which stops `run_decompositions`.
"""

from typing import Any

import torch
from torch._decomp import decomposition_table
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

SELECT_SCATTER = torch.ops.aten.select_scatter.default


def hook_select_scatter() -> None:
    """Put the decomposition in place of torch's, where that one stops."""
    plain = decomposition_table[SELECT_SCATTER]

    def select_scatter(x: torch.Tensor, src: torch.Tensor, dim: int, index: Any) -> Any:
        try:
            return plain(x, src, dim, index)
        except GuardOnDataDependentSymNode:
            pass
        size = x.shape[dim]
        shape = [1] * x.dim()
        shape[dim] = size
        places: Any = torch.arange(size, device=x.device).view(shape)
        written = (places == index) | (places == index + size)  # one of them; that it is inside has been checked
        return torch.where(written, src.unsqueeze(dim), x)

    decomposition_table[SELECT_SCATTER] = select_scatter
