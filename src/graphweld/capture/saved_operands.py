"""Operands that the program changes in place behind a branch or loop: copied, where the backward needs them.

    y = x * 1                            y = x * 1
    if p: z = y * y            ->        z, = branch(p, ..., (y.clone(),))
    y.add_(1)                            y.add_(1)

The backward of a branch computes its sides again, from what entered them. Autograd raises where a value that it saved
has been changed since; graphs that AOTAutograd traces again would take the changed value instead.
"""

import torch
from torch.fx import GraphModule, Node

from graphweld.capture.differentiable import branch, loop
from graphweld.capture.regions import is_impure


def note_versions(node: Node) -> None:
    """Remember, at a new branch or loop, how often its operands have been changed. Nothing where it has no backward."""
    recorded = torch.is_grad_enabled()
    node.meta["gw_versions"] = [_version(operand) if recorded else None for operand in node.all_input_nodes]


def copy_changed(module: GraphModule) -> None:
    """Copy the operands of branches and loops that are changed later and that gradients flow to.

    A loop with checkpoints takes its trips again from all of its operands, on a backend that runs the graph as well.
    """
    _copy_changed(module, is_outermost=True)


def _copy_changed(module: GraphModule, is_outermost: bool) -> None:
    graph, copies = module.graph, 0
    changes = [n for n in graph.nodes if n.target not in (branch, loop) and is_impure(n)]
    for node in list(graph.nodes):
        if node.op == "get_attr" and isinstance(inner := getattr(module, str(node.target), None), GraphModule):
            _copy_changed(inner, is_outermost=False)
        if node.target not in (branch, loop):
            continue
        # In a region, which works on copies, versions do not tell: any change behind it is one.
        is_followed = any(node < change for change in changes)
        for operand, noted in zip(node.all_input_nodes, node.meta["gw_versions"], strict=True):
            is_changed = _version(operand) != noted if is_outermost else is_followed
            is_needed = noted is not None and (
                operand.meta["example_value"].requires_grad or "checkpoint" in node.kwargs
            )
            if is_needed and is_changed:
                with graph.inserting_before(node):
                    copy = graph.call_method("clone", (operand,))
                copy.meta = dict(operand.meta)
                node.replace_input_with(operand, copy)
                copies += 1
    if copies:
        module.recompile()


def _version(node: Node) -> int | None:
    fake = node.meta.get("example_value")
    return fake._version if isinstance(fake, torch.Tensor) else None
