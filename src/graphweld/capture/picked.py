"""Results of the graph of which a program returns one or another: picked outside, and which, is noted for gradients.

    return x.sqrt() if p else x * 2       ->      p, root, twice = graph(x); return pick(p, root, twice)

To a backend both are results of the graph. No gradient comes to the one that is not picked.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch._dynamo.codegen import PyCodegen
from torch._dynamo.variables.base import VariableTracker
from torch.fx import Node

from graphweld.capture.sites import trace_of
from graphweld.capture.variables import is_tensor, node_of, proxies_in

Pick = frozenset[tuple[Node, bool]]  # predicates, and what each has to be


def hook_codegen() -> None:
    """Have the code around a graph note where each of the graph's results is used."""
    generate = PyCodegen.__call__

    def generated(self: Any, value: Any, allow_cache: bool = True) -> None:
        if isinstance(value, VariableTracker) and trace_of(self.tx) is not None:
            if is_tensor(value):
                _note(self.tx.output, node_of(value))
            elif allow_cache and (self.top_of_stack is value or self.tempvars.get(value) is not None):
                for proxy in proxies_in(value):  # made before, perhaps where not all of it was picked
                    _note(self.tx.output, proxy.node)
        generate(self, value, allow_cache)

    PyCodegen.__call__ = generated  # type: ignore[method-assign]


@contextmanager
def picking(output: Any, pred: VariableTracker, holds: bool) -> Iterator[None]:
    """The code that is generated meanwhile is for a value that is picked if a predicate holds."""
    before = _now(output)
    output.gw_picking = before | ({(node_of(pred), holds)} if is_tensor(pred) else frozenset())
    try:
        yield
    finally:
        output.gw_picking = before


def picks(output: Any) -> dict[Node, set[Pick]]:
    """For results of a graph, what has to hold for one of their uses."""
    found: dict[Node, set[Pick]] = vars(output).setdefault("gw_picks", {})
    return found


def _note(output: Any, node: Node) -> None:
    picks(output).setdefault(node, set()).add(_now(output))


def _now(output: Any) -> Pick:
    return getattr(output, "gw_picking", frozenset())
