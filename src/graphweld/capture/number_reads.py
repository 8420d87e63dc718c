"""Where a Python number comes out of a tensor: `.item()`, and floats that Dynamo makes inputs of."""

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.exc import raise_observed_exception
from torch._dynamo.source import FloatTensorSource
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import VariableBuilder
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture import sites
from graphweld.capture.data_numbers import note_item
from graphweld.capture.predicates import as_bool, predicate
from graphweld.capture.variables import example, in_outermost_graph


def read_once(tensor: TensorVariable, tx: Any, read: Callable[[], VariableTracker]) -> VariableTracker:
    """One `.item()` node for all reads of a tensor in a graph, as AOTAutograd has one symbol for them."""
    tracer = tx.output.current_tracer
    if not hasattr(tracer, "gw_items"):
        tracer.gw_items = {}
    made = tracer.gw_items
    key = (tensor.proxy.node, example(tensor)._version)
    if key not in made:
        made[key] = read()
        if isinstance(made[key], SymNodeVariable):
            note_item(made[key].as_proxy())
    return made[key]  # type: ignore[no-any-return]


def hook_numbers() -> None:
    """Both of the below. Once a process."""
    hook_items()
    hook_floats()


def hook_items() -> None:
    """`.item()` of a 0-d input is a number of the data like any other.

    Dynamo gives such an input's number a hint and would guard on it: one graph for each value.
    """
    method_item = TensorVariable.method_item

    def item(self: TensorVariable, tx: Any, *args: Any, **kwargs: Any) -> Any:
        fake = self.proxy.node.meta.get("example_value")
        count = fake.numel() if fake is not None else 1
        if isinstance(count, int) and count != 1 and sites.trace_of(tx) is not None:
            message = f"a Tensor with {count} elements cannot be converted to Scalar"
            raise_observed_exception(RuntimeError, tx, args=[message])
        memo = getattr(fake, "item_memo", None)
        if memo is not None and sites.trace_of(tx) is not None and not free_unbacked_symbols(memo):
            if not isinstance(self.source, FloatTensorSource):
                fake.item_memo = None
        if getattr(fake, "dtype", None) is torch.bool and sites.trace_of(tx) is not None:
            return as_bool(predicate(tx, self))
        return method_item(self, tx, *args, **kwargs)

    TensorVariable.method_item = item  # type: ignore[method-assign]


def hook_floats() -> None:
    """A Python float that changed between calls becomes an input, read by an `.item()` wherever it is met first.

    Dynamo keeps that number for the rest of the trace, so the read belongs to the outermost graph, not to a region.
    """
    wrap_symfloat = VariableBuilder.wrap_symfloat

    def wrap(self: VariableBuilder, value: float) -> VariableTracker:
        if sites.trace_of(self.tx) is None:
            return wrap_symfloat(self, value)
        with in_outermost_graph(self.tx):
            return wrap_symfloat(self, value)

    VariableBuilder.wrap_symfloat = wrap  # type: ignore[method-assign]
