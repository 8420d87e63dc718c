"""`torch._check` and its kin, where tensor values decide whether they hold: a `raise` like any other.

    torch._check_value(n > 0, lambda: f"{n}")        if not n > 0: raise ValueError(f"{n}")
    torch._check_tensor_all(mask)                    if not mask.all(): raise RuntimeError(...)

torch takes such a check for a fact, which it still gets, and raises a RuntimeError of its own words.
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.torch import TorchInGraphFunctionVariable

from graphweld.capture.predicates import is_data_dependent, negate, predicate
from graphweld.capture.raises import emit_raise, inside_try
from graphweld.capture.regions import assume
from graphweld.capture.sites import PACKAGE
from graphweld.capture.variables import Tx, constant, example, is_tensor, method

EXCEPTIONS: dict[Any, str | None] = {
    torch._check: "RuntimeError",
    torch._check_index: "IndexError",
    torch._check_value: "ValueError",
    torch._check_type: "TypeError",
    torch._check_not_implemented: "NotImplementedError",
    torch._check_tensor_all: "RuntimeError",
    torch._check_with: None,  # the first argument
    torch._check_tensor_all_with: None,
}
OF_TENSORS = (torch._check_tensor_all, torch._check_tensor_all_with)


def check(tx: Tx, fn: Any, args: Any, kwargs: Any, torch_call: Any) -> VariableTracker | None:
    """The answer to a call of one of them; None where Python or torch answers."""
    if fn not in EXCEPTIONS:
        return None
    named = dict(zip(("error_type", "cond", "message")[EXCEPTIONS[fn] is not None :], args, strict=False)) | kwargs
    condition = named.get("cond")
    if condition is None or not is_data_dependent(condition := condition.realize()):
        return None
    if is_tensor(condition) != (fn in OF_TENSORS) or (is_tensor(condition) and example(condition).dtype != torch.bool):
        return None  # torch's TypeError
    is_fact = tx.f_code.co_filename.startswith(PACKAGE) or (tx.output.export and inside_try(tx))
    if isinstance(condition, SymNodeVariable) and is_fact:
        return None  # a check of graphweld's own, or one that torch can make where a `raise` cannot be
    exception = EXCEPTIONS[fn] or named["error_type"].as_python_constant().__name__
    holds = predicate(tx, method(tx, condition, "all") if is_tensor(condition) else condition)
    emit_raise(tx, negate(tx, holds), exception)
    if isinstance(condition, SymNodeVariable):
        torch_call(TorchInGraphFunctionVariable(torch._check), tx, [condition], {})
    elif not isinstance(holds, ConstantVariable):
        assume(tx, holds, True)
    return constant(None)
