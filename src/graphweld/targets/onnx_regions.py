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

from graphweld.targets import onnx_operators
from graphweld.targets.onnx_nodes import Number, as_value, constant, emit

_copies = itertools.count()


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """What to hand to `torch.onnx.export` as its `custom_translation_table`."""
    return {
        torch.ops.higher_order.cond: translate_cond,
        torch.ops.higher_order.while_loop: translate_while_loop,
        torch.ops.higher_order.while_loop_stack_output: translate_stacking_loop,
        **onnx_operators.translations(),
    }


def translate_cond(
    pred: ir.Value, then: ir.Function, orelse: ir.Function, operands: Sequence[ir.Value | Number] = ()
) -> Sequence[ir.Value]:
    """One If node."""
    values = [as_value(operand) for operand in operands]
    return emit("If", [pred], len(then.outputs), then_branch=_graph(then, values), else_branch=_graph(orelse, values))


def translate_while_loop(
    test: ir.Function,
    body: ir.Function,
    carries: Sequence[ir.Value | Number],
    extras: Sequence[ir.Value | Number] = (),
) -> Sequence[ir.Value]:
    """One Loop node, which tests before the first trip and after each."""
    return _loop(test, body, [as_value(carry) for carry in carries], extras, stacked=False)


def translate_stacking_loop(
    test: ir.Function,
    body: ir.Function,
    carries: Sequence[ir.Value | Number],
    extras: Sequence[ir.Value | Number] = (),
) -> Sequence[ir.Value]:
    """A loop that gives what each carry was after each trip: scan outputs; the start values for no trip."""
    starts = [as_value(carry) for carry in carries]
    stacks = _loop(test, body, starts, extras, stacked=True)[len(starts) :]
    first, axis = constant([0]), constant([0])
    ran = emit("Min", [emit("Slice", [*emit("Shape", [stacks[0]]), first, constant([1]), axis])[0], constant([1])])
    end = constant([torch.iinfo(torch.int64).max])
    made = []
    for start, stack in zip(starts, stacks, strict=True):
        rows = emit("Concat", [*emit("Unsqueeze", [start, axis]), stack], axis=0)
        made.append(emit("Slice", [*rows, *ran, end, axis])[0])
    return made


def _loop(
    test: ir.Function, body: ir.Function, starts: list[ir.Value], extras: Sequence[ir.Value | Number], *, stacked: bool
) -> Sequence[ir.Value]:
    outside = [as_value(extra) for extra in extras]
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
    return emit("Loop", [None, first, *starts], len(outputs) - 1, body=_own_outputs(graph))


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
