"""What an ONNX model gives back: the results, as tensors, and behind them each argument that the program changes.

    def f(x, y):                    inputs   x, y
        x.add_(y)                   outputs  total, x_after
        total = x.sum()
        return total

A model changes nothing that it is given; of buffers, `onnx_state` tells. A result that is a Python number is a 0-d
tensor, and its metadata says so. A list of which the data decides the length is a sequence.
"""

from typing import Any

import torch
from torch.export.graph_signature import (
    ConstantArgument,
    OutputKind,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)

from graphweld.capture.returned_choices import CHOICE

NUMBER = "graphweld.number"  # in the metadata of an output: which type of Python's it has been
NUMBERS = ("bool", "int", "float")
DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64}
SYMBOLIC: dict[type, type] = {SymBoolArgument: bool, SymIntArgument: int, SymFloatArgument: float}


def numbers_as_tensors(program: torch.export.ExportedProgram) -> list[str]:
    """Have numbers among the results be tensors. Returns each result's type as a number, "" of tensors."""
    end = program.graph.output_node()
    results: list[Any] = list(end.args[0])
    kinds = []
    for k, spec in enumerate(program.graph_signature.output_specs):
        if spec.kind is not OutputKind.USER_OUTPUT:
            continue
        kind = type(spec.arg.value) if isinstance(spec.arg, ConstantArgument) else SYMBOLIC.get(type(spec.arg))
        if kind in DTYPES:
            with program.graph.inserting_before(end):
                results[k] = program.graph.call_function(
                    torch.ops.aten.full.default, ([], results[k]), {"dtype": DTYPES[kind]}
                )
            spec.arg = TensorArgument(results[k].name)
            kinds.append(kind.__name__)
        elif not isinstance(spec.arg, ConstantArgument):
            is_one = getattr(results[k], "target", None) in (torch.ops.graphweld.as_list.default, CHOICE)
            item = str(results[k].args[-1]) if is_one else "tensor"
            kinds.append(item if item in NUMBERS else "")
    end.args = (tuple(results),)
    program.graph_module.recompile()
    return kinds
