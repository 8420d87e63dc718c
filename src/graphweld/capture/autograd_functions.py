"""A `torch.autograd.Function` as torch does not take it: numbers of the data in it, one tensor given twice.

    def forward(ctx, x):
        n = int(x.sum())              a symbol of the forward's own
        return x[:n].mean()

Torch traces forward and backward once each, then calls both as one node to see what comes out, which makes every number
of the forward a second time. Those that no result shows have nothing that binds them; they are of no use and forgotten.
"""

from typing import Any

from torch._dynamo.variables import higher_order_ops
from torch._dynamo.variables.higher_order_ops import AutogradFunctionApplyVariable
from torch._functorch.autograd_function import autograd_function_apply
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.utils import _pytree as pytree

from graphweld.capture.sites import trace_of
from graphweld.capture.variables import is_tensor, method


def hook_autograd_functions() -> None:
    """Forget the numbers that only the second look at a forward made; name a second use anew. Once a process.

    `Function.apply(x, x)` is `Function.apply(x, x.view_as(x))`: autograd adds up what flows to both.
    """
    add, apply = higher_order_ops.add_call_function, AutogradFunctionApplyVariable.call_function

    def add_call_function(tx: Any, fn: Any, args: Any, kwargs: Any, flat_example_value: Any, *more: Any) -> Any:
        if fn is autograd_function_apply and trace_of(tx) is not None:
            shapes = tx.output.shape_env
            shown = {s for leaf in pytree.tree_leaves(flat_example_value) for s in free_unbacked_symbols(leaf)}
            shapes.pending_fresh_unbacked_symbols[:] = [s for s in shapes.pending_fresh_unbacked_symbols if s in shown]
        return add(tx, fn, args, kwargs, flat_example_value, *more)

    def call_function(self: AutogradFunctionApplyVariable, tx: Any, args: Any, kwargs: Any) -> Any:
        given, seen = list(args), set()
        for k, arg in enumerate(given if trace_of(tx) is not None else ()):
            if is_tensor(arg := arg.realize()):
                node = arg.as_proxy().node
                given[k] = method(tx, arg, "view_as", arg) if node in seen else arg
                seen.add(node)
        return apply(self, tx, given, kwargs)

    AutogradFunctionApplyVariable.call_function = call_function  # type: ignore[method-assign]
    higher_order_ops.add_call_function = add_call_function  # type: ignore[assignment]
