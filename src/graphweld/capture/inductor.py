"""Inductor, kept from a fault of its own.

In code for a region inside a region, Inductor (torch 2.13.0) lets the inner one write its result over an argument that
the program still needs further out: gradients come out wrong, silently. The arguments of the outer region count as its
own to reuse. Without reuse in place the code is right; regions at one level keep it.
"""

from typing import Any

import torch
from torch._ops import HigherOrderOperator
from torch.fx import GraphModule


class Inductor:
    """`torch.compile`'s backend "inductor", with reuse in place turned off where regions nest."""

    compiler_name = "inductor"

    def __init__(self, mode: str | None, options: dict[str, Any] | None, dynamic: bool | None) -> None:
        self.inner = torch._TorchCompileInductorWrapper(mode, options, dynamic)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inductor) and self.inner == other.inner

    def __hash__(self) -> int:
        return id(type(self))

    def __call__(self, module: GraphModule, example_inputs: list[Any]) -> Any:
        patches = {"inplace_buffers": False} if has_nested_regions(module) else None
        return self.inner(module, example_inputs, config_patches=patches)


def has_nested_regions(module: GraphModule) -> bool:
    """Whether a graph holds a region that holds a region."""
    return any(_regions(inner) for inner in _regions(module))


def _regions(module: torch.nn.Module) -> list[GraphModule]:
    if not isinstance(module, GraphModule):
        return []
    return [
        getattr(module, str(arg.target))
        for node in module.graph.nodes
        if isinstance(node.target, HigherOrderOperator)
        for arg in node.all_input_nodes
        if arg.op == "get_attr" and isinstance(getattr(module, str(arg.target), None), GraphModule)
    ]
