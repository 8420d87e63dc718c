"""The user's names and lines in an ONNX model: of dynamic sizes, of regions, and where each node comes from.

The exporter numbers what it names, and its records of where a node comes from go by way of torch's own frames. Here
each node gets one line of the user's in its metadata, regions are named for the line of their `if` or loop, and values
for the variable that holds them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import onnx_ir as ir

from graphweld.capture.sites import PACKAGE, TORCH
from graphweld.targets.onnx_raises import WORDS
from graphweld.targets.onnx_variables import Variables
from graphweld.view.from_onnx import RECORD, SOURCE
from graphweld.view.lines import frames

REGIONS = {"then_branch": "then", "else_branch": "else", "body": "body"}
OWN = (*PACKAGE, TORCH, __file__.rpartition("/")[0])


def name_sources(model: ir.Model, results: Sequence[str] = ()) -> None:
    """Give nodes their lines, regions names that tell of the line they stand in, and values those of variables.

    `results` are names for the outputs, where they have one that is no variable's.
    """
    nodes = list(_nodes(model.graph))
    failing: set[str] = set()
    for node in nodes:
        source = _source(node.metadata_props.get(RECORD, ""))
        if source is not None:
            node.metadata_props[SOURCE] = f"{source[0]}:{source[1]}"
        if WORDS in node.metadata_props:
            node.name = _free(
                node.metadata_props[WORDS], failing
            )  # which is what ONNX Runtime tells when the node fails
    variables = Variables(nodes)
    kept = {*model.graph.inputs, *model.graph.initializers.values()}
    taken = {value.name or "" for value in kept}

    def rename(start: str, values: Iterable[ir.Value]) -> None:
        for value in values:
            name = variables.of(value) or (value.name or "value").rpartition(".")[2]
            value.name = _free(f"{start}{name}", taken)

    named = list(zip(model.graph.outputs, results, strict=False))
    for value, name in sorted(named, key=lambda pair: not pair[1]):  # the user's keys come first
        if value not in kept:
            kept.add(value)
            value.name = _free(name or variables.of(value) or _checked(value).name or "result", taken)
    rename("", (value for node in model.graph for value in node.outputs if value not in kept))
    for node in nodes:
        line = node.metadata_props.get(SOURCE, "").rpartition(":")[2]
        for kind, attribute in node.attributes.items():
            if attribute.type is ir.AttributeType.GRAPH:
                region = attribute.as_graph()
                region.name = _free(f"{REGIONS.get(kind, kind)}{line and f'_line_{line}'}", taken)
                rename(f"{region.name}.", [*region.inputs, *(value for inner in region for value in inner.outputs)])


def _checked(value: ir.Value) -> ir.Value:
    """What has been computed, of a value that checks have let pass."""
    node = value.producer()
    if node is None or WORDS not in node.metadata_props:
        return value
    (only,) = node.predecessors()[:1]
    inner = only.inputs[0]
    return value if inner is None else _checked(inner)


def _free(name: str, taken: set[str]) -> str:
    found, k = name, 2
    while found in taken:
        found, k = f"{name}_{k}", k + 1
    taken.add(found)
    return found


def _source(record: str) -> tuple[str, int] | None:
    """File and line of the innermost frame that is the user's."""
    return next((frame for frame in reversed(frames(record)) if not frame[0].startswith(OWN)), None)


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
