"""Inductor as graphweld calls it where it may choose: with its main program in C++ where a loop runs."""

from typing import Any

import torch
from torch.fx import GraphModule

from graphweld.capture.differentiable import loop
from graphweld.capture.inductor_faults import keep_from_faults


class Inductor:
    """`torch.compile`'s backend "inductor", with its main program in C++ where that pays."""

    compiler_name = "inductor"

    def __init__(self, mode: str | None, options: dict[str, Any] | None, dynamic: bool | None) -> None:
        self.inner = torch._TorchCompileInductorWrapper(mode, options, dynamic)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inductor) and self.inner == other.inner

    def __hash__(self) -> int:
        return id(type(self))

    def __call__(self, module: GraphModule, example_inputs: list[Any]) -> Any:
        keep_from_faults()
        if "cpp_wrapper" not in self.inner.config and runs_loops_only(module):
            try:
                return self.inner(module, example_inputs, config_patches={"cpp_wrapper": True})
            except NotImplementedError:
                pass  # an operator that Inductor's C++ does not know yet
        return self.inner(module, example_inputs)


def runs_loops_only(module: GraphModule) -> bool:
    """Whether the trips of a loop are worth a main program in C++: it calls the kernels in less than half the time.

    Inductor has no C++ for loops that stack what each trip leaves, as they do where a gradient flows or a list grows.
    """
    loops = [n for n in module.graph.nodes if n.target is loop]
    values = [n.meta.get("example_value") for n in module.graph.nodes if n.op == "placeholder"]
    grads = torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)
    return bool(loops) and not grads and all(len(n.args) == 3 for n in loops)
