"""Activation checkpoints in an export: the function itself.

y = checkpoint(block, x, use_reentrant=False)        ->        y = block(x)

A checkpoint is about what a backward keeps. An exported program is for inference, and torch's later steps (2.13) know
no such node.
"""

from typing import Any

from torch._dynamo.variables.higher_order_ops import CheckpointHigherOrderVariable
from torch._higher_order_ops.wrap import TagActivationCheckpoint

from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx


def hook_checkpoints() -> None:
    """Put the hook in place."""
    plain = CheckpointHigherOrderVariable._call_function

    def call_function(self: Any, tx: Tx, args: Any, kwargs: Any) -> Any:
        if not tx.output.export or trace_of(tx) is None:
            return plain(self, tx, args, kwargs)
        _, own = TagActivationCheckpoint.divide_kwargs(kwargs)
        return args[0].call_function(tx, args[1:], own)

    CheckpointHigherOrderVariable._call_function = call_function  # type: ignore[method-assign]
