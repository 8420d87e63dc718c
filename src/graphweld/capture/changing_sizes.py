"""Loops over a size that changes from call to call.

    for row in x: ...               x has a dynamic first size: Dynamo would unroll the loop, and so compile it anew
    for i in range(x.shape[0]): ...     for each size

Such a loop becomes a Loop node, as one whose length the data decides does. Where that fails, the trace starts over, and
the loop is unrolled as Dynamo has it.
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld import convert
from graphweld.capture import sites
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import Tx, example
from graphweld.diagnostics import rules
from graphweld.syntax import SourceUnavailable


def is_changing(vt: VariableTracker) -> bool:
    """Whether a number is a size that may be another in the next call."""
    return isinstance(vt, SymNodeVariable) and _changes(vt.sym_num)


def is_followed(tx: Tx) -> bool:
    """Whether a loop over such a size, here, becomes a node. Raises where the function must be converted for that."""
    trace = sites.trace_of(tx)
    if trace is None or trace.unrolls_sizes:
        return False
    is_converted = sites.conversion_of(tx.f_code) is not None
    if not is_converted:
        try:
            if not convert.has_sites(tx.f_code):
                return False
        except SourceUnavailable:
            return False
    trace.follows_sizes = True
    if not is_converted:
        refuse(tx, rules.LoopNotWelded("for", "its number of trips is a size that changes"))
    return True


def has_changing_size(tensor: VariableTracker) -> bool:
    """Whether a tensor may have another number of rows in the next call."""
    shape = example(tensor).shape
    return bool(shape) and _changes(shape[0])


def _changes(size: Any) -> bool:
    return isinstance(size, torch.SymInt) and not free_unbacked_symbols(size)


def hook_rows() -> None:
    """Have what goes through the rows of a tensor ask first. Once a process."""
    unpack = TensorVariable.unpack_var_sequence

    def unpack_var_sequence(self: Any, tx: Any, idxes: Any = None) -> list[VariableTracker]:
        if has_changing_size(self):
            is_followed(tx)
        return unpack(self, tx, idxes)

    TensorVariable.unpack_var_sequence = unpack_var_sequence  # type: ignore[method-assign]
