"""Functionalization, kept from a fault of its own in regions.

    out[0] = 5.             with i and j from a tensor, inside of a branch or loop
    return out[i:j].sum()

Behind a write, a view is made again when it is used next. Where a size is what is asked for, torch (2.13.0) does that
while nothing is recorded: the size it then has is of a name that no node gives, and the trace fails at the next node.
Patched to make the view again before, where it is recorded.
"""

from typing import Any

import torch
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols


def hook_sizes() -> None:
    """Bring views up to date before they are asked for sizes that the data decides."""
    dispatch = FunctionalTensorMode.__torch_dispatch__

    def dispatched(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in FunctionalTensor.metadata_fns:
            for arg in args:
                if isinstance(arg, FunctionalTensor) and free_unbacked_symbols(torch._from_functional_tensor(arg.elem)):
                    torch._sync(arg)
        return dispatch(self, func, types, args, kwargs)

    FunctionalTensorMode.__torch_dispatch__ = dispatched  # type: ignore[method-assign]
