"""Lists whose length the data decides, among what an exported program returns.

    out = []
    for row in x[: int(n)]:            rows, the rows of the stacked items
        out.append(row * 2)            as_list(rows), which an ONNX model gives as a sequence
    return out

An ExportedProgram has no result for them, and they are refused (GW112). An ONNX model has sequences: for it, a list is
the one result of an operator of our own, which is nothing but its rows, and in the model the sequence of them.
"""

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.lists import ListVariable

from graphweld.capture import carries
from graphweld.capture.grown_lists import GrownList, give_up, one_or_other
from graphweld.capture.list_rows import as_stacked
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.ragged import Rows
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, call, constant


@torch.library.custom_op("graphweld::as_list", mutates_args=())
def as_list(rows: torch.Tensor, item: str) -> torch.Tensor:
    """The rows of a tensor as a list; `item` is what each is in Python: int, for example."""
    return rows.clone()


@torch.library.custom_op("graphweld::as_ragged_list", mutates_args=())
def as_ragged_list(rows: torch.Tensor, counts: torch.Tensor, dim: int) -> torch.Tensor:
    """The same of rows of which so much is in use along `dim` of each."""
    return rows.clone()


@as_list.register_fake
def _(rows: torch.Tensor, item: str) -> torch.Tensor:
    return torch.empty_like(rows)


@as_ragged_list.register_fake
def _(rows: torch.Tensor, counts: torch.Tensor, dim: int) -> torch.Tensor:
    return torch.empty_like(rows)


LISTS = {torch.ops.graphweld.as_list.default, torch.ops.graphweld.as_ragged_list.default}


def list_of(tx: Tx, vt: VariableTracker) -> GrownList | None:
    """The list of unknown length that a result is, or one of several lengths where that can be a result."""
    if isinstance(vt, GrownList):
        return vt
    if not isinstance(vt, MergeVariable) or vt.joined is not None or not _gives_lists(tx):
        return None
    sides = vt.alternatives()
    if not all(isinstance(side, (ListVariable, GrownList)) and side.python_type() is list for side in sides):
        return None
    if len({len(side.items) for side in sides}) == 1:  # type: ignore[attr-defined]
        return None
    found = one_or_other(vt)
    return found if isinstance(found, GrownList) else None


def _gives_lists(tx: Tx) -> bool:
    trace = trace_of(tx)
    return trace is not None and trace.gives_lists


def as_result(tx: Tx, vt: GrownList) -> VariableTracker:
    """A list as one result of the program."""
    if not _gives_lists(tx):
        give_up(tx, "it is returned from an exported program")
    if vt.kind is not list:
        give_up(tx, f"it is returned as a {vt.kind.__name__}")
    stacked = as_stacked(tx, vt.items, use="it is returned")
    element = stacked.element
    if isinstance(element, Rows):
        rows, counts = stacked.stacks
        return call(tx, torch.ops.graphweld.as_ragged_list.default, rows, counts, constant(element.dim))
    if not isinstance(element, carries.Tensor | carries.Number):
        give_up(tx, f"it is returned, and an item is {carries.describe(element)}")
    item = element.kind.__name__ if isinstance(element, carries.Number) else "tensor"
    return call(tx, torch.ops.graphweld.as_list.default, *stacked.stacks, constant(item))
