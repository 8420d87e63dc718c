"""What a region does to a tensor from outside is done to a copy, and written to the tensor behind the region.

    if bad.any():                copy, = branch(bad_any, then, orelse, (y,))
        y.mul_(0)        ->      copy_(y, copy)

Where the graph runs as it is, a copy that nobody changed is not written: to autograd a write is a change, whatever the
values are, and an error if it still needs the tensor. A changed copy has another version, or, as some operators write
without counting (batch norm, `out=`), other values.
"""

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import wrap_fx_proxy
from torch.fx import Node, Proxy

from graphweld.capture.differentiable import is_traced
from graphweld.capture.variables import Tx


def copy_(tensor: torch.Tensor, copy: torch.Tensor) -> torch.Tensor:
    """Behind a region: `tensor` holds what the region made of its copy.

    A leaf that requires grad changes under `no_grad` only, which may have been inside of the region.
    """
    if copy is tensor or _is_unchanged(tensor, copy):
        return tensor
    if not (torch.is_grad_enabled() and tensor.is_leaf and tensor.requires_grad):
        return tensor.copy_(copy)
    with torch.no_grad():
        return tensor.copy_(copy)


def latest_copy(tensor: torch.Tensor, copy: torch.Tensor) -> torch.Tensor:
    """At the end of a trip: what the next one copies, and at last is written back."""
    return tensor if _is_unchanged(tensor, copy) else copy


def _is_unchanged(tensor: torch.Tensor, copy: torch.Tensor) -> bool:
    if is_traced(copy) or copy.is_inference() or copy._version != 0:
        return False
    return torch.equal(tensor.detach(), copy.detach())


copy_.gw_impure = True  # type: ignore[attr-defined]


def emit_write(tx: Tx, value: VariableTracker, copy: VariableTracker) -> None:
    """Write a region's copy back to the tensor that it is of."""
    wrap_fx_proxy(tx, tx.output.create_proxy("call_function", copy_, (value.as_proxy(), copy.as_proxy()), {}))
    value.synchronize_attributes(tx)  # type: ignore[attr-defined]


def emit_latest(tx: Tx, placeholder: Node, copy: VariableTracker) -> VariableTracker:
    """Have a trip leave its copy of a tensor from outside for the next."""
    args = (Proxy(placeholder, copy.as_proxy().tracer), copy.as_proxy())
    return wrap_fx_proxy(tx, tx.output.create_proxy("call_function", latest_copy, args, {}))
