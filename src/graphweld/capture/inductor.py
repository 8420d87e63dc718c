"""Inductor, kept from a fault of its own.

In code for a region inside a region, and for the body of a loop, Inductor (torch 2.13.0) lets the region write its
result over an argument that the program still needs, further out or on the next trip: gradients come out wrong,
silently. Without reuse in place the code is right; branches at one level keep it.
"""

from typing import Any

import torch
from torch.fx import GraphModule

from graphweld.capture.differentiable import loop


class Inductor:
    """`torch.compile`'s backend "inductor", with reuse in place turned off where regions nest or loop."""

    compiler_name = "inductor"

    def __init__(self, mode: str | None, options: dict[str, Any] | None, dynamic: bool | None) -> None:
        self.inner = torch._TorchCompileInductorWrapper(mode, options, dynamic)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inductor) and self.inner == other.inner

    def __hash__(self) -> int:
        return id(type(self))

    def __call__(self, module: GraphModule, example_inputs: list[Any]) -> Any:
        patches = {"inplace_buffers": False} if needs_care(module) else None
        return self.inner(module, example_inputs, config_patches=patches)


def needs_care(module: GraphModule) -> bool:
    """Whether a graph holds a loop, or a region inside a region."""
    return any(n.target is loop for n in module.graph.nodes) or any(_regions(inner) for inner in _regions(module))


def _regions(module: torch.nn.Module) -> list[GraphModule]:
    if not isinstance(module, GraphModule):
        return []
    return [
        getattr(module, str(arg.target))
        for node in module.graph.nodes
        if node.op == "call_function"
        for arg in node.all_input_nodes
        if arg.op == "get_attr" and isinstance(getattr(module, str(arg.target), None), GraphModule)
    ]
