"""Operators for which torch's exporter has no translation, or one that ONNX Runtime does not run, and our own."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir
import torch
from onnxscript.function_libs.torch_lib.ops.core import aten_index

import graphweld.capture.returned_lists  # noqa: F401 - makes operators
from graphweld.capture.exporter import BATCH_NORM, CDIST
from graphweld.capture.returned_choices import CHOICE
from graphweld.targets import onnx_arithmetic, onnx_draws, onnx_reductions
from graphweld.targets.onnx_choices import translate_choice
from graphweld.targets.onnx_nodes import Number, constant, emit, like
from graphweld.targets.onnx_raises import WORDS

BOOL, INT64 = ir.DataType.BOOL, ir.DataType.INT64
FLOATS = {ir.DataType.FLOAT: (24, 2.0**-149), ir.DataType.DOUBLE: (53, 2.0**-1074)}  # bits, and the least one
MOST = 2**63 - 1
SELECTED = {ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.INT32, ir.DataType.INT64, ir.DataType.UINT8}


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    return {
        torch.ops.aten.where.self: translate_where,
        **onnx_arithmetic.translations(),
        **onnx_reductions.translations(),
        **onnx_draws.translations(),
        torch.ops.aten.cat.default: translate_cat,
        torch.ops.aten.copy.default: translate_copy,
        torch.ops.aten.index.Tensor: translate_index,
        torch.ops.aten.masked_select.default: translate_masked_select,
        CDIST: translate_cdist,
        operator.le: translate_le,
        torch.ops.aten.nextafter.default: translate_nextafter,
        BATCH_NORM: translate_batch_norm,
        torch.ops.graphweld.or_raise.default: translate_raise,
        CHOICE: translate_choice,
        torch.ops.graphweld.as_list.default: translate_list,
        torch.ops.graphweld.as_ragged_list.default: translate_ragged_list,
    }


def translate_where(pred: ir.Value, then: ir.Value, orelse: ir.Value) -> ir.Value:
    """A selection, in a type that ONNX Runtime selects from: it has no kernel for the others."""
    if then.dtype is None or then.dtype in SELECTED:
        return emit("Where", [pred, then, orelse])[0]
    wide = ir.DataType.FLOAT if then.dtype.is_floating_point() else ir.DataType.INT64
    sides = [emit("Cast", [side], to=wide)[0] for side in (then, orelse)]
    return emit("Cast", emit("Where", [pred, *sides]), to=then.dtype)[0]


def translate_cat(tensors: Sequence[ir.Value], dim: int = 0) -> ir.Value:
    """Tensors in a row, of which an empty one may have fewer dimensions."""
    kept = [tensor for tensor in tensors if tensor.shape is None or tensor.shape != (0,)] or list(tensors[:1])
    return emit("Concat", kept, axis=dim)[0] if len(kept) > 1 else emit("Identity", kept)[0]


def translate_copy(value: ir.Value, source: ir.Value, non_blocking: bool = False) -> ir.Value:
    """What becomes of a tensor that another one is written into, which may be of fewer elements."""
    return emit("Expand", [*emit("CastLike", [source, value]), *emit("Shape", [value])])[0]


def translate_index(value: ir.Value, indices: Sequence[ir.Value | None]) -> ir.Value:
    """Indexing; a mask beside other tensors is the positions where it holds, which the exporter takes for all."""
    given = [index for index in indices if index is not None]
    if len(given) < 2 or not any(index.dtype == BOOL for index in given):
        return aten_index(value, indices)  # type: ignore[no-any-return]
    positions: list[ir.Value | None] = []
    for index in indices:
        positions += [index] if index is None or index.dtype != BOOL else _positions(index)
    return aten_index(value, positions)  # type: ignore[no-any-return]


def _positions(mask: ir.Value) -> list[ir.Value]:
    """Where a mask holds, in each of its dimensions."""
    (places,) = emit("NonZero", [mask])
    rows = [emit("Gather", [places, constant(dim)], axis=0)[0] for dim in range(len(mask.shape or ()))]
    for row in rows:
        row.dtype, row.shape = INT64, ir.Shape([None])
    return rows


def translate_masked_select(value: ir.Value, mask: ir.Value) -> ir.Value:
    """The elements where the mask, which may be of another size, holds."""
    mask = emit("Expand", [mask, *emit("Shape", [value])])[0]
    flat = emit("Reshape", [mask, constant([-1])])
    return emit("Compress", [*emit("Expand", [value, *emit("Shape", [mask])]), *flat])[0]


def translate_le(a: ir.Value | Number, b: ir.Value | Number) -> ir.Value:
    """A comparison, maybe with a bound of a size that is more than ONNX's ints hold: their greatest, then."""
    dtype = next(side.dtype for side in (a, b) if isinstance(side, ir.Value))
    sides = [side if isinstance(side, ir.Value) else constant(_held(side), dtype or INT64) for side in (a, b)]
    return emit("LessOrEqual", sides)[0]


def _held(number: Number) -> Number:
    return max(min(number, MOST), -MOST - 1) if isinstance(number, int) else number


def translate_cdist(a: ir.Value, b: ir.Value, p: float, mode: int | None = None) -> ir.Value:
    """The distance of each row of one matrix to each of the other."""
    rows, columns, last = constant([-2]), constant([-3]), constant([-1])
    gaps = emit("Sub", [*emit("Unsqueeze", [a, rows]), *emit("Unsqueeze", [b, columns])])
    if p == 2:
        return emit("ReduceL2", [*gaps, last], keepdims=0)[0]
    if p == 1:
        return emit("ReduceL1", [*gaps, last], keepdims=0)[0]
    if p == float("inf"):
        return emit("ReduceMax", [*emit("Abs", gaps), last], keepdims=0)[0]
    raise NotImplementedError(f"distances of the norm {p}")


def translate_nextafter(x: ir.Value, y: ir.Value) -> ir.Value:
    """The float next to `x` towards `y`.

    x + (u (1 + 2u) |x| + least), rounded, is the next one: Rump, Zimmermann, Boldo, Melquiond, "Computing predecessor
    and successor in rounding to nearest", 2009. `u` is half the distance from 1 to the next float.
    """
    assert x.dtype in FLOATS, "torch has it for floats"
    bits, least = FLOATS[x.dtype]
    u = 2.0**-bits
    small, smallest = constant(u * (1 + 2 * u), x.dtype), constant(least, x.dtype)
    step = emit("Add", [*emit("Mul", [*emit("Abs", [x]), small]), smallest])[0]
    down = emit("Where", [*emit("Greater", [x, y]), *emit("Sub", [x, step]), y])[0]
    return emit("Where", [*emit("Less", [x, y]), *emit("Add", [x, step]), down])[0]


def translate_batch_norm(
    value: ir.Value,
    weight: ir.Value | None,
    bias: ir.Value | None,
    running_mean: ir.Value,
    running_var: ir.Value,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[ir.Value, ...]:
    """A batch normalized by itself, and new running statistics; torch's exporter normalizes it by the old ones."""
    assert training, "torch has another operator where nothing changes"
    assert value.shape is not None, "the exporter has shaped it"
    dims = [dim for dim in range(len(value.shape)) if dim != 1]
    var, mean = onnx_reductions.translate_var_mean(value, dims, 0, True)
    scale = emit("Sqrt", [emit("Add", [var, like(eps, value)])[0]])
    norm = emit("Div", [*emit("Sub", [value, mean]), *scale])[0]
    places = constant(dims)
    for kind, factor in (("Mul", weight), ("Add", bias)):
        spread = constant([dim for dim in dims if dim != 0])
        norm = norm if factor is None else emit(kind, [norm, *emit("Unsqueeze", [factor, spread])])[0]
    unbiased = onnx_reductions.translate_var(value, dims, 1, False)
    flat = emit("Squeeze", [mean, places])[0]
    after = [
        emit("Add", [*emit("Mul", [was, like(1 - momentum, was)]), *emit("Mul", [now, like(momentum, now)])])[0]
        for was, now in ((running_mean, flat), (running_var, unbiased))
    ]
    return norm, flat, *emit("Squeeze", [*emit("Reciprocal", scale), places]), *after


def translate_raise(value: ir.Value, passes: ir.Value, words: str) -> ir.Value:
    """The value, taken from where it is or from where nothing is."""
    position = emit("Cast", emit("Not", [passes]), to=ir.DataType.INT64)
    only = emit("Unsqueeze", [value, constant([0])])
    made = emit("Gather", [*only, *position], axis=0)
    producer = made[0].producer()
    assert producer is not None, "it has just been made"
    producer.metadata_props[WORDS] = words
    return made[0]


def translate_list(rows: ir.Value, item: str) -> ir.Value:
    """The sequence of the rows of a tensor."""
    return emit("SplitToSequence", [rows], axis=0, keepdims=0)[0]


def translate_ragged_list(rows: ir.Value, counts: ir.Value, dim: int) -> ir.Value:
    """The sequence of the parts in use of each row: a loop that takes them one by one."""
    assert rows.dtype is not None, "the exporter has typed it"
    items = ir.SequenceType(ir.TensorType(rows.dtype))
    trip, goes_on = (_value(name, ir.TensorType(t), []) for name, t in (("trip", INT64), ("goes_on", BOOL)))
    before = _value("items", items, None)
    row, count = ir.node("Gather", [rows, trip]), ir.node("Gather", [counts, trip])
    zero, axis, flat = (ir.node("Constant", [], {"value": ir.tensor([k], dtype=INT64)}) for k in (0, dim, -1))
    end = ir.node("Reshape", [count.outputs[0], flat.outputs[0]])
    part = ir.node("Slice", [row.outputs[0], zero.outputs[0], end.outputs[0], axis.outputs[0]])
    added = ir.node("SequenceInsert", [before, part.outputs[0]])
    stays = ir.node("Identity", [goes_on])
    nodes = [row, count, zero, axis, flat, end, part, added, stays]
    for k, node in enumerate(nodes):
        node.outputs[0].name = f"list_value_{k}"
    added.outputs[0].type = items
    stays.outputs[0].type, stays.outputs[0].shape = ir.TensorType(BOOL), ir.Shape([])
    body = ir.Graph([trip, goes_on, before], [stays.outputs[0], added.outputs[0]], nodes=nodes, name="list")
    number = emit("Squeeze", emit("Shape", [counts]))
    return emit("Loop", [*number, None, *emit("SequenceEmpty", [], dtype=rows.dtype)], body=body)[0]


def _value(name: str, kind: Any, shape: Any) -> ir.Value:
    return ir.Value(name=f"list_{name}", type=kind, shape=None if shape is None else ir.Shape(shape))
