"""Operators of a region that check their input, in an exported program: with the check as an assertion of its own.

torch.linalg.cholesky(m)    ->    l, info = linalg_cholesky_ex(m); _assert_async((info == 0).all())

`run_decompositions` makes the same of it, with a check that torch (2.13) takes for an effect, and loses in a region.
"""

from typing import Any

import torch
from torch.fx import Graph, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

from graphweld.capture.constants import regions
from graphweld.capture.retraced import CHECKING, Checks


def make_assertions(program: torch.export.ExportedProgram) -> None:
    """Replace such operators in every region, in place."""
    for region in regions(program.graph_module):
        found = [node for node in region.graph.nodes if node.target in CHECKING]
        for node in found:
            _replace(region.graph, node)
        if found:
            region.recompile()


def _replace(graph: Graph, node: Node) -> None:
    operands = node.all_input_nodes

    def checked(*values: Any) -> Any:
        given = dict(zip(operands, values, strict=True))
        args, kwargs = map_arg((node.args, node.kwargs), given.__getitem__)
        with Checks(are_made=True):
            return node.target(*args, **kwargs)  # type: ignore[operator]

    traced = make_fx(checked)(*(operand.meta["val"] for operand in operands)).graph
    with graph.inserting_before(node):
        made = graph.graph_copy(traced, dict(zip(traced.find_nodes(op="placeholder"), operands, strict=True)))
    if isinstance(made, Node):
        _put(made, node)
    else:  # each result is taken out by its number
        for user in list(node.users):
            _put(made[user.args[1]], user)  # type: ignore[index]
        graph.erase_node(node)


def _put(made: Any, node: Node) -> None:
    made.meta = dict(node.meta)
    node.replace_all_uses_with(made)
    node.graph.erase_node(node)
