"""Printing, logging and warning when a compiled program returns: what it said, in order, and only what it would have.

The tracer records the calls with the values of their moment; the code behind the graph makes them, each under the
predicate of the branch it stood in.
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


def say(pred: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`function(*args, **kwargs)` where `pred` holds."""
    if pred:
        function(*args, **kwargs)


def say_to(pred: Any, receiver: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`receiver.name(*args, **kwargs)` where `pred` holds."""
    if pred:
        getattr(receiver, name)(*args, **kwargs)


def warn(pred: Any, place: tuple[str, int, str], message: Any, category: Any = UserWarning) -> None:
    """`warnings.warn(message, category)` of the user's line `place`, under Python's rule of once per place."""
    if pred:
        file, line, module = place
        registry = vars(sys.modules[module]).setdefault("__warningregistry__", {}) if module in sys.modules else None
        warnings.warn_explicit(message, category, file, line, module, registry)


@dataclass(frozen=True, slots=True)
class Row:
    """The value of a trip in its own stack of rows: a tensor, or the Python number that it holds."""

    stack: int
    kind: str


@dataclass(frozen=True, slots=True)
class Format:
    """`template.format(*args, **kwargs)` of the values of a trip."""

    template: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pick:
    """One value of a trip or another."""

    pred: Any
    then: Any
    orelse: Any


@dataclass(frozen=True, slots=True)
class Cut:
    """The first rows of a tensor, as many as the trip had."""

    value: Row
    count: Row


@dataclass(frozen=True, slots=True)
class Quoted:
    """What the trips of a loop say, whose rows are those of that loop."""

    sayings: tuple[tuple[Callable[..., None], Any], ...]


def say_trips(pred: Any, quoted: Quoted, stacks: tuple[torch.Tensor, ...]) -> None:
    """Make the calls of each trip of a loop, in order: functions above, and arguments made of the trip's rows."""
    if pred:
        for rows in zip(*stacks, strict=True):
            for function, *args in quoted.sayings:
                function(*(_of_trip(arg, rows) for arg in args))


def _of_trip(value: Any, rows: tuple[torch.Tensor, ...]) -> Any:
    match value:
        case Row(stack, kind):
            return rows[stack].item() if kind == "item" else rows[stack]
        case Format(template, args, kwargs):
            return template.format(*_of_trip(args, rows), **_of_trip(kwargs, rows))
        case Cut(value, count):
            return _of_trip(value, rows)[: _of_trip(count, rows)]
        case Pick(pred, then, orelse):
            return _of_trip(then if _of_trip(pred, rows) else orelse, rows)
    if type(value) in (tuple, list):
        return type(value)(_of_trip(part, rows) for part in value)
    if type(value) is dict:
        return {key: _of_trip(part, rows) for key, part in value.items()}
    return value
