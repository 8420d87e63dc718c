"""Inductor as graphweld calls it: its main program in C++ where a loop runs, floats of 16 bits rounded as in Python."""

from typing import Any

import torch
from torch.fx import GraphModule

from graphweld.capture.differentiable import branch, loop, select
from graphweld.capture.inductor_faults import keep_from_faults
from graphweld.capture.selects import is_select

ROUNDED = (torch.float16, torch.bfloat16)


class Inductor:
    """`torch.compile`'s backend "inductor", with settings that a program's branches and loops ask for."""

    compiler_name = "inductor"

    def __init__(self, mode: str | None, options: dict[str, Any] | None, dynamic: bool | None) -> None:
        self.inner = torch._TorchCompileInductorWrapper(mode, options, dynamic)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inductor) and self.inner == other.inner

    def __hash__(self) -> int:
        return id(type(self))

    def __call__(self, module: GraphModule, example_inputs: list[Any]) -> Any:
        keep_from_faults()
        patches = {}
        if "emulate_precision_casts" not in self.inner.config and tests_rounded_values(module):
            patches["emulate_precision_casts"] = True
        if "cpp_wrapper" not in self.inner.config and runs_loops_only(module):
            try:
                return self.inner(module, example_inputs, config_patches={"cpp_wrapper": True, **patches})
            except NotImplementedError:
                pass  # an operator that Inductor's C++ does not know yet
        return self.inner(module, example_inputs, config_patches=patches or None)


def runs_loops_only(module: GraphModule) -> bool:
    """Whether the trips of a loop are worth a main program in C++: it calls the kernels in less than half the time.

    Inductor has no C++ for loops that stack what each trip leaves, as they do where a gradient flows or a list grows.
    """
    loops = [n for n in module.graph.nodes if n.target is loop]
    values = [n.meta.get("example_value") for n in module.graph.nodes if n.op == "placeholder"]
    grads = torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)
    return bool(loops) and not grads and all(len(n.args) == 3 for n in loops)


def tests_rounded_values(module: GraphModule) -> bool:
    """Whether a graph with branches or loops has floats of 16 bits.

    Inductor computes several operations on these in 32 bits, where `h * 2` does not overflow: a test that asks would
    say otherwise than in plain Python, which rounds after each.
    """
    graphs = [m.graph for m in module.modules() if isinstance(m, GraphModule)]
    nodes = [node for graph in graphs for node in graph.nodes]
    is_welded = any(n.target in (branch, loop, select) or is_select(n) for n in nodes)
    return is_welded and any(getattr(n.meta.get("example_value"), "dtype", None) in ROUNDED for n in nodes)
