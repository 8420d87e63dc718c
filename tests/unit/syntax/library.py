"""The code objects of modules."""

from __future__ import annotations

import pathlib
import types
from collections.abc import Iterator


def codes_of(module: types.ModuleType) -> Iterator[types.CodeType]:
    """Code of every function in a module's file, nested ones included."""
    assert module.__file__ is not None
    path = pathlib.Path(module.__file__)
    # Compiled anew, as functions may be hidden by decorators.
    yield from _functions(compile(path.read_bytes(), str(path), "exec"))


def _functions(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _functions(constant)
