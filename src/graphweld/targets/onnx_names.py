"""The user's names and lines in an ONNX model: of dynamic sizes, of regions, and where each node comes from.

The exporter numbers what it names, and its records of where a node comes from go by way of torch's own frames. Here
each node gets one line of the user's in its metadata, and regions are named for the line of their `if` or loop.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import onnx_ir as ir

from graphweld.capture.sites import PACKAGE, TORCH

RECORD, SOURCE = "pkg.torch.onnx.stack_trace", "graphweld.source"
FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\w+)')
REGIONS = {"then_branch": "then", "else_branch": "else", "body": "body"}
OWN = (*PACKAGE, TORCH, __file__.rpartition("/")[0])


def name_sources(model: ir.Model) -> None:
    """Give nodes their lines, and regions and what they compute names that tell of the line they stand in."""
    taken: set[str] = set()
    for node in _nodes(model.graph):
        source = _source(node.metadata_props.get(RECORD, ""))
        if source is not None:
            node.metadata_props[SOURCE] = ":".join(source)
        for kind, attribute in node.attributes.items():
            if attribute.type is ir.AttributeType.GRAPH:
                line = "" if source is None else f"_line_{source[1]}"
                _rename(attribute.as_graph(), _free(f"{REGIONS.get(kind, kind)}{line}", taken), taken)


def _rename(graph: ir.Graph, name: str, taken: set[str]) -> None:
    graph.name = name
    for value in [*graph.inputs, *(output for node in graph for output in node.outputs)]:
        value.name = _free(f"{name}.{(value.name or 'value').rpartition('.')[2]}", taken)


def _free(name: str, taken: set[str]) -> str:
    found, k = name, 2
    while found in taken:
        found, k = f"{name}_{k}", k + 1
    taken.add(found)
    return found


def _source(record: str) -> tuple[str, str] | None:
    """File and line of the innermost frame that is the user's."""
    frames = [match.groups() for match in FRAME.finditer(record)]
    return next(((file, line) for file, line, _ in reversed(frames) if not file.startswith(OWN)), None)


def _nodes(graph: ir.Graph) -> Iterator[ir.Node]:
    """Each node, a node with regions before what is in them."""
    for node in graph:
        yield node
        for attribute in node.attributes.values():
            if attribute.type is ir.AttributeType.GRAPH:
                yield from _nodes(attribute.as_graph())


def name_sizes(model: ir.Model, names: Mapping[str, str]) -> None:
    """Give dynamic sizes the names that the user gave them, in place of the exporter's symbols."""
    pattern = re.compile("|".join(rf"\b{re.escape(symbol)}\b" for symbol in names) or r"$^")

    def named(dimension: Any) -> Any:
        if isinstance(dimension, int):
            return dimension
        return pattern.sub(lambda found: names[found[0]], str(dimension.value)) if dimension.value else dimension

    values = [*model.graph.inputs, *model.graph.outputs]
    for node in _nodes(model.graph):
        values += node.outputs
        for attribute in node.attributes.values():
            if attribute.type is ir.AttributeType.GRAPH:
                values.extend(attribute.as_graph().inputs)
    for value in values:
        if value.shape is not None and not value.shape.is_static():
            value.shape = ir.Shape([named(dimension) for dimension in value.shape])
