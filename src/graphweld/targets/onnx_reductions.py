"""Reductions of tensors that may be empty, such as what is left of a selection: torch's exporter takes them for full.

x[x > 0].any() is False there, its mean nan, its max an error. Where the size is known, ONNX's own reductions stand.
"""

from collections.abc import Callable
from typing import Any

import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import from_torch_dtype

from graphweld.targets import onnx_extremes
from graphweld.targets.onnx_nodes import Dims, axes_of, constant, emit, is_full

BOOL, INT64 = ir.DataType.BOOL, ir.DataType.INT64


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Each operator's translation."""
    aten = torch.ops.aten
    return {
        aten.any.default: translate_any,
        aten.any.dim: translate_any,
        aten.any.dims: translate_any,
        aten.mean.default: translate_mean,
        aten.mean.dim: translate_mean,
        aten.var.correction: translate_var,
        aten.std.correction: translate_std,
        aten.var_mean.correction: translate_var_mean,
        **onnx_extremes.translations(),
    }


def translate_any(value: ir.Value, dim: Dims = None, keepdim: bool = False) -> ir.Value:
    """Whether one holds."""
    holds = emit("Cast", emit("Cast", [value], to=BOOL), to=INT64)
    return emit("Greater", [*emit("ReduceSum", [*holds, axes_of(dim)], keepdims=int(keepdim)), constant(0)])[0]


def translate_mean(value: ir.Value, dim: Dims = None, keepdim: bool = False, dtype: Any = None) -> ir.Value:
    """The sum by the count."""
    if dtype is not None:
        value = emit("Cast", [value], to=dtype if isinstance(dtype, int) else from_torch_dtype(dtype))[0]
    if is_full(value):
        return emit("ReduceMean", [value, axes_of(dim)], keepdims=int(keepdim))[0]
    total = emit("ReduceSum", [value, axes_of(dim)], keepdims=int(keepdim))
    return emit("Div", [*total, _count(value, dim)])[0]


def translate_var(
    value: ir.Value, dim: Dims = None, correction: float | None = None, keepdim: bool = False
) -> ir.Value:
    """The squares of the gaps to the mean."""
    gaps = emit("Sub", [value, translate_mean(value, dim, True)])
    squares = emit("ReduceSumSquare", [*gaps, axes_of(dim)], keepdims=int(keepdim))
    taken, least = (
        emit("CastLike", [constant(number, ir.DataType.DOUBLE), value])[0]
        for number in (1.0 if correction is None else float(correction), 0.0)
    )
    count = emit("Max", [*emit("Sub", [_count(value, dim), taken]), least])
    return emit("Div", [*squares, *count])[0]


def translate_std(
    value: ir.Value, dim: Dims = None, correction: float | None = None, keepdim: bool = False
) -> ir.Value:
    """The root of the variance."""
    return emit("Sqrt", [translate_var(value, dim, correction, keepdim)])[0]


def translate_var_mean(
    value: ir.Value, dim: Dims = None, correction: float | None = None, keepdim: bool = False
) -> tuple[ir.Value, ir.Value]:
    """Both."""
    return translate_var(value, dim, correction, keepdim), translate_mean(value, dim, keepdim)


def _count(value: ir.Value, dim: Dims) -> ir.Value:
    """How many elements become one, in the type of the elements."""
    axes = axes_of(dim)
    if axes is None:
        return emit("CastLike", [*emit("Size", [value]), value])[0]
    sizes = emit("Gather", [*emit("Shape", [value]), axes])
    return emit("CastLike", [*emit("ReduceProd", sizes, keepdims=0), value])[0]
