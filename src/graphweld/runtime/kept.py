"""What a graph is given for something that is None in one call and a tensor or a number in another."""

from typing import Any

import torch


def is_there(value: Any, kind: Any) -> torch.Tensor:
    """Whether there is anything; `kind` is that of the other function, as both are called alike."""
    return torch.tensor(value is not None)


def tensor_or_zeros(value: Any, kind: Any) -> torch.Tensor:
    """The tensor, a number as a tensor, or zeros of the kind."""
    if value is None:
        return torch.empty_strided(kind.shape, kind.stride, dtype=kind.dtype, device=kind.device).zero_()
    return torch.tensor([value], dtype=kind.dtype) if kind.number else value
