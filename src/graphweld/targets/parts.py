"""The modules and parameters that a function reads from around it: torch.export wants them to be the program's own.

model = Model()
def decode(ids):            `model` is a global of it; the variable of an outer function is the same
    ...model(ids)...
"""

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from graphweld.capture.sites import PACKAGE, TORCH

Part = torch.nn.Module | torch.nn.Parameter


def parts_of(target: Callable[..., Any]) -> dict[str, Part]:
    """What a function reads, and functions that it calls, by names of its own."""
    found: dict[str, Part] = {}
    seen: set[int] = set()

    def look(name: str, value: Any) -> None:
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, torch.nn.Module | torch.nn.Parameter):
            while name in found:
                name += "_"
            found[name] = value
        for inner_name, inner in _read_by(value):
            look(inner_name, inner)

    look("", target)
    if not isinstance(target, types.FunctionType):
        for name, value in getattr(getattr(target, "__self__", target), "__dict__", {}).items():
            look(name, value)
    return found


def _read_by(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, types.MethodType):
        yield "owner", value.__self__
        yield "method", value.__func__
    elif isinstance(value, functools.partial):
        yield "function", value.func
        yield from ((f"argument_{k}", v) for k, v in enumerate(value.args))
        yield from value.keywords.items()
    elif isinstance(value, list | tuple):
        yield from ((f"item_{k}", v) for k, v in enumerate(value))
    elif isinstance(value, dict):
        yield from ((str(key).replace(".", "_"), v) for key, v in value.items())
    elif isinstance(value, types.FunctionType) and not value.__code__.co_filename.startswith((*PACKAGE, TORCH)):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            if cell != types.CellType():
                yield name, cell.cell_contents
        for name in _names(value.__code__):
            if name in value.__globals__:
                yield name, value.__globals__[name]


def _names(code: types.CodeType) -> Iterator[str]:
    """The globals that code may read, and attributes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
