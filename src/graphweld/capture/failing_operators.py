"""Operators that raise for the values of a tensor, inside a `try` that may catch it, in an export.

What is compiled ends there, and runs on as plain Python (`capture.raises`). An exported program has none to run.
"""

from typing import Any

import torch

from graphweld.capture.raises import inside_try
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import Tx
from graphweld.diagnostics import rules

FAILING = {
    *(torch.cholesky, torch.inverse, torch.multinomial, torch.nn.functional.one_hot),
    *(torch.linalg.cholesky, torch.linalg.inv, torch.linalg.solve, torch.linalg.tensorinv, torch.linalg.tensorsolve),
}


def refuse_in_export(tx: Tx, fn: Any) -> None:
    """Refuse a call of such an operator."""
    if tx.output.export and fn in FAILING and inside_try(tx):
        refuse(tx, rules.RegionRaises("RuntimeError", "inside a `try`, in an export"))
