"""Inductor, kept from a fault of its own.

In code for a region, Inductor (torch 2.13.0) lets the region write its result over an argument that the program still
needs, further out or on the next trip: gradients come out wrong, silently. Without reuse in place the code is right.
"""

from typing import Any

import torch
from torch.fx import GraphModule

from graphweld.capture.differentiable import branch, loop


class Inductor:
    """`torch.compile`'s backend "inductor", with reuse in place turned off where there are regions."""

    compiler_name = "inductor"

    def __init__(self, mode: str | None, options: dict[str, Any] | None, dynamic: bool | None) -> None:
        self.inner = torch._TorchCompileInductorWrapper(mode, options, dynamic)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inductor) and self.inner == other.inner

    def __hash__(self) -> int:
        return id(type(self))

    def __call__(self, module: GraphModule, example_inputs: list[Any]) -> Any:
        patches = {"inplace_buffers": False} if has_regions(module) else None
        return self.inner(module, example_inputs, config_patches=patches)


def has_regions(module: GraphModule) -> bool:
    """Whether a graph holds a branch or a loop that became a node."""
    return any(n.target in (branch, loop) for n in module.graph.nodes)
