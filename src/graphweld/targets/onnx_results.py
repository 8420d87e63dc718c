"""Results of an ONNX model that are no tensors: see `returned_lists` and `returned_choices`."""

from typing import Any

import onnx_ir as ir
import torch

from graphweld.capture.returned_choices import CHOICE
from graphweld.capture.returned_lists import LISTS
from graphweld.targets.onnx_choices import type_choice


def type_results(program: torch.export.ExportedProgram, model: ir.Model) -> None:
    """Give such outputs their type; the exporter takes them for the tensors that they have been."""
    results = [r for r in program.graph.output_node().args[0] if isinstance(r, torch.fx.Node)]
    for output, result in zip(model.graph.outputs, results[-len(model.graph.outputs) :], strict=True):
        if result.target in LISTS and output.dtype is not None:
            output.type, output.shape = ir.SequenceType(ir.TensorType(output.dtype)), None
        elif result.target is CHOICE:
            type_choice(output)


def results_of(model: torch.onnx.ONNXProgram, inputs: list[Any]) -> list[Any]:
    """What ONNX Runtime gives: tensors, lists of tensors, text, and None."""
    if all(
        isinstance(output.type, ir.TensorType) and output.dtype != ir.DataType.STRING
        for output in model.model.graph.outputs
    ):
        return list(model(*inputs))
    import onnxruntime

    session = onnxruntime.InferenceSession(model.model_proto.SerializeToString())
    feed = zip(model.model.graph.inputs, inputs, strict=False)  # buffers have defaults
    found = session.run(None, {str(place.name): torch.as_tensor(value).numpy(force=True) for place, value in feed})
    return [_as_python(value) for value in found]


def _as_python(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [torch.as_tensor(item) for item in value]
    return value.item() if value.dtype == object else torch.as_tensor(value)
