"""A region that itself asks autograd for gradients, where a backend traces the graph again.

    while err > tol:
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            g, = torch.autograd.grad(f(y), y)
        x = x - g

Torch's operators trace their regions below autograd, which then knows of no gradients: it raises, or with
`allow_unused=True` says that there are none. Such a region is traced by itself first, with autograd, to one that
computes its gradients.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch._higher_order_ops.utils import materialize_as_graph
from torch.fx import GraphModule


class Keys:
    """The dispatch state of the forward trace, in which backward graphs must be traced."""

    def __init__(self) -> None:
        self.include = torch._C._dispatch_tls_local_include_set()
        self.exclude = torch._C._dispatch_tls_local_exclude_set()

    def trace(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> GraphModule:
        return materialize_as_graph(fn, args, self.include, self.exclude, force_enable_grad=True)


def asks(region: GraphModule) -> bool:
    """Whether a region, or one further in, calls `torch.autograd.grad`."""
    nodes = region.graph.nodes
    inner = (getattr(region, str(n.target), None) for n in nodes if n.op == "get_attr")
    return any(n.target is torch.autograd.grad for n in nodes) or any(
        isinstance(m, GraphModule) and asks(m) for m in inner
    )


def computed(run: Callable[..., Any], region: GraphModule, args: tuple[Any, ...]) -> Callable[..., Any]:
    """`run`, which runs the region, with the gradients that the region asks for computed by operators."""
    if not asks(region):
        return run
    leaves = [n.meta["example_value"] for n in region.graph.find_nodes(op="placeholder")]
    recorded = torch.is_grad_enabled()

    def with_autograd(*args: Any) -> Any:
        given = zip(args, leaves, strict=True)
        own = [a.detach().requires_grad_() if getattr(leaf, "requires_grad", False) else a for a, leaf in given]
        with torch.set_grad_enabled(recorded):
            return run(*own)

    return Keys().trace(with_autograd, args)
