"""Constants inside of a region of an exported program, made there by an operator.

    y[0] = 0      ->      %c = get_attr[_tensor_constant0]; copy_(select(y, 0, 0), lift_fresh_copy(%c))
                  ->      %c = full((), 0); copy_(select(y, 0, 0), %c)

torch 2.13 keeps a constant of a region as an attribute of its sub-graph, which neither decomposition nor serialization
can read. An operator without inputs has no such trouble.
"""

import itertools
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

aten = torch.ops.aten
FRESH = (aten.lift_fresh_copy.default, aten.lift_fresh.default)
MOST_ELEMENTS = 256  # a larger one stays as it is: one operator for each element is no way to hold a table


def make_constants(program: torch.export.ExportedProgram) -> None:
    """Replace the constants of every region, in place."""
    for region in regions(program.graph_module):
        for node in region.graph.find_nodes(op="get_attr"):
            value = getattr(region, str(node.target), None)
            if isinstance(value, torch.Tensor) and value.numel() <= MOST_ELEMENTS:
                _replace(region.graph, node, value)
                delattr(region, str(node.target))
        region.recompile()


def regions(module: GraphModule) -> list[GraphModule]:
    """What is inside of a graph, however deep."""
    inner = [m for m in module.children() if isinstance(m, GraphModule)]
    return [*inner, *itertools.chain.from_iterable(map(regions, inner))]


def _replace(graph: Graph, node: Node, value: torch.Tensor) -> None:
    copies = [user for user in node.users if user.target in FRESH]
    for old in (*copies, node):
        if old.users:
            with graph.inserting_before(old):
                made = _made(graph, value)
            made.meta = {**old.meta}
            old.replace_all_uses_with(made)
            for user in [user for user in made.users if user.target is aten.detach_.default]:
                user.replace_all_uses_with(made)  # which autograd refuses for a view, as `reshape` gives
                graph.erase_node(user)
        graph.erase_node(old)


def _made(graph: Graph, value: torch.Tensor) -> Node:
    """Nodes that make a tensor of these values."""
    flat = value.detach().reshape(-1)
    numbers: list[Any] = flat.tolist()
    how = {"dtype": value.dtype, "device": value.device}
    if len({repr(n) for n in numbers}) == 1:
        return _node(graph, aten.full.default, (list(value.shape), numbers[0]), how, value)
    if not numbers:
        return _node(graph, aten.full.default, (list(value.shape), 0), how, value)
    parts = [_node(graph, aten.full.default, ([1], n), how, flat[:1]) for n in numbers]
    joined = _node(graph, aten.cat.default, (parts,), {}, flat)
    return _node(graph, aten.reshape.default, (joined, list(value.shape)), {}, value)


def _node(graph: Graph, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], like: torch.Tensor) -> Node:
    node = graph.call_function(target, args, kwargs)
    node.meta["val"] = like
    return node
