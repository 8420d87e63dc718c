"""Divisions, remainders, bounds, signs and constants, where torch's exporter gives others than plain Python.

1.0 // 0.1 is 9 and was 10, -7 // 2 of numbers of the data -4 and was -3, inf.clamp(min=0) inf and was the greatest
float, and 0.1 was rounded to a float32 wherever a float64 is computed with.
"""

import operator
from collections.abc import Callable
from typing import Any

import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import from_torch_dtype

from graphweld.targets.onnx_nodes import Number, as_value, constant, emit, like

Operand = ir.Value | Number
INT64 = ir.DataType.INT64
HALVES = {ir.DataType.FLOAT16, ir.DataType.BFLOAT16}  # ONNX Runtime has no remainder of them


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Each operator's translation."""
    aten = torch.ops.aten
    return {
        operator.floordiv: translate_floor_divide,
        operator.mod: translate_remainder,
        aten.floor_divide.default: translate_floor_divide,
        aten.floor_divide.Scalar: translate_floor_divide,
        aten.remainder.Tensor: translate_remainder,
        aten.remainder.Scalar: translate_remainder,
        aten.remainder.Scalar_Tensor: translate_remainder,
        aten.div.Tensor_mode: translate_div,
        aten.div.Scalar_mode: translate_div,
        aten.clamp.default: translate_clamp,
        aten.clamp.Tensor: translate_clamp,
        aten.clamp_min.default: translate_clamp_min,
        aten.clamp_min.Tensor: translate_clamp_min,
        aten.clamp_max.default: translate_clamp_max,
        aten.clamp_max.Tensor: translate_clamp_max,
        aten.sign.default: translate_sign,
        aten.pow.Tensor_Scalar: translate_power,
        aten.mul.Scalar: _with_number("Mul"),
        aten.add.Scalar: _with_number("Add"),
        aten.sub.Scalar: _with_number("Sub"),
        aten.scalar_tensor.default: translate_scalar,
        round: translate_round,
        **dict.fromkeys((operator.and_, aten.bitwise_and.Scalar, aten.bitwise_and.Scalar_Tensor), _of_bits("And")),
        **dict.fromkeys((operator.or_, aten.bitwise_or.Scalar, aten.bitwise_or.Scalar_Tensor), _of_bits("Or")),
        **dict.fromkeys((aten.bitwise_xor.Scalar, aten.bitwise_xor.Scalar_Tensor), _of_bits("Xor")),
        operator.lshift: translate_left_shift,
        operator.rshift: translate_right_shift,
    }


def translate_floor_divide(a: Operand, b: Operand) -> ir.Value:
    """As Python divides: by way of the remainder, which is exact, where a quotient is rounded."""
    a, b = _alike(a, b)
    if not _is_float(a):
        return emit("Div", [*emit("Sub", [a, *emit("Mod", [a, b])]), b])[0]
    if a.dtype in HALVES:
        return _in_floats(translate_floor_divide, a, b)
    rest = emit("Mod", [a, b], fmod=1)[0]
    exact = emit("Div", [*emit("Sub", [a, rest]), b])[0]
    exact = emit("Where", [_is_below(rest, b), *emit("Sub", [exact, like(1.0, a)]), exact])[0]
    found = emit("Floor", [exact])[0]
    is_next = emit("Greater", [*emit("Sub", [exact, found]), like(0.5, a)])
    found = emit("Where", [*is_next, *emit("Add", [found, like(1.0, a)]), found])[0]
    quotient = emit("Div", [a, b])[0]
    zero = emit("Mul", [quotient, like(0.0, a)])  # of its sign
    found = emit("Where", [*emit("Equal", [exact, like(0.0, a)]), *zero, found])[0]
    return emit("Where", [*emit("Equal", [b, like(0.0, a)]), quotient, found])[0]


def translate_remainder(a: Operand, b: Operand) -> ir.Value:
    """What is left, of the divisor's sign."""
    a, b = _alike(a, b)
    if not _is_float(a):
        return emit("Mod", [a, b])[0]
    if a.dtype in HALVES:
        return _in_floats(translate_remainder, a, b)
    rest = emit("Mod", [a, b], fmod=1)[0]
    return emit("Where", [_is_below(rest, b), *emit("Add", [rest, b]), rest])[0]


def translate_div(a: Operand, b: Operand, rounding_mode: str | None = None) -> ir.Value:
    """A quotient, rounded down, towards zero, or not."""
    if rounding_mode == "floor":
        return translate_floor_divide(a, b)
    a, b = _alike(a, b)
    quotient = emit("Div", [a, b])[0]
    if rounding_mode is None or not _is_float(a):
        return quotient
    is_negative = emit("Less", [quotient, like(0.0, a)])
    return emit("Where", [*is_negative, *emit("Ceil", [quotient]), *emit("Floor", [quotient])])[0]


def translate_clamp(value: ir.Value, min: Operand | None = None, max: Operand | None = None) -> ir.Value:  # noqa: A002 - torch's names
    """Inside of bounds, of which ONNX Runtime takes one that is left out for the greatest finite float."""
    bounds = [None if bound is None else _like(bound, value) for bound in (min, max)]
    if not _is_float(value) and all(bound is None or _is_number(bound) for bound in bounds):
        return emit("Clip", [value, *bounds])[0]
    for kind, bound in zip(("Max", "Min"), bounds, strict=True):
        value = value if bound is None else emit(kind, [value, bound])[0]
    return value


def translate_clamp_min(value: ir.Value, min: Operand) -> ir.Value:  # noqa: A002
    """Not less."""
    return translate_clamp(value, min)


def translate_clamp_max(value: ir.Value, max: Operand) -> ir.Value:  # noqa: A002
    """Not more."""
    return translate_clamp(value, None, max)


def translate_sign(value: ir.Value) -> ir.Value:
    """Of NaN, 0."""
    found = emit("Sign", [value])[0]
    return emit("Where", [*emit("IsNaN", [value]), like(0.0, value), found])[0] if _is_float(value) else found


def translate_power(value: ir.Value, exponent: Operand) -> ir.Value:
    """A power, that of a half the square root, which of an infinity below zero is NaN."""
    if isinstance(exponent, float) and abs(exponent) == 0.5 and _is_float(value):
        root = emit("Sqrt", [value])
        return root[0] if exponent > 0 else emit("Reciprocal", root)[0]
    return emit("Pow", [value, _like(exponent, value)])[0]


def _with_number(name: str) -> Callable[..., ir.Value]:
    """A tensor and a number, which may be the data's, and takes the tensor's type: by then, that of the result."""

    def translate(value: ir.Value, number: Operand, alpha: Operand = 1) -> ir.Value:
        sides = [
            emit("CastLike", [n, value])[0] if isinstance(n, ir.Value) else like(n, value) for n in (number, alpha)
        ]
        return emit(name, [value, sides[0] if alpha == 1 else emit("Mul", sides)[0]])[0]

    return translate


def translate_scalar(s: Operand, dtype: Any = None, **_: Any) -> ir.Value:
    """A number as a tensor, in all its digits."""
    wanted = ir.DataType.FLOAT if dtype is None else dtype if isinstance(dtype, int) else from_torch_dtype(dtype)
    return emit("Cast", [s], to=wanted)[0] if isinstance(s, ir.Value) else constant(s, ir.DataType(wanted))


def translate_round(number: ir.Value, digits: int | None = None) -> ir.Value:
    """The whole number next to one of the data, an even one where there are two."""
    if digits is not None:
        raise NotImplementedError("a float rounded to some of its digits")
    return emit("Cast", emit("Round", [number]), to=INT64)[0]


def _of_bits(name: str) -> Callable[[Operand, Operand], ir.Value]:
    """The translation of an operator on the bits of two ints, or on two bools. A number takes a tensor's type."""

    def translate(a: Operand, b: Operand) -> ir.Value:
        sides = [as_value(a), as_value(b)]
        kinds = {side.dtype for side in sides} - {None}
        kind = kinds.pop() if len(kinds) == 1 else next(iter(kinds - {ir.DataType.BOOL, INT64}), INT64)
        sides = [side if side.dtype == kind else emit("Cast", [side], to=kind)[0] for side in sides]
        return emit(name if kind == ir.DataType.BOOL else f"Bitwise{name}", sides)[0]

    return translate


def translate_left_shift(number: Operand, places: Operand) -> ir.Value:
    """The bits of an int that may be negative, which ONNX does not shift."""
    number, places = _alike(number, places)
    return emit("Mul", [number, *emit("Pow", [like(2, places), places])])[0]


def translate_right_shift(number: Operand, places: Operand) -> ir.Value:
    """The same to the right."""
    number, places = _alike(number, places)
    return translate_floor_divide(number, emit("Pow", [like(2, places), places])[0])


def _alike(a: Operand, b: Operand) -> tuple[ir.Value, ir.Value]:
    """Both as values, of one type."""
    first = next(side for side in (a, b) if isinstance(side, ir.Value))
    return _like(a, first), _like(b, first)


def _like(operand: Operand, value: ir.Value) -> ir.Value:
    return operand if isinstance(operand, ir.Value) else like(operand, value)


def _is_float(value: ir.Value) -> bool:
    assert value.dtype is not None, "the exporter has typed it"
    return value.dtype.is_floating_point()


def _is_number(value: ir.Value) -> bool:
    return value.shape is None or len(value.shape) == 0


def _is_below(rest: ir.Value, divisor: ir.Value) -> ir.Value:
    """Whether a remainder is not of the divisor's sign, and is not zero."""
    zero = like(0.0, rest)
    signs = emit("Xor", [*emit("Less", [rest, zero]), *emit("Less", [divisor, zero])])
    return emit("And", [*emit("Not", emit("Equal", [rest, zero])), *signs])[0]


def _in_floats(translate: Callable[[Operand, Operand], ir.Value], a: ir.Value, b: ir.Value) -> ir.Value:
    assert a.dtype is not None, "the exporter has typed it"
    wide = [emit("Cast", [side], to=ir.DataType.FLOAT)[0] for side in (a, b)]
    for value in wide:
        value.dtype = ir.DataType.FLOAT
    return emit("Cast", [translate(*wide)], to=a.dtype)[0]
