"""Floats of the data in an ONNX model, in double precision, as Python computes them.

full((), t.item() * 0.3, dtype=float64)        ->        mul(to(t, float64), full((), 0.3, dtype=float64))

torch's exporter (2.13) takes every float of Python's that the data decide for a float32. What becomes a tensor, as
results, carries and tests do, is computed from the tensor that it came from; so is what stands beside a float64.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

aten = torch.ops.aten
ITEM = aten.item.default
OPERATORS: dict[Callable[..., Any], Any] = {
    operator.add: aten.add.Tensor,
    operator.sub: aten.sub.Tensor,
    operator.mul: aten.mul.Tensor,
    operator.truediv: aten.div.Tensor,
    operator.pow: aten.pow.Tensor_Tensor,
    operator.neg: aten.neg.default,
    operator.abs: aten.abs.default,
    operator.lt: aten.lt.Tensor,
    operator.le: aten.le.Tensor,
    operator.gt: aten.gt.Tensor,
    operator.ge: aten.ge.Tensor,
    operator.eq: aten.eq.Tensor,
    operator.ne: aten.ne.Tensor,
}

BESIDE = {
    aten.add,
    aten.sub,
    aten.rsub,
    aten.mul,
    aten.div,
    aten.pow,
    aten.lt,
    aten.le,
    aten.gt,
    aten.ge,
    aten.eq,
    aten.ne,
}


def floats_as_doubles(program: torch.export.ExportedProgram) -> None:
    """Compute them in tensors, in place."""
    for module in program.graph_module.modules():
        if isinstance(module, GraphModule):
            _compute_in_tensors(module.graph)
            module.recompile()


def _compute_in_tensors(graph: Graph) -> None:
    known: dict[Node, Node | None] = {}
    for node in list(graph.nodes):
        packet = getattr(node.target, "overloadpacket", None)
        if packet is aten.full and not node.args[0]:
            _replace_full(node, known)
        elif packet in BESIDE and len(node.args) == 2:
            _replace_beside(node, packet, known)


def _replace_full(node: Node, known: dict[Node, Node | None]) -> None:
    graph, number, dtype = node.graph, node.args[1], node.kwargs.get("dtype")
    made = _tensor(number, known) if isinstance(number, Node) else None
    if made is None:
        return
    with graph.inserting_before(node):
        copy = graph.call_function(aten.clone.default, (made,))
        copy = copy if dtype is None else graph.call_function(aten.to.dtype, (copy, dtype))
    copy.meta = dict(node.meta)
    node.replace_all_uses_with(copy)
    graph.erase_node(node)


def _replace_beside(node: Node, packet: Any, known: dict[Node, Node | None]) -> None:
    values = [arg.meta.get("val") if isinstance(arg, Node) else arg for arg in node.args]
    if not any(isinstance(value, torch.Tensor) and value.dtype is torch.float64 for value in values):
        return
    floats = {arg: _tensor(arg, known) for arg in node.args if isinstance(arg, Node) and _is_float(arg)}
    if floats and None not in floats.values():
        node.args = tuple(floats.get(arg, arg) if isinstance(arg, Node) else arg for arg in node.args)
        node.target = packet.Tensor_Tensor if packet is aten.pow else packet.Tensor


def _tensor(number: Node, known: dict[Node, Node | None]) -> Node | None:
    """What a float of the data, or a test of one, is as a 0-d tensor; None where that is not known."""
    if number not in known:
        known[number] = _made(number, known)
    return known[number]


def _made(number: Node, known: dict[Node, Node | None]) -> Node | None:
    graph, value = number.graph, number.meta.get("val")
    if number.target is ITEM and isinstance(value, torch.SymFloat):
        with graph.inserting_before(number):
            flat = graph.call_function(aten.reshape.default, (number.args[0], []))
            return graph.call_function(aten.to.dtype, (flat, torch.float64))
    if number.target not in OPERATORS or not any(_is_float(arg) for arg in number.args):
        return None
    sides = []
    for arg in number.args:
        side = _tensor(arg, known) if _is_float(arg) and isinstance(arg, Node) else arg
        if side is None:
            return None
        if side is arg:
            with graph.inserting_before(number):
                side = graph.call_function(aten.full.default, ([], arg), {"dtype": torch.float64})
        sides.append(side)
    with graph.inserting_before(number):
        return graph.call_function(OPERATORS[number.target], tuple(sides))


def _is_float(arg: Any) -> bool:
    return isinstance(arg.meta.get("val") if isinstance(arg, Node) else arg, torch.SymFloat | float)
