"""Floats of the data in an ONNX model, in double precision, as Python computes them.

full((), t.item() * 0.3, dtype=float64)        ->        mul(to(t, float64), full((), 0.3, dtype=float64))

torch's exporter (2.13) takes every float of Python's that the data decide for a float32. What becomes a tensor, as
results, carries and tests do, is computed from the tensor that it came from; so is what stands beside a tensor.
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

_BESIDE = "add sub mul div pow add_ sub_ mul_ div_ pow_ rsub lt le gt ge eq ne"
BESIDE = {getattr(aten, name) for name in _BESIDE.split()}
COMPUTING = {torch.float32, torch.float64}  # halves are computed in float32, beside a number in all its digits


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
    """A number beside a tensor, in the type that the operator computes in."""
    dtypes = {arg.meta["val"].dtype for arg in node.args if isinstance(arg, Node) and _is_tensor(arg)}
    if len(dtypes) != 1 or not (dtypes <= COMPUTING or not any(dtype.is_floating_point for dtype in dtypes)):
        return
    dtype = next(iter(dtypes & COMPUTING), torch.float32)
    made = {arg: _tensor(arg, known) for arg in node.args if isinstance(arg, Node) and _is_float(arg)}
    if not made or None in made.values():
        return
    for arg, number in made.items():
        if dtype is not torch.float64:
            with node.graph.inserting_before(node):
                made[arg] = node.graph.call_function(aten.to.dtype, (number, dtype))
    node.args = tuple(made.get(arg, arg) if isinstance(arg, Node) else arg for arg in node.args)
    node.target = packet.Tensor_Tensor if packet is aten.pow else packet.Tensor


def _is_tensor(node: Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


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
    if not isinstance(value, torch.SymFloat) and not any(map(_is_float, number.args)):
        return None
    if number.target is torch.sym_float:
        with graph.inserting_before(number):
            return graph.call_function(aten.full.default, ([], number.args[0]), {"dtype": torch.float64})
    if number.target not in OPERATORS:
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
