"""Run a program twice, as it is and converted, and compare all that can be seen."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphweld.syntax import convert

LOG: list[object] = []


def log(value: Any, *more: Any) -> Any:
    """Note that this was evaluated, and give the value."""
    LOG.append((value, *more) if more else value)
    return value


@dataclass(frozen=True)
class Program:
    """A function and the argument tuples to run it with."""

    run: Callable[..., Any]
    inputs: tuple[tuple[Any, ...], ...]
    converted: tuple[types.FunctionType, ...]
    """Whose code is exchanged."""

    @property
    def name(self) -> str:
        return self.run.__qualname__


PROGRAMS: list[Program] = []


def program(*inputs: Any, convert: Callable[[], tuple[Any, ...]] | None = None) -> Callable[[Any], Any]:
    """Register a function to be run with each of `inputs`: a tuple of arguments, or the only one.

    What `convert` names is converted in place of the function itself.
    """

    def register(function: Any) -> Any:
        arguments = tuple(i if isinstance(i, tuple) else (i,) for i in inputs or ((),))
        PROGRAMS.append(Program(function, arguments, convert() if convert else (function,)))
        return function

    return register


def observe(run: Callable[..., Any], arguments: tuple[Any, ...]) -> object:
    """The result or the exception, the order of evaluation, and what became of the arguments."""
    LOG.clear()
    arguments = copy.deepcopy(arguments)
    try:
        result = run(*arguments)
        if isinstance(result, types.GeneratorType):
            result = list(result)
        ending: object = ("returned", repr(result))
    except Exception as error:  # noqa: BLE001  (whatever the program raises is compared)
        ending = ("raised", type(error), str(error))
    return ending, repr(LOG), repr(arguments)


def check(candidate: Program) -> None:
    expected = [observe(candidate.run, arguments) for arguments in candidate.inputs]
    originals = [function.__code__ for function in candidate.converted]
    conversions = [convert(code) for code in originals]
    try:
        for function, conversion in zip(candidate.converted, conversions, strict=True):
            assert conversion is not None, "no site found"
            function.__code__ = conversion.code
        actual = [observe(candidate.run, arguments) for arguments in candidate.inputs]
    finally:
        for function, code in zip(candidate.converted, originals, strict=True):
            function.__code__ = code
    for arguments, one, other in zip(candidate.inputs, expected, actual, strict=True):
        text = "\n".join(c.source for c in conversions if c is not None)
        assert one == other, f"{candidate.name}{arguments}\noriginal: {one}\n    twin: {other}\n{text}"
