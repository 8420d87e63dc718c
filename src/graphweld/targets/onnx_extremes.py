"""The greatest, the least, and orders: a NaN among the elements is the greatest and the least.

ONNX says nothing about NaN, and ONNX Runtime (1.32) leaves it out of a greatest or least, as if it were not there.
"""

from collections.abc import Callable
from typing import Any

import onnx_ir as ir
import torch

from graphweld.targets.onnx_nodes import Dims, axes_of, constant, emit, is_full, like

FLOATS = {ir.DataType.FLOAT, ir.DataType.DOUBLE}
INT32, BOOL = ir.DataType.INT32, ir.DataType.BOOL


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Each operator's translation."""
    aten = torch.ops.aten
    return {
        aten.max.default: translate_max,
        aten.min.default: translate_min,
        aten.amax.default: translate_amax,
        aten.amin.default: translate_amin,
        aten.max.dim: translate_max_along,
        aten.min.dim: translate_min_along,
        aten.argmax.default: translate_argmax,
        aten.argmin.default: translate_argmin,
        aten.logsumexp.default: translate_logsumexp,
        aten.sort.stable: translate_stable_sort,
    }


def translate_max(value: ir.Value) -> ir.Value:
    """The greatest element."""
    return _only("Max", value)


def translate_min(value: ir.Value) -> ir.Value:
    """The least element."""
    return _only("Min", value)


def translate_amax(value: ir.Value, dim: Dims = None, keepdim: bool = False) -> ir.Value:
    """The greatest elements along axes."""
    return _extreme("Max", value, dim, keepdim)


def translate_amin(value: ir.Value, dim: Dims = None, keepdim: bool = False) -> ir.Value:
    """The least elements along axes."""
    return _extreme("Min", value, dim, keepdim)


def translate_max_along(value: ir.Value, dim: int, keepdim: bool = False) -> tuple[ir.Value, ir.Value]:
    """The greatest elements along one axis, and where they are."""
    return _extreme("Max", value, dim, keepdim), _position("Max", value, dim, keepdim)


def translate_min_along(value: ir.Value, dim: int, keepdim: bool = False) -> tuple[ir.Value, ir.Value]:
    """The least elements along one axis, and where they are."""
    return _extreme("Min", value, dim, keepdim), _position("Min", value, dim, keepdim)


def translate_argmax(value: ir.Value, dim: int | None = None, keepdim: bool = False) -> ir.Value:
    """Where the greatest element is."""
    return _position("Max", value, dim, keepdim)


def translate_argmin(value: ir.Value, dim: int | None = None, keepdim: bool = False) -> ir.Value:
    """Where the least element is."""
    return _position("Min", value, dim, keepdim)


def translate_logsumexp(value: ir.Value, dim: Dims, keepdim: bool = False) -> ir.Value:
    """The logarithm of a sum of powers, none of them greater than one."""
    if _rank(value) == 0:
        return emit("Identity", [value])[0]
    axes = axes_of(dim)
    most = emit("ReduceMax", [value, axes], keepdims=1)[0]
    base = emit("Where", [*emit("IsInf", [most]), like(0.0, value), most])[0]
    total = emit("ReduceSum", [*emit("Exp", emit("Sub", [value, base])), axes], keepdims=1)
    found = emit("Add", [*emit("Log", total), base])
    return found[0] if keepdim else emit("Squeeze", [*found, axes])[0]


def translate_stable_sort(
    value: ir.Value, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[ir.Value, ir.Value]:
    """Elements in order, equal ones in the order that they have: so it is with ONNX's TopK."""
    if _rank(value) == 0:
        return emit("Identity", [value])[0], constant(0)
    size = emit("Gather", [*emit("Shape", [value]), constant([dim])])
    found = emit("TopK", [value, *size], 2, axis=dim, largest=int(descending))
    return found[0], found[1]


def _only(kind: str, value: ir.Value) -> ir.Value:
    found = _extreme(kind, value, None, False)
    if is_full(value):
        return found
    first = emit("Gather", [*emit("Reshape", [value, constant([-1])]), constant(0)])  # an error where there is none
    return emit(kind, [found, *first])[0]


def _extreme(kind: str, value: ir.Value, dim: Dims, keepdim: bool) -> ir.Value:
    axes = axes_of(dim) if _rank(value) else None
    found = emit(f"Reduce{kind}", [value, axes], keepdims=int(keepdim))[0]
    if value.dtype not in FLOATS:
        return found
    is_nan = emit("ReduceMax", [*_nans(value), axes], keepdims=int(keepdim))
    return emit("Where", [*emit("Cast", is_nan, to=BOOL), like(float("nan"), value), found])[0]


def _position(kind: str, value: ir.Value, dim: int | None, keepdim: bool) -> ir.Value:
    """Of the first one, where several are equal."""
    dtype = value.dtype
    if dim is None or _rank(value) == 0:
        assert not keepdim or _rank(value) == 0, "torch gives the position in a flat tensor no axes"
        value, dim, keepdim = emit("Reshape", [value, constant([-1])])[0], 0, False
    found = emit(f"Arg{kind}", [value], axis=dim, keepdims=int(keepdim))[0]
    if dtype not in FLOATS:
        return found
    nans = _nans(value)
    is_nan = emit("Cast", emit("ReduceMax", [*nans, constant([dim])], keepdims=int(keepdim)), to=BOOL)
    return emit("Where", [*is_nan, *emit("ArgMax", nans, axis=dim, keepdims=int(keepdim)), found])[0]


def _nans(value: ir.Value) -> Any:
    return emit("Cast", emit("IsNaN", [value]), to=INT32)


def _rank(value: ir.Value) -> int:
    assert value.shape is not None, "the exporter has shaped it"
    return len(value.shape)
