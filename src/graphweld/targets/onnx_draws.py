"""Random numbers in an ONNX model: those of its runtime, of the same distributions, drawn anew by each call and trip.

Of `Dropout` and `Bernoulli` nodes that read constants, optimizers of models compute one result for all calls
(onnxscript 0.7, ONNX Runtime 1.32). All draws are made of `RandomUniformLike` and `RandomNormalLike`, which they leave.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import from_torch_dtype

from graphweld.targets.onnx_nodes import constant, emit, like
from graphweld.view.from_onnx import SOURCE

FLOAT = ir.DataType.FLOAT
KINDS = {"RandomUniform", "RandomUniformLike", "RandomNormal", "RandomNormalLike", "Multinomial"}
LEAST = 2.0**-30  # of what is drawn where zero has no logarithm


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Each operator's translation."""
    aten = torch.ops.aten
    return {
        aten.dropout.default: translate_dropout,
        aten.native_dropout.default: translate_native_dropout,
        aten.bernoulli.default: translate_bernoulli,
        aten.multinomial.default: translate_multinomial,
        torch.ops.prims.uniform.default: translate_uniform,
    }


def places_of_draws(model: ir.Model) -> Iterator[str]:
    """The user's lines that draw random numbers."""
    for node in model.graph.all_nodes():
        if node.op_type in KINDS:
            yield node.metadata_props.get(SOURCE, node.op_type)


def translate_bernoulli(chances: ir.Value) -> ir.Value:
    """One with each chance, else zero."""
    assert chances.dtype is not None, "the exporter has typed it"
    below = emit("Less", [_drawn(chances), *emit("Cast", [chances], to=FLOAT)])
    return emit("Cast", below, to=chances.dtype)[0]


def translate_dropout(value: ir.Value, p: float, train: bool) -> ir.Value:
    """A value of which some elements are zero, and the others larger."""
    return translate_native_dropout(value, p, train)[0]


def translate_native_dropout(value: ir.Value, p: float, train: bool | None) -> tuple[ir.Value, ir.Value]:
    """The same, and which elements stay."""
    stays = emit("GreaterOrEqual", [_drawn(value), constant(p if train else 0.0, FLOAT)])
    if not train:
        return emit("Identity", [value])[0], stays[0]
    kept = emit("Mul", [value, *emit("CastLike", [*stays, value])])[0]
    return emit("Mul", [kept, like(1 / (1 - p) if p < 1 else 0.0, value)])[0], stays[0]


def translate_multinomial(weights: ir.Value, num_samples: int, replacement: bool = False) -> ir.Value:
    """Positions, each by its weight: those of the greatest logarithms of weights with noise of Gumbel's on them.

    torch's exporter puts back what it has drawn, always.
    """
    logs = emit("Log", emit("Cast", [weights], to=FLOAT))
    if not replacement or num_samples == 1:
        noise = emit("Neg", emit("Log", emit("Neg", emit("Log", [_drawn(weights, LEAST)]))))
        return emit("TopK", [*emit("Add", [*logs, *noise]), constant([num_samples])], 2, axis=-1)[1]
    assert weights.shape is not None, "the exporter has shaped it"
    is_row = len(weights.shape) == 1
    rows = emit("Unsqueeze", [*logs, constant([0])]) if is_row else logs
    found = emit("Multinomial", rows, dtype=int(ir.DataType.INT64), sample_size=num_samples)
    return emit("Squeeze", [*found, constant([0])])[0] if is_row else found[0]


def translate_uniform(shape: Sequence[int | ir.Value], low: float, high: float, dtype: Any, **_: Any) -> ir.Value:
    """Numbers between two others."""
    sizes = [
        emit("Reshape", [size, constant([1])])[0] if isinstance(size, ir.Value) else constant([size]) for size in shape
    ]
    size = emit("Concat", sizes, axis=0)[0] if sizes else constant([])
    kind = ir.DataType(dtype) if isinstance(dtype, int) else from_torch_dtype(dtype)
    zeros = emit("ConstantOfShape", [size])
    return emit("RandomUniformLike", zeros, dtype=int(kind), low=float(low), high=float(high))[0]


def _drawn(value: ir.Value, least: float = 0.0) -> ir.Value:
    """A float between 0 and 1 for each element."""
    return emit("RandomUniformLike", [value], dtype=int(FLOAT), low=least)[0]
