"""Branches and loops as ONNX's If and Loop: what torch's exporter is given in place of its own translations.

    cond(pred, then, orelse, operands)             If(pred) {then_branch: ..., else_branch: ...}
    while_loop(test, body, carries, extras)        Loop(, test(carries), carries) {body: ... test(carries')}

torch's own translations call each region as a function of the model, and stop where regions nest (2.13: the functions
are inlined with the wrong opset). Here the nodes of a region stand in the sub-graph itself, and read what is outside of
it by name, as ONNX sub-graphs do. The exporter translates regions from the innermost out, so a region that is put into
its place has its own regions in place already.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import onnx_ir as ir
import onnxscript
import torch

from graphweld.targets.onnx_raises import WORDS

Number = bool | int | float
NUMBERS = {bool: ir.DataType.BOOL, int: ir.DataType.INT64, float: ir.DataType.DOUBLE}
SELECTED = {ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.INT32, ir.DataType.INT64, ir.DataType.UINT8}
_copies = itertools.count()


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """What to hand to `torch.onnx.export` as its `custom_translation_table`."""
    return {
        torch.ops.higher_order.cond: translate_cond,
        torch.ops.higher_order.while_loop: translate_while_loop,
        torch.ops.higher_order.while_loop_stack_output: translate_stacking_loop,
        torch.ops.aten.where.self: translate_where,
        torch.ops.aten.masked_select.default: translate_masked_select,
        torch.ops.graphweld.or_raise.default: translate_raise,
    }


def translate_cond(
    pred: ir.Value, then: ir.Function, orelse: ir.Function, operands: Sequence[ir.Value | Number] = ()
) -> Sequence[ir.Value]:
    """One If node."""
    values = [_value(operand) for operand in operands]
    return _emit("If", [pred], len(then.outputs), then_branch=_graph(then, values), else_branch=_graph(orelse, values))


def translate_while_loop(
    test: ir.Function,
    body: ir.Function,
    carries: Sequence[ir.Value | Number],
    extras: Sequence[ir.Value | Number] = (),
) -> Sequence[ir.Value]:
    """One Loop node, which tests before the first trip and after each."""
    return _loop(test, body, [_value(carry) for carry in carries], extras, stacked=False)


def translate_stacking_loop(
    test: ir.Function,
    body: ir.Function,
    carries: Sequence[ir.Value | Number],
    extras: Sequence[ir.Value | Number] = (),
) -> Sequence[ir.Value]:
    """A loop that gives what each carry was after each trip: scan outputs; the start values for no trip."""
    starts = [_value(carry) for carry in carries]
    stacks = _loop(test, body, starts, extras, stacked=True)[len(starts) :]
    first, axis = _constant([0]), _constant([0])
    ran = _emit("Min", [_emit("Slice", [*_emit("Shape", [stacks[0]]), first, _constant([1]), axis])[0], _constant([1])])
    end = _constant([torch.iinfo(torch.int64).max])
    made = []
    for start, stack in zip(starts, stacks, strict=True):
        rows = _emit("Concat", [*_emit("Unsqueeze", [start, axis]), stack], axis=0)
        made.append(_emit("Slice", [*rows, *ran, end, axis])[0])
    return made


def _loop(
    test: ir.Function, body: ir.Function, starts: list[ir.Value], extras: Sequence[ir.Value | Number], *, stacked: bool
) -> Sequence[ir.Value]:
    outside = [_value(extra) for extra in extras]
    first_nodes, (first,) = _inlined(test, [*starts, *outside])
    onnxscript.evaluator.default().nodes.extend(first_nodes)
    name = f"{body.name}_{next(_copies)}"
    trip = ir.Value(name=f"{name}.trip", type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape([]))
    goes_on = ir.Value(name=f"{name}.goes_on", type=ir.TensorType(ir.DataType.BOOL), shape=ir.Shape([]))
    carried = zip(range(len(starts)), body.inputs, strict=False)
    inputs = [ir.Value(name=f"{name}.carry_{k}", type=v.type, shape=v.shape) for k, v in carried]
    body_nodes, after = _inlined(body, [*inputs, *outside])
    test_nodes, (again,) = _inlined(test, [*after, *outside])
    outputs = [again, *after, *(after if stacked else ())]
    graph = ir.Graph([trip, goes_on, *inputs], outputs, nodes=[*body_nodes, *test_nodes], name=name)
    return _emit("Loop", [None, first, *starts], len(outputs) - 1, body=_own_outputs(graph))


def translate_where(pred: ir.Value, then: ir.Value, orelse: ir.Value) -> ir.Value:
    """A selection, in a type that ONNX Runtime selects from: it has no kernel for the others."""
    if then.dtype is None or then.dtype in SELECTED:
        return _emit("Where", [pred, then, orelse])[0]
    wide = ir.DataType.FLOAT if then.dtype.is_floating_point() else ir.DataType.INT64
    sides = [_emit("Cast", [side], to=wide)[0] for side in (then, orelse)]
    return _emit("Cast", _emit("Where", [pred, *sides]), to=then.dtype)[0]


def translate_masked_select(value: ir.Value, mask: ir.Value) -> ir.Value:
    """The elements where the mask, which may be of another size, holds."""
    mask = _emit("Expand", [mask, *_emit("Shape", [value])])[0]
    flat = _emit("Reshape", [mask, _constant([-1])])
    return _emit("Compress", [*_emit("Expand", [value, *_emit("Shape", [mask])]), *flat])[0]


def translate_raise(value: ir.Value, passes: ir.Value, words: str) -> ir.Value:
    """The value, taken from where it is or from where nothing is."""
    position = _emit("Cast", _emit("Not", [passes]), to=ir.DataType.INT64)
    only = _emit("Unsqueeze", [value, _constant([0])])
    made = _emit("Gather", [*only, *position], axis=0)
    producer = made[0].producer()
    assert producer is not None, "it has just been made"
    producer.metadata_props[WORDS] = words
    return made[0]


def _emit(kind: str, inputs: Sequence[ir.Value | None], count: int = 1, **attributes: Any) -> Sequence[ir.Value]:
    tracer: Any = onnxscript.evaluator.default()  # the exporter's, which collects the nodes of one translation
    made = ir.convenience.convert_attributes(attributes)
    node = ir.Node("", kind, inputs, made, num_outputs=count, version=tracer.opset.version)
    tracer.nodes.append(node)
    return node.outputs


def _value(operand: ir.Value | Number) -> ir.Value:
    """An operand as a value; a number that was known when the program was exported becomes a constant."""
    if isinstance(operand, ir.Value):
        return operand
    return _constant(operand, NUMBERS[type(operand)])


def _constant(value: Any, dtype: ir.DataType = ir.DataType.INT64) -> ir.Value:
    return _emit("Constant", [], value=ir.tensor(value, dtype=dtype))[0]


def _graph(region: ir.Function, operands: list[ir.Value]) -> ir.Graph:
    nodes, outputs = _inlined(region, operands)
    return _own_outputs(ir.Graph([], outputs, nodes=nodes, name=f"{region.name}_{next(_copies)}"))


def _inlined(region: ir.Function, operands: list[ir.Value]) -> tuple[list[ir.Node], list[ir.Value]]:
    """A copy of a region's nodes that read the operands, under names of their own, and what the copy gives."""
    copy = region.clone()
    ir.convenience.replace_all_uses_with(list(copy.inputs), operands, replace_graph_outputs=True)
    outputs = list(copy.outputs)
    nodes = list(copy)
    copy.outputs.clear()
    copy.remove(nodes)
    stem = f"{region.name}_{next(_copies)}"
    for value in itertools.chain.from_iterable(map(_values_of, nodes)):
        value.name = f"{stem}.{value.name}"
    return nodes, outputs


def _values_of(node: ir.Node) -> Iterator[ir.Value]:
    """What a node computes, and what is computed in its own regions."""
    yield from node.outputs
    for attribute in node.attributes.values():
        if attribute.type is ir.AttributeType.GRAPH:
            graph = attribute.as_graph()
            yield from graph.inputs
            for inner in graph:
                yield from _values_of(inner)


def _own_outputs(graph: ir.Graph) -> ir.Graph:
    """The graph with outputs that it computes itself, each once: an Identity where one is an input or from outside."""
    seen: set[ir.Value] = set()
    for k, output in enumerate(graph.outputs):
        producer = output.producer()
        if producer is None or producer.graph is not graph or output in seen:
            node = ir.node("Identity", [output])
            node.outputs[0].name = f"{graph.name}.output_{k}"
            node.outputs[0].type, node.outputs[0].shape = output.type, output.shape
            graph.append(node)
            graph.outputs[k] = node.outputs[0]
        seen.add(output)
    return graph
