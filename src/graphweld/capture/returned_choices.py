"""Results that are of another kind on each path, among what a program returns that becomes an ONNX model.

    return None if p else x             choice([p], [x], [0, null, 0]): in the model, an optional tensor
    return "up" if p else "down"        choice([p], [], [0, "up", "down"]): a tensor of text
    return "done"                       choice([], [], "done")
    return x[0] if p else x             tensors of several ranks: an optional tensor, which may be of any, and is there

An ExportedProgram has no result for them, and they are refused (GW140). ONNX has optional values and text, and an If
gives either: for it, such a result is the one result of an operator of our own.
"""

import json
from collections.abc import Sequence
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import TupleVariable

from graphweld.capture.data_numbers import NUMBER_DTYPES
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, call, constant, example, is_number, is_tensor

# A value's position among `values`, None, a text; or which predicate decides between two of these.
Tree = Any


@torch.library.custom_op("graphweld::choice", mutates_args=())
def choice(preds: Sequence[torch.Tensor], values: Sequence[torch.Tensor], tree: str, kind: str) -> torch.Tensor:
    """One of several values; `kind` is what those that are not None are in Python."""
    return preds[0].clone() if preds else torch.ones((), dtype=torch.bool)


@choice.register_fake
def _(preds: Sequence[torch.Tensor], values: Sequence[torch.Tensor], tree: str, kind: str) -> torch.Tensor:
    return torch.empty_like(preds[0]) if preds else torch.ones((), dtype=torch.bool)


CHOICE = torch.ops.graphweld.choice.default


def can_choose(tx: Tx, vt: VariableTracker) -> bool:
    """Whether it is text, or all alternatives that are not None are of one kind that an optional of ONNX has."""
    trace = trace_of(tx)
    return (
        trace is not None and trace.gives_lists and bool(_is_text(vt) or (isinstance(vt, MergeVariable) and _kind(vt)))
    )


def chosen(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """It as one result of the program."""
    preds: list[VariableTracker] = []
    values: list[VariableTracker] = []

    def branch(side: VariableTracker) -> Tree:
        if isinstance(side, MergeVariable) and side.joined is None:
            preds.append(side.pred)
            return [len(preds) - 1, branch(side.then), branch(side.orelse)]
        if isinstance(side, MergeVariable):
            side = side.tensor(tx)
        if isinstance(side, ConstantVariable) and (side.value is None or _is_text(side)):
            return side.value
        if is_number(side):
            side = call(tx, torch.full, (), side, dtype=NUMBER_DTYPES[side.python_type()])
        values.append(side)
        return len(values) - 1

    tree = json.dumps(branch(vt))
    return call(tx, CHOICE, TupleVariable(preds), TupleVariable(values), constant(tree), constant(_kind(vt)))


def _is_text(vt: VariableTracker) -> bool:
    return isinstance(vt, ConstantVariable) and isinstance(vt.value, str)


def _kind(vt: VariableTracker) -> str:
    """What the alternatives that are not None are, "" where they are of several kinds."""
    found = set()
    for side in vt.alternatives() if isinstance(vt, MergeVariable) else [vt]:
        if is_tensor(side):
            found.add(("tensor", example(side).dtype, example(side).device))
        elif is_number(side) or _is_text(side):
            found.add((side.python_type().__name__, None, None))
        elif not (isinstance(side, ConstantVariable) and side.value is None):
            return ""
    return found.pop()[0] if len(found) == 1 else ""
