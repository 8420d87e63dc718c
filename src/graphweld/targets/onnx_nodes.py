"""New nodes of an ONNX model, in a translation that torch's exporter has called."""

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir
import onnxscript

Number = bool | int | float
Dims = int | Sequence[int] | None
NUMBERS = {bool: ir.DataType.BOOL, int: ir.DataType.INT64, float: ir.DataType.DOUBLE}


def emit(kind: str, inputs: Sequence[ir.Value | None], count: int = 1, **attributes: Any) -> Sequence[ir.Value]:
    """The outputs of one new node."""
    tracer: Any = onnxscript.evaluator.default()  # the exporter's, which collects the nodes of one translation
    made = ir.convenience.convert_attributes(attributes)
    node = ir.Node("", kind, inputs, made, num_outputs=count, version=tracer.opset.version)
    tracer.nodes.append(node)
    return node.outputs


def as_value(operand: ir.Value | Number) -> ir.Value:
    """An operand as a value; a number that was known when the program was exported becomes a constant."""
    if isinstance(operand, ir.Value):
        return operand
    return constant(operand, NUMBERS[type(operand)])


def constant(value: Any, dtype: ir.DataType = ir.DataType.INT64) -> ir.Value:
    """A constant node's output."""
    return emit("Constant", [], value=ir.tensor(value, dtype=dtype))[0]


def like(number: float, value: ir.Value) -> ir.Value:
    """A number in the type of a value."""
    is_held = isinstance(number, int) and abs(number) < 1 << 63
    made = emit("CastLike", [constant(number, NUMBERS[type(number)] if is_held else ir.DataType.DOUBLE), value])[0]
    if value.dtype is not None:
        made.dtype = value.dtype
    return made


def axes_of(dim: Dims) -> ir.Value | None:
    """The axes of a reduction; None for all."""
    dims = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return constant(dims) if dims else None


def is_full(value: ir.Value) -> bool:
    """Whether it is known that there is an element."""
    return value.shape is not None and value.shape.is_static() and 0 not in value.shape.numpy()
