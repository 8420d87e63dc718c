"""Attributes that a program's tensors have of their own, read of what an operator gave back as it was.

self.table = self.table.to(x.dtype)       `.to` gives the buffer itself, and its module asks whether it is `persistent`
"""

from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import TensorVariable

from graphweld.capture import sites
from graphweld.capture.variables import Tx, example


def hook_own_attributes() -> None:
    """Have such a tensor answer as the one it is. Once a process."""
    dynamic_getattr = TensorVariable.dynamic_getattr

    def attribute(self: TensorVariable, tx: Tx, name: str) -> VariableTracker:
        itself = _given_back(tx, self) if self.source is None and sites.trace_of(tx) is not None else self
        return dynamic_getattr(itself, tx, name)

    TensorVariable.dynamic_getattr = attribute  # type: ignore[method-assign]


def _given_back(tx: Any, tensor: TensorVariable) -> TensorVariable:
    """The tensor that came from outside and is this one, if there is one."""
    given = (v for v in tx.output.side_effects.id_to_variable.values() if isinstance(v, TensorVariable))
    return next((v for v in given if v.source and example(v) is example(tensor)), tensor)
