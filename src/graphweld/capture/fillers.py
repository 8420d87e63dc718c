"""Tensors that nobody reads: what one side of a branch hands out for a value of the other."""

from typing import Any

import torch
from torch._dynamo.output_graph import SubgraphTracer
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.lists import TupleVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._prims_common import make_contiguous_strides_for

from graphweld.capture.variables import Tx, call, constant


def filler(tx: Tx, fake: torch.Tensor) -> VariableTracker:
    """A tensor like another, which nobody reads."""
    sizes, strides = tuple(fake.shape), tuple(fake.stride())
    if is_static(fake):
        if strides == make_contiguous_strides_for(sizes):
            return call(tx, torch.zeros, sizes, dtype=fake.dtype, device=fake.device)
        return call(tx, torch.empty_strided, sizes, strides, dtype=fake.dtype, device=fake.device)
    found = [(find_symbol(tx, n) or constant(0)) if isinstance(n, torch.SymInt) else constant(n) for n in sizes]
    return call(tx, torch.zeros, TupleVariable(found), dtype=fake.dtype, device=fake.device)


def is_static(fake: torch.Tensor) -> bool:
    """Whether sizes and strides are plain numbers."""
    return all(isinstance(n, int) for n in (*fake.shape, *fake.stride()))


def find_symbol(tx: Tx, size: torch.SymInt) -> VariableTracker | None:
    """The variable of a dynamic size that the graph already binds."""
    for tracer in reversed(tx.output.tracers):
        proxy = tracer.bound_symbols.get(size.node.expr)
        if proxy is not None:
            proxy = proxy() if not hasattr(proxy, "node") else proxy
            return SymNodeVariable(proxy, size)
    return None


def hook_symbols() -> None:
    """Have torch make the node of a size that a region reads, where it has put that off. Once a process."""
    lift = SubgraphTracer.lift_tracked_freevar_to_input

    def lift_tracked_freevar_to_input(self: SubgraphTracer, proxy: Any) -> Any:
        found = lift(self, proxy)
        if not hasattr(found, "node"):  # torch 2.13 hands out the promise of one
            found = self.bound_symbols[proxy.node.meta["example_value"].node.expr] = found()
        return found

    SubgraphTracer.lift_tracked_freevar_to_input = lift_tracked_freevar_to_input  # type: ignore[method-assign]
