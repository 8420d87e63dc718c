"""Functions of `math` of two numbers, one of which the data decides: in tensors, in double precision, as in C.

math.fmod(t.item(), 3.0)         torch.fmod; ValueError where it is NaN, and neither number was
math.remainder(t.item(), 3.0)    what the nearest multiple of 3.0 leaves, of two as near the even one
math.pow(t.item(), 2)            torch.pow; ValueError for a NaN that neither was, OverflowError for an infinity
math.isclose(a, t.item())        the two within one of the tolerances; two infinities where they are one
"""

import math
from collections.abc import Callable
from typing import Any

import torch

from graphweld.capture.predicates import is_data_dependent, predicate
from graphweld.capture.raises import emit_check
from graphweld.capture.variables import Tx, call

Number = float | torch.Tensor


def of_data(tx: Tx, fn: Any, args: Any) -> Callable[..., Any] | None:
    """What stands for such a function, traced; None where no number is the data's. The call ends where it raises."""
    found = FUNCTIONS.get(fn)
    if found is None or len(args) != 2 or not any(is_data_dependent(arg.realize()) for arg in args):
        return None
    for raises, exception in RAISING.get(fn, ()):
        emit_check(tx, predicate(tx, call(tx, raises, *args)), exception)
    return found


def _double(number: Number) -> torch.Tensor:
    if isinstance(number, torch.Tensor):
        return number.to(torch.float64)
    return torch.full((), number, dtype=torch.float64)


def _raises(number: Number, divisor: Number) -> torch.Tensor:
    into = _double(number), _double(divisor)
    return torch.isnan(torch.fmod(*into)) & ~torch.isnan(into[0]) & ~torch.isnan(into[1])


def _pow(number: Number, exponent: Number) -> Any:
    return _power(number, exponent).item()


def _power(number: Number, exponent: Number) -> torch.Tensor:
    into = exponent if type(exponent) in (int, float) else _double(exponent)  # squares and roots are exact
    return torch.pow(_double(number), into)


def _is_no_power(number: Number, exponent: Number) -> torch.Tensor:
    base, by = _double(number), _double(exponent)
    return (torch.isnan(_power(number, exponent)) & ~torch.isnan(base) & ~torch.isnan(by)) | ((base == 0) & (by < 0))


def _is_beyond(number: Number, exponent: Number) -> torch.Tensor:
    base, by = _double(number), _double(exponent)
    return torch.isinf(_power(number, exponent)) & torch.isfinite(base) & torch.isfinite(by) & (base != 0)


def _each(fn: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Callable[[Number, Number], Any]:
    return lambda a, b: fn(_double(a), _double(b)).item()


def _remainder(number: torch.Tensor, divisor: torch.Tensor) -> torch.Tensor:
    size, step = number.abs(), divisor.abs()
    rest = torch.fmod(size, step)
    short = step - rest  # of the multiple above
    even = rest - 2.0 * torch.fmod(0.5 * (size - rest), step)
    nearest = torch.where(rest < short, rest, torch.where(rest > short, -short, even))
    signed = torch.where(number < 0, -nearest, nearest)
    return torch.where((number == 0) & (signed == 0), number, signed)  # a zero keeps its sign


def _isclose(a: Number, b: Number, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    a, b = _double(a), _double(b)
    apart = (b - a).abs()
    within = (apart <= (rel_tol * a).abs()) | (apart <= (rel_tol * b).abs()) | (apart <= abs_tol)
    return bool((a == b) | (within & ~torch.isinf(a) & ~torch.isinf(b)))


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    math.fmod: _each(torch.fmod),
    math.remainder: _each(_remainder),
    math.copysign: _each(torch.copysign),
    math.atan2: _each(torch.atan2),
    math.pow: _pow,
    math.isclose: _isclose,
}
RAISING: dict[Any, list[tuple[Callable[..., torch.Tensor], type[Exception]]]] = {
    math.fmod: [(_raises, ValueError)],
    math.remainder: [(_raises, ValueError)],
    math.pow: [(_is_no_power, ValueError), (_is_beyond, OverflowError)],
}
