"""If-conversion: both sides computed, and the result selected, where that is provably the same and cheaper.

The proof is by operator: a node qualifies if it draws no random number, raises for no input, writes nothing, and costs
about as much as reading its operand. Where gradients flow a node must also have a derivative that is finite for every
input, since the select sends a zero back through the side that did not run, and zero times infinity is not zero.
"""

import operator
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch.fx import Node, Proxy

from graphweld.capture.joins import Join
from graphweld.capture.regions import Region
from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import Tx, existing

MOST_NODES = 12

LINEAR = {
    "add", "sub", "neg", "clone", "to", "reshape", "view", "unsqueeze", "squeeze", "contiguous", "full", "zeros",
    "ones", "zeros_like", "ones_like", "full_like", "detach", "float", "double", "half", "clamp", "clamp_min",
    "clamp_max", "relu", "where", "logical_and", "logical_or", "logical_not", "eq", "ne", "lt", "le", "gt", "ge",
    "isnan", "isinf", "isfinite", "expand", "expand_as", "t", "transpose", "permute", "empty_strided", "bool",
    "long", "int",
}  # fmt: skip
SMOOTH = LINEAR | {
    "mul", "abs", "exp", "sin", "cos", "tanh", "sigmoid", "square", "sqrt", "rsqrt", "log", "truediv", "div", "pow",
    "reciprocal", "maximum", "minimum", "sign", "floor", "ceil", "round", "log1p", "expm1", "nan_to_num", "erf", "mod",
    "remainder", "floordiv", "and_", "or_", "xor", "bitwise_not",
}  # fmt: skip
MOVING = {"getitem", "sum", "mean", "stack", "cat", "flatten", "split", "chunk", "unbind", "narrow", "select"}
OPERATORS = {
    getattr(operator, name)
    for name in ("add sub neg mul truediv pow eq ne lt le gt ge and_ or_ xor pos").split()
}  # fmt: skip


def is_selectable(join: Join) -> bool:
    """Whether both regions may be computed unconditionally."""
    return all(_qualifies(region) for region in (join.then, join.orelse))


def _qualifies(region: Region) -> bool:
    nodes = [n for n in region.graph.nodes if n.op not in ("placeholder", "output")]
    if len(nodes) > MOST_NODES:
        return False
    values = [n.meta.get("example_value") for n in region.graph.nodes if n.op != "output"]
    if not all(isinstance(v, (torch.Tensor, torch.SymInt)) for v in values):
        return False
    if any(isinstance(v, torch.Tensor) and is_sized_by_data(v) for v in values):
        return False  # a size may be wrong for the side that does not run
    grad = torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)
    return all(_node_qualifies(n, grad) for n in nodes)


def _node_qualifies(node: Node, grad: bool) -> bool:
    if node.op not in ("call_function", "call_method"):
        return False
    if (
        node.op == "call_function"
        and node.target not in OPERATORS
        and getattr(torch, _name(node), None) is not node.target
    ):
        return False
    if _name(node) not in (LINEAR if grad else SMOOTH):
        return grad and _scales(node)
    if _name(node) in ("add", "sub") and "alpha" in node.kwargs:
        return False
    value = node.meta["example_value"]
    operands = [a.meta.get("example_value") for a in node.all_input_nodes]
    # Broadcasting raises for some shapes, but shapes are known here: the fake run has passed. Growth is work.
    return not any(_grows(value, v) for v in operands if isinstance(v, torch.Tensor) and v.dim())


def is_flat(node: Node) -> bool:
    """Whether a node only moves values, or its derivative is finite for every input."""
    return _name(node) in LINEAR | MOVING or _scales(node)


def _grows(value: torch.Tensor, operand: torch.Tensor) -> bool:
    a, b = value.numel(), operand.numel()
    return isinstance(a, int) and isinstance(b, int) and a > 4 * b


def _scales(node: Node) -> bool:
    """A product with a finite Python number, whose derivative is that number."""
    if _name(node) not in ("mul", "truediv"):
        return False
    numbers = [a for a in node.args if isinstance(a, (int, float))]
    return len(numbers) == 1 and abs(numbers[0]) < 1e30 and (_name(node) == "mul" or node.args[1] is numbers[0] != 0)


def _name(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def inline(tx: Tx, region: Region, outputs: list[VariableTracker]) -> list[VariableTracker]:
    """Copy a region's nodes into the graph around it, and return the variables of its outputs there."""
    tracer = tx.output.current_tracer
    placed: dict[Node, Any] = {}
    for outer, inner in region.operands().items():
        placed[inner.node] = tracer.maybe_lift_tracked_freevar_to_input(outer).node
    for node in region.graph.nodes:
        if node.op not in ("placeholder", "output"):
            placed[node] = tracer.graph.node_copy(node, lambda n: placed[n])
    results = []
    for vt in outputs:
        proxy = vt.as_proxy()
        if proxy.tracer is region.tracer:
            proxy = Proxy(placed[proxy.node], tracer)
        results.append(existing(tx, proxy))
    return results
