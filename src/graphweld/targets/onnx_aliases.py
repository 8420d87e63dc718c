"""Operators under second names, which NumPy's functions call: by their first ones, for torch's ONNX exporter.

greater(x, zero)        ->        gt(x, zero)

The exporter (torch 2.13) has translations of both, and only those of the first take operands of two types for one.
"""

import torch
from torch.fx import GraphModule

FIRST = {
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "subtract": "sub",
    "absolute": "abs",
    "negative": "neg",
}


def by_first_names(program: torch.export.ExportedProgram) -> None:
    """Exchange them, in place."""
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, GraphModule) else ():
            packet, _, overload = str(node.target).removeprefix("aten.").partition(".")
            if str(node.target).startswith("aten.") and packet in FIRST:
                node.target = getattr(getattr(torch.ops.aten, FIRST[packet]), overload)
        if isinstance(module, GraphModule):
            module.recompile()
