"""Results that are None or a tensor, one text or another, tensors of several ranks: If nodes, and optional values."""

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import onnx_ir as ir

from graphweld.targets.onnx_nodes import emit

STRING = ir.DataType.STRING
_values = itertools.count()


def translate_choice(preds: Sequence[ir.Value], values: Sequence[ir.Value], tree: str, kind: str) -> ir.Value:
    """A tree of If nodes. Only text that is always there is no optional value: a tensor has one rank."""
    root = json.loads(tree)
    dtype = values[0].dtype if values else STRING
    assert dtype is not None, "the exporter has typed it"
    item = ir.TensorType(dtype)
    is_optional = bool(values) or None in _leaves(root)
    kept = ir.OptionalType(item) if is_optional else item

    def made(part: Any) -> list[ir.Node]:
        """The nodes that give a part, the last one its value."""
        if isinstance(part, list):
            sides = {"then_branch": region(part[1]), "else_branch": region(part[2])}
            return [ir.node("If", [preds[part[0]]], sides)]
        if part is None:
            return [ir.node("Optional", [], {"type": ir.AttrTypeProto("type", ir.TypeAndShape(item, None))})]
        if isinstance(part, int):
            return [ir.node("Optional", [values[part]])]
        text = ir.node("Constant", [], {"value": _text(part)})
        return [text, ir.node("Optional", text.outputs)] if is_optional else [text]

    def region(part: Any) -> ir.Graph:
        nodes = made(part)
        for node in nodes:
            node.outputs[0].name = f"choice_value_{next(_values)}"
        result = nodes[-1].outputs[0]
        result.type, result.shape = kept, None if is_optional else ir.Shape([])
        return ir.Graph([], [result], nodes=nodes, name="choice")

    if isinstance(root, str):
        return emit("Constant", [], value=_text(root))[0]
    return emit("If", [preds[root[0]]], then_branch=region(root[1]), else_branch=region(root[2]))[0]


def type_choice(output: ir.Value) -> None:
    """Give such a result of a model the type that its branches have."""
    node = output.producer()
    assert node is not None, "it comes from the translation above"
    if node.op_type == "If":
        side = node.attributes["then_branch"].as_graph().outputs[0]
        output.type, output.shape = side.type, side.shape
    else:
        output.type, output.shape = ir.TensorType(STRING), ir.Shape([])


def _text(text: str) -> ir.StringTensor:
    return ir.StringTensor([text.encode()], shape=ir.Shape([]))


def _leaves(part: Any) -> Iterator[Any]:
    if isinstance(part, list):
        yield from _leaves(part[1])
        yield from _leaves(part[2])
    else:
        yield part
