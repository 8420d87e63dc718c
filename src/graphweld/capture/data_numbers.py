"""Python numbers that come out of tensors, as the 0-d tensors they are computed from.

    n = t.item(); n + 1 < 5        t + 1 < 5          exact in int64, and in float64 for floats

A number that never leaves the tensor domain costs no synchronization, and what is computed from it can be selected or
fused. Only what is exact is taken over: sums, differences and products of ints, and of floats in double precision.
A tensor that was changed in place since its `.item()` no longer tells the number.
"""

import operator
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import SymNodeVariable
from torch.fx import Node, Proxy

from graphweld.capture.variables import Tx, call, existing, method

ARITHMETIC = (operator.add, operator.sub, operator.mul)
NUMBER_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64}


def number_tensor(tx: Tx, vt: VariableTracker, kind: type) -> VariableTracker:
    """A Python number as a 0-d tensor of int64, float64 or bool."""
    if isinstance(vt, SymNodeVariable) and kind in (int, float):
        made = tensor_of(tx, vt.as_proxy().node, kind)
        if made is not None:
            return made
    return call(tx, torch.full, (), vt, dtype=NUMBER_DTYPES[kind])


def note_item(proxy: Proxy) -> None:
    """Remember which version of a tensor a number was read from."""
    source = proxy.node.args[0]
    if isinstance(source, Node):
        proxy.node.meta["gw_version"] = source.meta["example_value"]._version


def item_source(node: Any) -> Node | None:
    """The one-element tensor whose `.item()` a node is, if it still holds that number."""
    if not isinstance(node, Node) or node.op != "call_method" or node.target != "item":
        return None
    source = node.args[0]
    value = source.meta.get("example_value") if isinstance(source, Node) else None
    if value is None or value.dtype.is_complex or node.meta.get("gw_version") != value._version:
        return None
    return source  # type: ignore[return-value]


def _only_item(value: torch.Tensor) -> torch.Tensor:
    return value.reshape(1)[0]


def tensor_of(tx: Tx, node: Node, kind: type, depth: int = 8) -> VariableTracker | None:
    """The tensor that a number is computed from, as int64 or float64; None where there is no exact one."""
    if depth == 0 or not isinstance(node.meta.get("example_value"), torch.SymInt if kind is int else torch.SymFloat):
        return None
    if node.op == "placeholder":
        outer = _outside(tx, node)
        return None if outer is None else tensor_of(tx, outer, kind, depth)
    source = item_source(node)
    if source is not None:
        value = proxy_variable(tx, source)
        fake = source.meta["example_value"]
        if kind is int and (fake.dtype.is_floating_point or fake.dtype is torch.bool):
            return None
        if fake.dim():
            # `reshape(())` leaves a dimension that is not known to be of one item.
            is_known = all(isinstance(size, int) for size in fake.shape)
            value = method(tx, value, "reshape", ()) if is_known else call(tx, _only_item, value)
        return value if fake.dtype is NUMBER_DTYPES[kind] else method(tx, value, "to", NUMBER_DTYPES[kind])
    if node.op != "call_function" or node.target not in ARITHMETIC or len(node.args) != 2:
        return None
    parts = [tensor_of(tx, a, kind, depth - 1) if isinstance(a, Node) else a for a in node.args]
    if any(p is None or isinstance(p, bool) or (isinstance(p, (int, float)) and type(p) is not kind) for p in parts):
        return None
    result = call(tx, node.target, *parts)
    if kind is int:
        _check_size(tx, node.target, parts)
    return result


def _check_size(tx: Tx, operation: Any, parts: list[Any]) -> None:
    """Python's ints have no end, a tensor's have 64 bits: plain Python goes on with what becomes longer.

    A step of a constant is taken to stay inside, as from trip to trip a counter does.
    """
    from graphweld.capture.raises import emit_check

    steps = [part for part in parts if isinstance(part, int)]
    if steps and (operation is not operator.mul or abs(steps[0]) < 2) and abs(steps[0]) < 2**32:
        return
    doubles = [part if isinstance(part, int) else method(tx, part, "to", torch.float64) for part in parts]
    size = call(tx, abs, call(tx, operation, *doubles))
    emit_check(tx, call(tx, operator.ge, size, 2.0**62), OverflowError)


def _outside(tx: Tx, placeholder: Node) -> Node | None:
    """What a region's input stands for, in the graph around it."""
    tracer = next((t for t in tx.output.tracers if t.graph is placeholder.graph), None)
    lifted = tracer.lifted_freevars if tracer is not None else {}
    return next((outer.node for outer, inner in lifted.items() if inner.node is placeholder), None)


def proxy_variable(tx: Tx, node: Node) -> VariableTracker:
    """A variable for a tensor node that is already in the graph."""
    tracer = next(t for t in reversed(tx.output.tracers) if t.graph is node.graph)
    return existing(tx, Proxy(node, tracer))


def drop_dead_numbers(region: Any) -> None:
    """Erase `.item()` calls that nobody needs any more, arithmetic on them, and numbers from outside."""
    graph = region.graph
    for node in reversed(list(graph.nodes)):
        is_number = isinstance(node.meta.get("example_value"), (torch.SymInt, torch.SymFloat, torch.SymBool))
        if is_number and node.op in ("call_function", "call_method") and not node.users:
            if node.target == "item" or getattr(node.target, "__module__", "") == "_operator":
                graph.erase_node(node)
    for outer, inner in list(region.operands().items()):
        if not isinstance(inner.node.meta["example_value"], torch.Tensor) and not inner.node.users:
            graph.erase_node(inner.node)
            del region.operands()[outer]
