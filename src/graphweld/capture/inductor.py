"""Inductor, kept from faults of its own, and with its main program in C++ where a loop runs.

In code for a region, Inductor (torch 2.13.0) lets the region write its result over an argument that the program still
needs, further out or on the next trip: gradients come out wrong, silently. Without reuse in place the code is right.

The code of a branch reads its operands in the strides that the graph says; Inductor does not hold what computes them to
these, as it does for a loop's. Patched to do the same for both.

The order of a convolution's strides follows from its shape, whatever the sizes are. Inductor asks for numbers of sizes
that the data decides; it is given those that it takes for examples elsewhere.
"""

import functools
from typing import Any
from unittest import mock

import torch
from torch.fx import GraphModule
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

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
        if not has_regions(module):
            return self.inner(module, example_inputs)
        lay_out_operands()
        lower_convolutions()
        patches = {"inplace_buffers": False}
        if "cpp_wrapper" not in self.inner.config and runs_loops_only(module):
            try:
                return self.inner(module, example_inputs, config_patches={**patches, "cpp_wrapper": True})
            except NotImplementedError:
                pass  # an operator that Inductor's C++ does not know yet
        return self.inner(module, example_inputs, config_patches=patches)


def has_regions(module: GraphModule) -> bool:
    """Whether a graph holds a branch or a loop that became a node."""
    return any(n.target in (branch, loop) for n in module.graph.nodes)


def runs_loops_only(module: GraphModule) -> bool:
    """Whether the trips of a loop are worth a main program in C++: it calls the kernels in less than half the time.

    Inductor has no C++ for loops that stack what each trip leaves, as they do where a gradient flows or a list grows.
    """
    loops = [n for n in module.graph.nodes if n.target is loop]
    values = [n.meta.get("example_value") for n in module.graph.nodes if n.op == "placeholder"]
    grads = torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)
    return bool(loops) and not grads and all(len(n.args) == 3 for n in loops)


@functools.cache
def lay_out_operands() -> None:
    """Have Inductor give a branch its operands in the strides that its code reads. Once a process."""
    from torch._inductor.ir import Conditional, ExternKernel, WhileLoop
    from torch._inductor.virtualized import V

    create = Conditional.create.__func__  # type: ignore[attr-defined]

    def laid_out(cls: Any, predicate: Any, true_fn: Any, false_fn: Any, operands: list[Any]) -> Any:
        fakes = [getattr(n, "meta", {}).get("val") for n in V.graph.current_node.args[-1]]
        exact = [
            ExternKernel.require_exact_strides(
                WhileLoop._maybe_wrap_as_tensor_box(cls.realize_input(x)), fake.stride(), allow_padding=False
            )
            if isinstance(fake, torch.Tensor)
            else x
            for x, fake in zip(operands, fakes, strict=True)
        ]
        return create(cls, predicate, true_fn, false_fn, exact)

    Conditional.create = classmethod(laid_out)  # type: ignore[assignment,method-assign]


@functools.cache
def lower_convolutions() -> None:
    """Have Inductor compile convolutions of sizes that the data decides. Once a process."""
    from torch._inductor.graph import GraphLowering
    from torch._inductor.sizevars import SizeVarAllocator

    lower, hints = GraphLowering.call_function, SizeVarAllocator.guarding_hints_or_throw

    def any_hints(self: Any, sizes: Any) -> Any:
        try:
            return hints(self, sizes)
        except GuardOnDataDependentSymNode:
            return self.optimization_hints(sizes)

    def lowered(self: Any, target: Any, args: Any, kwargs: Any) -> Any:
        is_convolution = target is torch.ops.aten.convolution.default
        with mock.patch.object(SizeVarAllocator, "guarding_hints_or_throw", any_hints if is_convolution else hints):
            return lower(self, target, args, kwargs)

    GraphLowering.call_function = lowered  # type: ignore[method-assign]
