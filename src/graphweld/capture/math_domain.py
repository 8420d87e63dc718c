"""Functions of `math` that raise, for a number of the data outside of their domain or a result beyond all floats.

math.sqrt(t.item())      ValueError where t < 0; compiled code goes on with NaN
math.cosh(t.item())      OverflowError where t > 710.48; compiled code goes on with infinity
math.exp(t.item())       as well; torch has no such function of symbols, so it is one of tensors, in double precision
math.floor(t.item())     OverflowError for an infinity, ValueError for a NaN; compiled code goes on with any number
t.item() // 0.1          the largest whole number of times that it goes in; of symbols, a rounded quotient, rounded down
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture import math_pairs
from graphweld.capture.predicates import is_data_dependent, predicate
from graphweld.capture.raises import emit_check
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, call, example, is_data_float, is_data_number, is_tensor

_RAISING = "sqrt log exp2 log2 log10 log1p exp expm1 acos asin acosh atanh cosh sinh sin cos tan"
IN_TENSORS = {getattr(math, name): getattr(torch, name) for name in _RAISING.split() if hasattr(math, name)}


def _in_tensors(fn: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., Any]:
    return lambda number: fn(torch.full((), number, dtype=torch.float64)).item()


def _log(number: Any, *base: Any) -> Any:
    result = torch.log(torch.full((), number, dtype=torch.float64)).item()
    return result / math.log(base[0]) if base else result


IN_EXPORTS = {getattr(math, name): _in_tensors(getattr(torch, name)) for name in ("atan", "tanh")}  # raise nothing
TO_WHOLE = {math.floor: torch.floor, math.ceil: torch.ceil, math.trunc: torch.trunc}
_ONLY_TENSORS = "exp exp2 expm1 log10 log1p acosh asinh atanh erf erfc"
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    getattr(math, name): _in_tensors(getattr(torch, name)) for name in _ONLY_TENSORS.split() if hasattr(math, name)
} | {
    math.fabs: lambda number: abs(number) * 1.0,
    math.degrees: lambda number: number * (180.0 / math.pi),
    math.log: _log,
}


def of_data(tx: Tx, fn: Any, args: Any) -> Callable[..., Any] | None:
    """What stands for such a function, traced; None where torch's own does. The call ends where `fn` raises."""
    if fn in TO_WHOLE:
        return _whole(TO_WHOLE[fn]) if emit_finite_check(tx, *args[:1]) and tx.output.export else None
    pair = math_pairs.of_data(tx, fn, args)
    if pair is not None:
        return pair
    in_tensors, ours = IN_TENSORS.get(fn), FUNCTIONS.get(fn)
    if tx.output.export and fn in IN_EXPORTS:
        ours = IN_EXPORTS[fn]
    if not (in_tensors or ours) or not args or not is_data_dependent(args[0].realize()):
        return None
    if in_tensors:
        emit_check(tx, predicate(tx, call(tx, raises, args[0], in_tensors)), ValueError)
        if tx.output.export and not ours:  # exported programs know no functions of symbols
            return _in_tensors(in_tensors)
    return ours


def _remainder(number: torch.Tensor | float, divisor: torch.Tensor | float) -> torch.Tensor:
    """Traced. A zero has the divisor's sign, in Python."""
    number, divisor = _double(number), _double(divisor)
    rest, is_below, zero = _rest(number, divisor)
    return torch.where(is_below, rest + divisor, torch.where(rest == 0, zero, rest))


def _floor_divide(number: torch.Tensor | float, divisor: torch.Tensor | float) -> torch.Tensor:
    """Traced. Inductor's own (torch 2.13) is a quotient rounded down: 10 for 1.0 // 0.1, which is 9."""
    number, divisor = _double(number), _double(divisor)
    rest, is_below, zero = _rest(number, divisor)
    exact = (number - rest) / divisor
    exact = torch.where(is_below, exact - 1, exact)
    found = torch.floor(exact)
    found = torch.where(exact - found > 0.5, found + 1, found)
    return torch.where(exact == 0, zero * torch.sign(number), found)


def _double(number: torch.Tensor | float) -> torch.Tensor:
    return torch.as_tensor(number, dtype=torch.float64)


def _rest(number: torch.Tensor, divisor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What is left by a quotient rounded towards zero, whether one more goes in, and a zero of the divisor's sign."""
    rest = torch.fmod(number, divisor)
    return rest, (rest != 0) & ((rest < 0) != (divisor < 0)), 0.0 * torch.sign(divisor)


FLOAT_DIVISIONS: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((operator.floordiv, operator.ifloordiv), _floor_divide),
    **dict.fromkeys((operator.mod, operator.imod), _remainder),
}


def raises(number: Any, fn: Any) -> torch.Tensor:
    """Whether Python raises: a NaN or an infinity comes out that did not go in. Traced."""
    into = torch.full((), number, dtype=torch.float64)
    out = fn(into)
    return (torch.isnan(out) & ~torch.isnan(into)) | (torch.isinf(out) & torch.isfinite(into))


def emit_finite_check(tx: Tx, number: VariableTracker) -> bool:
    """OverflowError where a float is infinite or not a number, and is to become an int; whether it is a float.

    In an export, where the int is one of a tensor's, also where 64 bits do not hold it.
    """
    number = number.realize()
    if not (is_data_float(number) or (is_tensor(number) and example(number).is_floating_point())):
        return False
    emit_check(tx, predicate(tx, call(tx, is_too_long if tx.output.export else is_not_finite, number)), OverflowError)
    return True


def is_not_finite(number: Any) -> torch.Tensor:
    """Traced."""
    return torch.logical_not(torch.isfinite(_in_double(number)))


def is_too_long(number: Any) -> torch.Tensor:
    """Traced."""
    return torch.logical_not(_in_double(number).abs() < 2.0**63)


def _whole(rounded: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Any], Any]:
    """Traced. An exported program is not written with `math.floor` and the like."""
    return lambda number: rounded(_in_double(number)).to(torch.int64).item()


def _in_double(number: Any) -> torch.Tensor:
    if isinstance(number, torch.Tensor):
        return number.to(torch.float64)
    return torch.full((), number, dtype=torch.float64)


def becoming_whole(handler: Callable[..., Any]) -> Callable[..., Any]:
    """`round(x)`."""

    def handled(tx: Tx, args: Any, kwargs: Any) -> Any:
        if trace_of(tx) is not None and emit_finite_check(tx, args[0]) and tx.output.export:
            return call(tx, _whole(torch.round), args[0])
        return handler(tx, args, kwargs)

    return handled


def emit_zero_check(tx: Tx, divisor: VariableTracker) -> None:
    """ZeroDivisionError where a number is zero."""
    emit_check(tx, predicate(tx, call(tx, operator.eq, divisor, 0)), ZeroDivisionError)


def dividing(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A division of Python numbers, which raises for a zero; Inductor's would not."""

    def handled(tx: Tx, args: Any, kwargs: Any) -> Any:
        if trace_of(tx) is not None and is_data_number(args[1]) and not is_tensor(args[0].realize()):
            emit_zero_check(tx, args[1])
        return handler(tx, args, kwargs)

    return handled
