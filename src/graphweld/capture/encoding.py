"""Integers and bools beside floats under autograd.

`torch.cond`'s backward counts one gradient for every tensor output and finds fewer outputs that can have one (torch
2.13.0, 2.14.1: an assertion, "outs_to_grad length"). Where gradients flow, such an output leaves as a float with the
same bits, or with a value a float holds exactly, and is itself again behind the node.
"""

import operator

import torch
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture.variables import Tx, call, example, method

BITS = {torch.int64: torch.float64, torch.int32: torch.float32, torch.int16: torch.float16}
VALUES = {torch.bool: torch.float32, torch.int8: torch.float32, torch.uint8: torch.float32}


def can_have_gradient(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def encode(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """A float tensor that holds an integer tensor's bits or value."""
    dtype = example(vt).dtype
    if dtype in BITS:
        return method(tx, method(tx, vt, "view", BITS[dtype]), "clone")
    return method(tx, vt, "to", VALUES[dtype])


def decode(tx: Tx, vt: VariableTracker, dtype: torch.dtype) -> VariableTracker:
    """The integer tensor again."""
    vt = method(tx, vt, "detach")
    if dtype in BITS:
        return method(tx, vt, "view", dtype)
    return call(tx, operator.ne, vt, 0) if dtype is torch.bool else method(tx, vt, "to", dtype)
