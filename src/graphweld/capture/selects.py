"""One of two tensors that are both computed: gradients flow to that one alone.

    y = x.sqrt() if p else x * 2   ->   root = sqrt(x); twice = x * 2; y = where(p, root, twice)

To autograd `where` is an operation on both: the other one gets a gradient of zeros. That is not none where its own
derivative is infinite (zero times infinity is NaN), or where what it needs has been changed since. So such a node is
marked, and `reached` has it send a gradient to one only.
"""

import torch
from torch._C._functorch import is_batchedtensor
from torch._dynamo.variables.base import VariableTracker
from torch.fx import Node

from graphweld.capture.variables import Tx, call, example, same_size

MARK = "gw_select"


def emit_select(tx: Tx, pred: VariableTracker, then: VariableTracker, orelse: VariableTracker) -> VariableTracker:
    """`then if pred else orelse`, a node; in `torch.vmap` each row may have another."""
    found = call(tx, torch.where, pred, then, orelse)
    if not is_batchedtensor(example(pred)) and _is_one_type(example(then), example(orelse)):
        found.as_proxy().node.meta[MARK] = True
    return found


def is_select(node: Node) -> bool:
    """Whether it is such a node, and not another that has its meta data: a copy, the number in it."""
    return node.target is torch.where and MARK in node.meta


def _is_one_type(a: torch.Tensor, b: torch.Tensor) -> bool:
    sizes = zip(a.shape, b.shape, strict=True) if a.dim() == b.dim() else [(0, 1)]
    return a.dtype == b.dtype and a.device == b.device and all(same_size(m, n) for m, n in sizes)
