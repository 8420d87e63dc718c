"""Trip counts for the Loop nodes of an ONNX model: a `for` over a range or over rows ends when its counter does.

The graph that is exported has one test for all loops. Of a counted one it says

    index = 0; go = 0 < n
    while go: ...; index = index + 1; go = index < n and rest

which is `Loop(trip_count=n, condition=rest)`. What it says is read off the nodes, through those that carry a number
from one form to another, and nothing is changed unless all of it is there.
"""

from collections.abc import Iterator

import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass


def count_trips(model: ir.Model) -> None:
    """Give each counted Loop its trip count, and leave the rest of its test as its condition."""
    for graph in (model.graph, *model.graph.subgraphs()):
        for loop in [node for node in graph if node.op_type == "Loop"]:
            _count(loop)
    RemoveUnusedNodesPass()(model)


def _count(loop: ir.Node) -> None:
    body = loop.attributes["body"].as_graph()
    parts = list(_conjuncts(body.outputs[0]))
    for part in parts:
        limit = _limit(loop, body, part)
        if limit is not None:
            rest = [other for other in parts if other is not part]
            _rewrite(loop, body, limit, rest)
            return


def _limit(loop: ir.Node, body: ir.Graph, test: ir.Value) -> ir.Value | None:
    """What a counter of the loop is compared with, if that is what `test` does, and did before the first trip."""
    counter, limit = _less(test)
    if counter is None or limit is None:
        return None
    carried = _before_increment(counter)
    places = [k for k, value in enumerate(body.inputs[2:]) if value is carried]
    if not places or _before_increment(body.outputs[1 + places[0]]) is not carried:
        return None
    start, first = loop.inputs[2 + places[0]], loop.inputs[1]
    if start is None or first is None or _number(start) != 0:
        return None
    known = _number(limit)
    if known is not None:  # and so is what the first test said
        return _constant(loop, known) if known > 0 and _number(first) else None
    zero, same = _less(_plain(first))
    is_same = zero is not None and same is limit and _number(zero) == 0
    return limit if is_same and limit.dtype is ir.DataType.INT64 and not _is_inside(limit, body) else None


def _rewrite(loop: ir.Node, body: ir.Graph, limit: ir.Value, rest: list[ir.Value]) -> None:
    loop.replace_input_with(0, limit)
    loop.replace_input_with(1, None)
    goes_on, *others = rest or [body.inputs[1]]
    for other in others:
        body.append(node := ir.node("And", [goes_on, other]))
        goes_on = node.outputs[0]
    body.append(node := ir.node("Identity", [goes_on]))  # an output is never an input, nor an output twice
    node.outputs[0].name = f"{body.outputs[0].name}_counted"
    node.outputs[0].type, node.outputs[0].shape = ir.TensorType(ir.DataType.BOOL), ir.Shape([])
    body.outputs[0] = node.outputs[0]


def _conjuncts(value: ir.Value) -> Iterator[ir.Value]:
    value = _plain(value)
    node = value.producer()
    if node is None or node.op_type != "And":
        yield value
        return
    for part in node.inputs:
        if part is not None:
            yield from _conjuncts(part)


def _less(value: ir.Value) -> tuple[ir.Value | None, ir.Value | None]:
    """`a` and `b` of `a < b`."""
    node = value.producer()
    if node is None or node.op_type not in ("Less", "Greater"):
        return None, None
    a, b = (None if side is None else _plain(side) for side in node.inputs)
    return (a, b) if node.op_type == "Less" else (b, a)


def _before_increment(value: ir.Value) -> ir.Value | None:
    """`i` of `i + 1`."""
    node = _plain(value).producer()
    if node is None or node.op_type != "Add":
        return None
    for one, other in (node.inputs, reversed(node.inputs)):
        if one is not None and other is not None and _number(one) == 1:
            return _plain(other)
    return None


def _plain(value: ir.Value) -> ir.Value:
    """The value that this one is, or is a one-element form of."""
    node = value.producer()
    source = None if node is None or not node.inputs else node.inputs[0]
    if node is None or source is None:
        return value
    if node.op_type == "Identity":
        return _plain(source)
    inner = source.producer()
    if node.op_type == "Not" and inner is not None and inner.op_type == "Not" and inner.inputs[0] is not None:
        return _plain(inner.inputs[0])
    if node.op_type in ("Gather", "Squeeze") and inner is not None and inner.op_type in ("Reshape", "Unsqueeze"):
        origin = inner.inputs[0]
        if origin is not None and origin.shape is not None and origin.shape.rank() == 0:
            return _plain(origin)
    return value


def _number(value: ir.Value) -> int | None:
    """What a constant of one element is."""
    node = _plain(value).producer()
    tensor = _plain(value).const_value
    if tensor is None and node is not None and node.op_type == "Constant":
        attribute = node.attributes.get("value")
        tensor = None if attribute is None else attribute.as_tensor()
    return int(tensor.numpy().reshape(())) if tensor is not None and tensor.size == 1 else None


def _constant(loop: ir.Node, number: int) -> ir.Value:
    """A constant in front of a loop."""
    node = ir.node("Constant", [], {"value": ir.tensor(number, dtype=ir.DataType.INT64)})
    node.outputs[0].name = f"{loop.name}_trips"
    node.outputs[0].type, node.outputs[0].shape = ir.TensorType(ir.DataType.INT64), ir.Shape([])
    loop.prepend(node)
    return node.outputs[0]


def _is_inside(value: ir.Value, body: ir.Graph) -> bool:
    """Whether a value is made in each trip."""
    node = value.producer()
    return value in body.inputs or (node is not None and node.graph is body)
