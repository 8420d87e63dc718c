"""Between the captured graph and its backend: what a graph needs before it is compiled, and a call of it afterwards."""

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.output_graph import OutputGraph
from torch.fx import GraphModule

from graphweld.capture import sites
from graphweld.capture.raises import is_marked
from graphweld.capture.saved_operands import copy_changed


def hook_compiled() -> None:
    """Have operands copied that change later; a graph that may end in a raise leaves no trace where it does."""
    call_user_compiler = OutputGraph.call_user_compiler

    def compiled(self: OutputGraph, gm: GraphModule, example_inputs: list[Any]) -> Any:
        copy_changed(gm)
        trace = sites.trace_of(self.root_tx)
        if trace is not None and trace.show is not None:
            trace.show(gm)
        fn = call_user_compiler(self, gm, example_inputs)
        if not getattr(self, "gw_raises", False):
            return fn
        inputs = [node for node in gm.graph.nodes if node.op == "placeholder"]
        return undone(fn, [i for i, node in enumerate(inputs) if "gw_put_back" in node.meta])

    OutputGraph.call_user_compiler = compiled  # type: ignore[method-assign]


def undone(fn: Callable[..., Any], changed: list[int]) -> Callable[..., Any]:
    """`fn`, which draws nothing and changes none of its arguments `changed` if it raises for the program."""

    def call(*args: Any) -> Any:
        drawn = torch.get_rng_state()
        before = [(args[i], args[i].detach().clone()) for i in changed]
        try:
            return fn(*args)
        except RuntimeError as error:
            if is_marked(error):
                torch.set_rng_state(drawn)
                with torch.no_grad():
                    for tensor, value in before:
                        tensor.copy_(value)
            raise

    return call
