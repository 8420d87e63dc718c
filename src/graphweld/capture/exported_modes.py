"""`torch.no_grad()` around branches and loops, in an exported program.

    with torch.no_grad():                  wrap_with_set_grad_enabled(False, submod, p, w, x)
        if p: w.sub_(x)            ->          set_grad_enabled(False); cond(p, ...); copy_(w, ...)

torch.export (2.13) cuts a graph where the mode changes, and knows a piece by what it does first. In a piece with a
region that is to get the region's graph, so that the mode was lost: gradients flowed, and a changed parameter raised.
"""

from typing import Any

import torch
import torch._export.passes.replace_set_grad_with_hop_pass as modes
from torch.fx import Node


def hook_modes() -> None:
    """Have a piece of a graph change the mode first."""
    plain = modes._is_set_grad_enabled_sub_mod

    def changes_mode(node: Node, *args: Any, **kwargs: Any) -> Any:
        if node.op == "call_module":
            piece = node.graph.owning_module.get_submodule(str(node.target))  # type: ignore[union-attr]
            graph: Any = piece.graph
            first = next(inner for inner in graph.nodes if inner.op != "placeholder")
            for change in graph.find_nodes(op="call_function", target=torch._C._set_grad_enabled):
                if change is not first:
                    first.prepend(change)
        return plain(node, *args, **kwargs)

    modes._is_set_grad_enabled_sub_mod = changes_mode
