"""An ONNX model as a picture, its If, Loop and Scan nodes with their regions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import onnx_ir as ir

from graphweld.diagnostics import UsageError
from graphweld.view.assembly import Assembly, Held, Ids
from graphweld.view.lines import header, place_at
from graphweld.view.model import Graph, Place

RECORD, SOURCE = "pkg.torch.onnx.stack_trace", "graphweld.source"  # torch's record of a node's origin, and ours
_MOST_SHOWN = 4  # numbers of a constant
_ARITHMETIC = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "Pow": "**", "MatMul": "@", "Less": "<",
    "LessOrEqual": "<=", "Greater": ">", "GreaterOrEqual": ">=", "Equal": "==", "And": "and", "Or": "or",
}  # fmt: skip
Value = str | Held | None


def graph_of_model(path: Path) -> Graph:
    """The picture of the model in a file.

    Raises:
        UsageError: where the file holds no model.
    """
    try:
        model = ir.load(path)
    except Exception as error:
        raise UsageError.because(f"{path.name} holds no ONNX model: {str(error).strip().splitlines()[0]}") from error
    reader = _Reader()
    graph = model.graph
    for value in graph.inputs:
        reader.known[value] = reader.made.node("input", value.name or "", name=value.name or "", detail=_detail(value))
    for source in reader.body(graph):
        reader.made.output(source)
    return reader.made.finish(path.name)


class _Reader:
    def __init__(self) -> None:
        self.made = Assembly()
        self.known: dict[ir.Value, str | Held] = {}

    def body(self, graph: ir.Graph) -> Ids:
        """What a graph computes, in the region that is open; the ids of what it gives."""
        for value in graph.initializers.values():
            if value.is_graph_input():
                continue  # it is the default of that input
            self.known[value] = Held(_constant(value.const_value) or value.name or "", _detail(value))
        for node in graph:
            made = self._node(node)
            self.known.update(
                {value: found for value, found in zip(node.outputs, made, strict=False) if found is not None}
            )
        for value in graph.outputs:
            found = self.known.get(value)
            if isinstance(found, str) and value.producer() is not None:
                self.made.name_given(found)
        return [self._id(value, None) for value in graph.outputs]

    def _id(self, value: ir.Value, reader: Place | None) -> str:
        found = self.known.get(value, Held(value.name or "", _detail(value)))
        if isinstance(found, Held):
            return self.made.held(found)
        self.made.name_by_line(found, reader)
        return found

    def _node(self, node: ir.Node) -> Sequence[Value]:
        place = place_of(node)
        if node.op_type == "Identity" and node.inputs[0] is not None:
            return [self.known.get(node.inputs[0])]
        if node.op_type == "Constant":
            attribute = next(iter(node.attributes.values()))
            return [Held(_constant(attribute.value) or node.outputs[0].name or "", _detail(node.outputs[0]))]
        if node.op_type == "If":
            sides = [self._side(node.attributes[name].as_graph()) for name in ("then_branch", "else_branch")]
            return self.made.branch(
                header(place, "if"),
                self._id(_given(node, 0), place),
                sides,
                place=place,
                details=_details(node.outputs),
            )
        if node.op_type in ("Loop", "Scan"):
            return self._loop(node, place)
        reads = [self.known[value] for value in node.inputs if value is not None and value in self.known]
        for read in reads:
            if isinstance(read, str):
                self.made.name_by_line(read, place)
        made = self.made.node(
            "op",
            self._label(node),
            [read for read in reads if isinstance(read, str)],
            place=place,
            detail=_detail(node.outputs[0]),
        )
        return [made] * len(node.outputs)

    def _side(self, graph: ir.Graph) -> Callable[[], Ids]:
        return lambda: self.body(graph)

    def _loop(self, node: ir.Node, place: Place | None) -> Ids:
        graph = node.attributes["body"].as_graph()
        is_loop = node.op_type == "Loop"
        first = 2 if is_loop else 0
        rows = 0 if is_loop else int(node.attributes["num_scan_inputs"].as_int())
        count = len(node.inputs) - first - rows
        carried = graph.inputs[first : first + count]

        def body(carries: Ids) -> tuple[str | None, Ids]:
            self.known.update(zip(carried, carries, strict=True))
            if is_loop:
                self.known[graph.inputs[0]] = Held("trip", "i64[]")
            for value, row in zip(graph.inputs[count:], node.inputs[count:], strict=True) if rows else ():
                self.known[value] = self._id(row, place) if row is not None else Held("?", "")
            given = self.body(graph)
            return (given[0], given[1:]) if is_loop else (None, given)

        starts = [self._id(value, place) for value in node.inputs[first : first + count] if value is not None]
        trips, goes_on = (node.inputs[0], node.inputs[1]) if is_loop else (None, None)
        after = graph.outputs[1:] if is_loop else graph.outputs
        producers = [value.producer() for value in after[:count]]
        places = [None if producer is None else place_of(producer) for producer in producers]
        label = header(place, node.op_type.lower())
        if trips is not None:
            told = self.known.get(trips)
            label += f" ({told.name} trips)" if isinstance(told, Held) else " (counted)"
        first_test = next((self._id(value, place) for value in (goes_on, trips) if value is not None), None)
        return self.made.loop(
            label, starts, self.made.carried_names(starts, [_short(value) for value in carried], places), body,
            first=first_test, place=place, details=_details(node.outputs), kind=node.op_type,
        )  # fmt: skip

    def _label(self, node: ir.Node) -> str:
        def shown(value: ir.Value | None) -> str:
            found = self.known.get(value) if value is not None else None
            return found.name if isinstance(found, Held) else self.made.names.get(found or "", "·")

        given = [shown(value) for value in node.inputs if value is not None]
        if node.op_type in _ARITHMETIC and len(given) == 2:
            return f"{given[0]} {_ARITHMETIC[node.op_type]} {given[1]}"
        scalars = (ir.AttributeType.INT, ir.AttributeType.FLOAT, ir.AttributeType.STRING, ir.AttributeType.INTS)
        given += [f"{name}={a.value}" for name, a in node.attributes.items() if a.type in scalars and a.value]
        return f"{node.op_type}({', '.join(given)})"


def _given(node: ir.Node, k: int) -> ir.Value:
    value = node.inputs[k]
    assert value is not None, f"{node.op_type} has an input {k}"
    return value


def place_of(node: ir.Node) -> Place | None:
    """The line that graphweld's export noted for the node."""
    file, _, line = node.metadata_props.get(SOURCE, "").rpartition(":")
    return place_at(file, int(line), node.metadata_props.get(RECORD, "")) if file and line.isdigit() else None


def _details(values: Sequence[ir.Value]) -> list[str]:
    return [_detail(value) for value in values]


def _detail(value: ir.Value) -> str:
    if value.dtype is None:
        return ""
    dtype = (
        value.dtype.name.lower()
        .replace("float", "f")
        .replace("double", "f64")
        .replace("int", "i")
        .replace("bool", "b8")
    )
    dtype = "f32" if dtype == "f" else dtype
    return dtype if value.shape is None else f"{dtype}[{', '.join(str(size) for size in value.shape)}]"


def _constant(tensor: Any) -> str:
    """A small constant's numbers; nothing for one with many."""
    if not hasattr(tensor, "numpy"):
        return str(tensor)
    return str(tensor.numpy().tolist()) if tensor.size <= _MOST_SHOWN else ""


def _short(value: ir.Value) -> str:
    """The variable that a value is named for; nothing where its name is a number or a place."""
    name = re.sub(r"_\d+$", "", (value.name or "").rpartition(".")[2])
    return "" if name in ("val", "value", "carry") else name
