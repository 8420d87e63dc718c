"""Products of matrices whose strides the data decides, of which a gradient is asked.

    weights @ values        with weights of n x n, and n from a tensor

For the gradient torch asks whether a matrix lies column by column in memory, and has no answer. Of a batch of one
product it does not ask.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.variables import Tx, call, example, is_tensor

METHODS = ("matmul", "mm", "__matmul__")
FUNCTIONS = (operator.matmul, torch.matmul, torch.mm)


def of_data(tx: Tx, args: Any, kwargs: Any) -> VariableTracker | None:
    """The product, where it is such a one; else None."""
    if kwargs or len(args) != 2 or not torch.is_grad_enabled():
        return None
    fakes = [example(arg.realize()) for arg in args if is_tensor(arg.realize())]
    if len(fakes) < 2 or any(fake.dim() != 2 or fake.layout is not torch.strided for fake in fakes):
        return None
    if not any(free_unbacked_symbols(fake.stride()) for fake in fakes) or not any(f.requires_grad for f in fakes):
        return None
    return call(tx, _product, *args)


def of_data_or(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler for `a @ b`."""
    return lambda tx, args, kwargs: of_data(tx, args, kwargs) or handler(tx, args, kwargs)


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Traced."""
    return torch.bmm(a.unsqueeze(0), b.unsqueeze(0)).squeeze(0)
