"""Fake tensors for what a branch or a loop gives, where its regions are not run on fake tensors."""

from typing import Any

import torch

from graphweld.capture.variables import Tx


def note_rows(tx: Tx) -> None:
    """Remember that the region being traced holds a loop that gives rows, which fake tensors cannot go through."""
    tx.output.current_tracer.gw_has_rows = True


def has_rows(tracer: Any) -> bool:
    return getattr(tracer, "gw_has_rows", False)


def result_like(tx: Tx, like: torch.Tensor, grads: bool, trips: tuple[Any, ...] = ()) -> torch.Tensor:
    """A fake tensor for what a carry holds behind the loop, or for the rows of as many trips."""
    with tx.fake_mode:  # type: ignore[union-attr]
        if trips:
            fake = torch.empty((*trips, *like.shape), dtype=like.dtype, device=like.device)
        else:
            fake = torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=like.device)
    return fake.requires_grad_(grads and (like.dtype.is_floating_point or like.dtype.is_complex))
