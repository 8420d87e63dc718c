"""Results of an ONNX model that are sequences: lists of which the data decides the length (see `returned_lists`)."""

from typing import Any

import onnx_ir as ir
import torch

from graphweld.capture.returned_lists import LISTS


def type_sequences(program: torch.export.ExportedProgram, model: ir.Model) -> None:
    """Give the outputs that are sequences their type; the exporter takes them for the tensors that they have been."""
    results = [r for r in program.graph.output_node().args[0] if isinstance(r, torch.fx.Node)]
    for output, result in zip(model.graph.outputs, results[-len(model.graph.outputs) :], strict=True):
        if result.target in LISTS and output.dtype is not None:
            output.type, output.shape = ir.SequenceType(ir.TensorType(output.dtype)), None


def results_of(model: torch.onnx.ONNXProgram, inputs: list[Any]) -> list[Any]:
    """What ONNX Runtime gives: tensors, and lists of tensors."""
    if not any(isinstance(output.type, ir.SequenceType) for output in model.model.graph.outputs):
        return list(model(*inputs))
    import onnxruntime

    session = onnxruntime.InferenceSession(model.model_proto.SerializeToString())
    feed = zip(session.get_inputs(), inputs, strict=True)
    found = session.run(None, {place.name: torch.as_tensor(value).numpy(force=True) for place, value in feed})
    return [
        [torch.as_tensor(v) for v in value] if isinstance(value, list) else torch.as_tensor(value) for value in found
    ]
