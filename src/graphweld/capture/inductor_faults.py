"""Inductor, kept from faults of its own in graphs that hold a region.

In code for a region, Inductor (torch 2.13.0) lets the region write its result over an argument that the program still
needs, further out or on the next trip: gradients come out wrong, silently. Without reuse in place the code is right.
What a loop of no trips gives is what it began with, in the same memory, which Inductor takes for free behind the loop.
So where there is a loop, no memory is used twice.

The code of a branch reads its operands in the strides that the graph says; Inductor does not hold what computes them to
these, as it does for a loop's. Patched to do the same for both.

How a convolution or a product of matrices is best laid out, Inductor asks of the sizes. Where the data decides these,
it is given the numbers that it takes for examples elsewhere: the result is the same in any layout.

Where to write to a slice, or to put its gradient, Inductor asks whether a bound counts from the end. Where the data
decides the bound, so does the code. A write to a slice of such a slice, Inductor takes apart without noting which sizes
the parts are the first to have. Of a row or a slice at such a bound it asks again where it is, which the first trace
has known.

Where a region gets a tensor of `n - 2` rows and not `n` itself, its code has no name for `n`. And a size that has
turned out to be another's, Inductor cannot give a third name.

A float of Python's that the data decide is a double. Inductor's C++ code takes it for a float32.
"""

import contextlib
import functools
import sys
from typing import Any
from unittest import mock

import sympy  # type: ignore[import-untyped]
import torch
from sympy.logic.boolalg import BooleanFunction  # type: ignore[import-untyped]
from torch._higher_order_ops.while_loop import while_loop_op, while_loop_stack_output_op
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    ShapeEnv,
    compute_unbacked_bindings,
    free_unbacked_symbols,
)
from torch.utils._sympy.functions import Where

LOOPS = {while_loop_op, while_loop_stack_output_op}
REGIONS = {torch.ops.higher_order.cond, *LOOPS}


def keep_from_faults() -> None:
    """Mend this process's Inductor, for all that it compiles from now on."""
    reuse_nothing_in_place()
    lay_out_operands()
    lower_by_examples()
    count_from_either_end()
    place_parts()
    name_sizes()
    name_sizes_of_regions()
    pass_doubles()


def keep_backend_from_faults() -> None:
    """The same, if it may be Inductor that traces a region again. It is not loaded for that."""
    if "torch._inductor.compile_fx" in sys.modules:
        keep_from_faults()


@functools.cache
def reuse_nothing_in_place() -> None:
    """Have Inductor write over no argument, and nothing a loop began with, where there are regions. Once a process."""
    from torch._inductor import compile_fx, config

    compile_ = compile_fx._compile_fx_inner

    @functools.wraps(compile_)
    def compiled(gm: GraphModule, *args: Any, **kwargs: Any) -> Any:
        if not any(n.target in REGIONS for n in gm.graph.nodes):
            return compile_(gm, *args, **kwargs)
        with config.patch(inplace_buffers=False, allow_buffer_reuse=not _has_loop(gm)):
            return compile_(gm, *args, **kwargs)

    compile_fx._compile_fx_inner = compiled


def _has_loop(gm: GraphModule) -> bool:
    graphs = (module.graph for module in gm.modules() if isinstance(module, GraphModule))
    return any(node.target in LOOPS for graph in graphs for node in graph.nodes)


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
def count_from_either_end() -> None:
    """Have Inductor write to slices whose bounds the data decides. Once a process."""
    from torch._inductor.ir import View

    handle = View.handle_negative_index

    def handled(idx: Any, size: Any) -> Any:
        try:
            return handle(idx, size)
        except GuardOnDataDependentSymNode:
            return idx + Where(sympy.Lt(idx, 0), size, sympy.S.Zero)

    View.handle_negative_index = staticmethod(handled)  # type: ignore[method-assign]


@functools.cache
def place_parts() -> None:
    """Have Inductor take rows and slices from where the first trace has found them. Once a process."""
    from torch._inductor.lowering import as_strided, lowerings
    from torch._inductor.virtualized import V

    select, slice_ = lowerings[torch.ops.aten.select.int], lowerings[torch.ops.aten.slice.Tensor]

    def selected(x: Any, dim: int, idx: Any) -> Any:
        start = None if is_left_open(idx) else start_of(x, dim, idx)
        return select(x, dim, idx) if start is None else part_from(x, dim, start, 1)

    def sliced(x: Any, dim: int = 0, start: Any = 0, end: Any = None, step: int = 1, clamp: bool = True) -> Any:
        try:
            return slice_(x, dim, start, end, step, clamp)
        except AssertionError:
            found = None if is_left_open((start, end)) else start_of(x, dim, 0 if start is None else start)
            if found is None:
                raise
            return part_from(x, dim, found, step)

    def is_left_open(bounds: Any) -> bool:
        """Whether the trace has not known where it is, or it is no place that the data decides."""
        return bool(V.graph.current_node.meta.get("unbacked_bindings")) or not free_unbacked_symbols(bounds)

    def start_of(x: Any, dim: int, at: Any) -> Any:
        """Where the part begins, `at` or as far from the end, as the trace has found; None where it is neither."""
        node = V.graph.current_node
        part, whole = node.meta["val"], node.args[0].meta["val"]
        moved = _expr(part.storage_offset()) - _expr(whole.storage_offset())
        starts = (at, at + x.get_size()[dim])
        return next((n for n in starts if sympy.expand(moved - _expr(whole.stride(dim)) * n) == 0), None)

    def part_from(x: Any, dim: int, start: Any, step: int) -> Any:
        """The part, of the sizes that the trace has found."""
        sizes = [_expr(size) for size in V.graph.current_node.meta["val"].shape]
        x.realize()
        dim, strides = dim % len(x.get_size()), list(x.get_stride())
        offset = x.get_layout().offset + strides[dim] * start
        strides[dim : dim + 1] = [strides[dim] * step] if len(sizes) == len(strides) else []
        return as_strided(x, sizes, strides, offset, storage_offset_relative_to_input_storage=False)

    for op, lower in ((torch.ops.aten.select.int, selected), (torch.ops.aten.slice.Tensor, sliced)):
        lowerings[op] = lower


def _expr(number: Any) -> Any:
    return number.node.expr if isinstance(number, torch.SymInt) else sympy.Integer(number)


@functools.cache
def name_sizes() -> None:
    """Have Inductor note the sizes that a node it makes is the first to have. Once a process."""
    from torch._inductor.fx_passes import reinplace

    call = reinplace.graph_call_function

    def called(graph: Any, fn: Any, *args: Any, **kwargs: Any) -> Any:
        node = call(graph, fn, *args, **kwargs)
        fake = node.meta["val"]
        if isinstance(fake, FakeTensor):
            bindings = compute_unbacked_bindings(fake.fake_mode.shape_env, fake)
            node.meta.update({"unbacked_bindings": bindings} if bindings else {})
        return node

    reinplace.graph_call_function = called
    rename = ShapeEnv._rename_unbacked_to

    def renamed(self: Any, before: Any, now: Any) -> None:
        known = self.replacements.get(before)
        if known is None or not free_unbacked_symbols(known):
            rename(self, before, now)
        else:
            self._set_replacement(now, known, "rename_unbacked_to")

    ShapeEnv._rename_unbacked_to = renamed  # type: ignore[assignment,method-assign]


@functools.cache
def name_sizes_of_regions() -> None:
    """Have Inductor name the sizes that a region gets in a sum only. Once a process."""
    from torch._inductor.codegen.wrapper import PythonWrapperCodegen
    from torch._inductor.ir import TensorBox

    assign = PythonWrapperCodegen.codegen_input_symbol_assignment

    def assigned(self: Any, name: str, value: Any, bound: Any) -> None:
        assign(self, name, value, bound)
        for dim, size in enumerate(value.get_size() if isinstance(value, TensorBox) else ()):
            unknown = [symbol for symbol in size.free_symbols if symbol not in bound]
            if len(unknown) == 1 and (size - unknown[0]).is_Integer:
                self.prefix.writeline(f"{unknown[0]} = {name}.size()[{dim}] - ({size - unknown[0]})")
                bound.add(unknown[0])

    PythonWrapperCodegen.codegen_input_symbol_assignment = assigned  # type: ignore[assignment,method-assign]


@functools.cache
def pass_doubles() -> None:
    """Have Inductor's C++ code take floats of Python's in double precision. Once a process."""
    from torch._inductor.codecache import CppPythonBindingsCodeCache
    from torch._inductor.codegen.common import KernelArgs

    argdefs, template = KernelArgs.cpp_argdefs, CppPythonBindingsCodeCache.suffix_template

    def defined(self: Any, *args: Any, **kwargs: Any) -> Any:
        names, calls, types = argdefs(self, *args, **kwargs)
        names = [n.replace("const float ", "const double ") if n.startswith("const float ") else n for n in names]
        return names, calls, ["const double" if t == "const float" else t for t in types]

    start = "template <> inline float parse_arg<float>"
    reading = template[template.index(start) : template.index("{extra_parse_arg}")]
    CppPythonBindingsCodeCache.suffix_template = template.replace(reading, reading + reading.replace("float", "double"))
    KernelArgs.cpp_argdefs = defined  # type: ignore[method-assign]


@functools.cache
def lower_by_examples() -> None:
    """Have Inductor compile convolutions and matrix products of sizes that the data decides. Once a process."""
    from torch._inductor.graph import GraphLowering
    from torch._inductor.sizevars import SizeVarAllocator

    lower, hints = GraphLowering.call_function, SizeVarAllocator.guarding_hints_or_throw

    def any_hints(self: Any, sizes: Any) -> Any:
        try:
            return hints(self, sizes)
        except GuardOnDataDependentSymNode:
            return self.optimization_hints(sizes)

    def lowered(self: Any, target: Any, args: Any, kwargs: Any) -> Any:
        if target is torch.ops.aten.full.default and isinstance(args[1], BooleanFunction):
            args = (args[0], Where(args[1], sympy.S.One, sympy.S.Zero), *args[2:])  # it expands what it is given
        with contextlib.ExitStack() as stack:
            if target is torch.ops.aten.convolution.default:
                stack.enter_context(mock.patch.object(SizeVarAllocator, "guarding_hints_or_throw", any_hints))
            elif target is torch.ops.aten.bmm.default:
                for node in self.current_node.args:
                    if free_unbacked_symbols(node.meta["val"]):
                        stack.enter_context(mock.patch.dict(node.meta, val=_example(self, node.meta["val"])))
            return lower(self, target, args, kwargs)

    GraphLowering.call_function = lowered  # type: ignore[method-assign]


def _example(lowering: Any, like: torch.Tensor) -> torch.Tensor:
    """A tensor without data, of sizes that Inductor takes for examples."""
    numbers = [n.node.expr if isinstance(n, torch.SymInt) else n for n in (*like.shape, *like.stride())]
    known = lowering.sizevars.optimization_hints(numbers)
    return torch.empty_strided(known[: like.ndim], known[like.ndim :], dtype=like.dtype, device="meta")
