"""`int` and `float` of truths and floats of the data.

    int(n > 1)        (n > 1).to(int64).item()
    int(x.sum())      x.sum().to(int64).item(), in front of it a check that 64 bits hold it

torch keeps `int(x)` of a float as a formula, which it cannot hand to a branch or loop as a size.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import SymNodeVariable

from graphweld.capture import sites
from graphweld.capture.data_numbers import NUMBER_DTYPES, number_tensor
from graphweld.capture.predicates import is_data_dependent, predicate
from graphweld.capture.raises import emit_check
from graphweld.capture.variables import Tx, call, example, is_array, is_tensor, method

DTYPES: dict[Any, torch.dtype] = {torch.SymBool: torch.bool, torch.SymInt: torch.int64, torch.SymFloat: torch.float64}


def number_of(fn: type, plain: Callable[..., Any]) -> Callable[..., Any]:
    """A handler for `int(x)` and `float(x)` of a number or a tensor."""

    def handler(tx: Tx, args: list[VariableTracker], kwargs: Any) -> Any:
        (number,) = args
        if sites.trace_of(tx) is None or not is_data_dependent(number) or not _is_single(number):
            return plain(tx, args, kwargs)
        value: Any = example(number)
        dtype = value.dtype if is_tensor(number) else DTYPES[type(value)]
        if dtype is torch.bool:
            return method(tx, method(tx, predicate(tx, number), "to", NUMBER_DTYPES[fn]), "item")
        if dtype.is_floating_point and fn is int and not is_array(number):
            return _truncated(tx, number)
        return plain(tx, args, kwargs)

    return handler


def _is_single(number: VariableTracker) -> bool:
    """Whether it is not a tensor of more or less than one element, of which Python has no number."""
    count = example(number).numel() if is_tensor(number) else 1
    return isinstance(count, int) and count == 1


def _truncated(tx: Tx, number: VariableTracker) -> VariableTracker:
    """An int without what is behind the point. Where it has more than 64 bits, or is none, plain Python goes on."""
    double = number_tensor(tx, number, float) if isinstance(number, SymNodeVariable) else number
    double = method(tx, method(tx, double, "to", torch.float64), "reshape", ())
    fits = call(tx, operator.lt, call(tx, abs, double), 2.0**63)
    emit_check(tx, call(tx, torch.logical_not, fits), OverflowError)
    return method(tx, method(tx, double, "to", torch.int64), "item")
