"""Fake tensors for what a branch or a loop gives, where its regions are not run on fake tensors."""

from typing import Any

import torch

from graphweld.capture.variables import Tx


def note_rows(tx: Tx) -> None:
    """Remember that the region being traced holds a loop that gives rows, which fake tensors cannot go through."""
    tx.output.current_tracer.gw_has_rows = True


def has_rows(tracer: Any) -> bool:
    return getattr(tracer, "gw_has_rows", False)


def result_like(tx: Tx, like: torch.Tensor, trips: tuple[Any, ...] = ()) -> torch.Tensor:
    """A fake tensor for what a carry holds behind the loop, or for the rows of as many trips."""
    with tx.fake_mode:  # type: ignore[union-attr]
        if trips:
            return torch.empty((*trips, *like.shape), dtype=like.dtype, device=like.device)
        return torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=like.device)


def results_from(tx: Tx, likes: list[torch.Tensor], operands: list[Any]) -> tuple[torch.Tensor, ...]:
    """Fake results that autograd takes for ones made from the operands, as a program may ask it for their gradients."""
    if not torch.is_grad_enabled() or not any(getattr(o, "requires_grad", False) for o in operands):
        return tuple(likes)
    with tx.fake_mode:  # type: ignore[union-attr]
        return tuple(_Made.apply(likes, *operands))


class _Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, likes: list[torch.Tensor], *operands: Any) -> tuple[torch.Tensor, ...]:  # type: ignore[override]
        ctx.operands = operands
        ctx.mark_non_differentiable(*(t for t in likes if not (t.is_floating_point() or t.is_complex())))
        return tuple(likes)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:  # type: ignore[override]
        needed = zip(ctx.operands, ctx.needs_input_grad[1:], strict=True)
        return (None, *(torch.zeros_like(o) if need else None for o, need in needed))
