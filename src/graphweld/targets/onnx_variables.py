"""The user's variables behind the values of an ONNX model, where the lines that its nodes come from tell them."""

from collections.abc import Iterable

import onnx_ir as ir

from graphweld.view.from_onnx import place_of
from graphweld.view.lines import variable_at, variable_read


class Variables:
    """Which variable holds a value: the one that its line assigns, if another line reads it; a loop's, in each trip."""

    def __init__(self, nodes: Iterable[ir.Node]) -> None:
        self._carried = {
            value: (node, k)
            for node in nodes
            if node.op_type == "Loop"
            for k, value in enumerate(node.attributes["body"].as_graph().inputs[2:])
        }
        self._known: dict[ir.Value, str] = {}

    def of(self, value: ir.Value | None) -> str:
        """The variable's name, or nothing."""
        if value is None:
            return ""
        if value not in self._known:
            self._known[value] = ""  # a value that a loop carries on unchanged is what it was
            self._known[value] = self._find(value)
        return self._known[value]

    def _find(self, value: ir.Value) -> str:
        node, k = value.producer(), value.index() or 0
        if value in self._carried:
            loop, k = self._carried[value]
            return self.of(loop.attributes["body"].as_graph().outputs[1 + k]) or self.of(loop.inputs[2 + k])
        if node is None:
            return ""
        if node.op_type in ("Identity", "Optional") and node.inputs:
            return self.of(node.inputs[0])
        if node.op_type == "If":
            sides = (node.attributes[name].as_graph().outputs[k] for name in ("then_branch", "else_branch"))
            return next(filter(None, map(self.of, sides)), "")
        if node.op_type == "Loop":
            carried = node.attributes["body"].as_graph().inputs[2:]
            return self.of(carried[k]) if k < len(carried) else ""
        return self._assigned(value, node) if len(node.outputs) == 1 else ""

    def _assigned(self, value: ir.Value, node: ir.Node) -> str:
        place = place_of(node)
        if value.is_graph_output():
            return variable_at(place)
        return next(filter(None, (variable_read(place, place_of(use.node)) for use in value.uses())), "")
