"""What a graph is given for something that is None, a tensor or a number, as each call has it."""

from typing import Any

import torch


def is_there(value: Any, kind: Any) -> torch.Tensor:
    """Whether there is something of a kind; a tensor is of the one kind of tensors that there is."""
    return torch.tensor(type(value) is kind.number if kind.number else isinstance(value, torch.Tensor))


def tensor_or_zeros(value: Any, kind: Any) -> torch.Tensor:
    """The tensor, a number as a tensor, or zeros of the kind."""
    if type(value) is kind.number:
        return torch.tensor([value], dtype=kind.dtype)
    if kind.number is None and isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(kind.shape, kind.stride, dtype=kind.dtype, device=kind.device).zero_()
