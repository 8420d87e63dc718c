"""`FILE.py:NAME` to the function, method or module that it names, and input expressions to arguments.

Code of the user's runs here, so any exception may come out of it; each leaves as a `UsageError` of one line that says
what the user's code raised and where.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from graphweld.diagnostics import UsageError


@dataclass(frozen=True, slots=True)
class Target:
    """What `FILE.py:NAME` names."""

    name: str
    file: str
    module: ModuleType
    fn: Callable[..., Any]


def split(spec: str) -> tuple[str, str]:
    """The parts of `FILE.py:NAME`; UsageError if it has not that form, or there is no such file."""
    file, separator, name = spec.rpartition(":")
    if not separator or not file or not name:
        raise UsageError.because(f"{spec!r} is not of the form FILE.py:NAME")
    path = Path(file)
    if not path.exists():
        raise UsageError.because(f"no such file: {file}")
    if not path.is_file() or path.suffix != ".py":
        raise UsageError.because(f"{file} is not a Python file")
    return file, name


def load_target(file: str, name: str, *, instantiate: bool) -> Target:
    """Import the file, and find the name in it.

    Where the name leads through a class, `instantiate` makes an instance without arguments, so that the result can be
    called; without it the plain function is given.
    """
    module = _import_file(file)
    return Target(name, file, module, _find(module, file, name, instantiate))


def find_in(module: ModuleType, file: str, name: str) -> Callable[..., Any]:
    """What a name leads to in a module that is loaded already."""
    return _find(module, file, name, instantiate=True)


def positional_arguments(expression: str, target: Target) -> tuple[Any, ...]:
    """The arguments that an `--inputs` expression stands for: `a, b` is two of them, anything without a comma one."""
    value = _evaluate(expression, target, "--inputs")
    is_tuple = isinstance(_parse(expression, "--inputs").body, ast.Tuple)
    return tuple(value) if is_tuple else (value,)


def keyword_arguments(expression: str, target: Target) -> dict[str, Any]:
    """The arguments that a `--kwargs` expression stands for."""
    value = _evaluate(expression, target, "--kwargs")
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise UsageError.because(f"--kwargs {expression!r} is no dict of names", "such as --kwargs 'dict(scale=2.0)'")
    return value


def check_fit(target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """UsageError where the function cannot be called with these arguments."""
    called = getattr(target.fn, "forward", target.fn)
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):
        return  # some builtins have none; the call itself will tell
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise UsageError.because(f"the inputs do not fit {target.name}{signature}: {error}") from error


def raised(error: BaseException, file: str) -> str:
    """One line for an exception of the user's code: type, first line of the text, and the last line in `file`."""
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{type(error).__name__}: {error.msg} ({Path(error.filename or file).name}:{error.lineno})"
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if _same_file(f.filename, file)]
    where = f" ({Path(file).name}:{lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {text}{where}" if text else f"{type(error).__name__}{where}"


def _import_file(file: str) -> ModuleType:
    path = Path(file)
    # As under `python FILE`: imports of neighbors work, and pickle and dataclasses find the module by its name.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem if path.stem not in sys.modules else f"graphweld_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None, "a file with suffix .py has a loader"
    assert spec.loader is not None, "a file with suffix .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's module may raise anything
        del sys.modules[name]
        raise UsageError.because(f"{file} does not import: {raised(error, file)}") from error
    return module


def _find(module: ModuleType, file: str, name: str, instantiate: bool) -> Callable[..., Any]:
    value: Any = module
    for part in name.split("."):
        is_plain = inspect.isclass(value) and inspect.isfunction(inspect.getattr_static(value, part, None))
        if instantiate and is_plain:
            value = _make(value, file)
        try:
            value = getattr(value, part)
        except AttributeError as error:
            raise UsageError.because(f"{file} has no {name!r}", *_near(module, name)) from error
    if inspect.isclass(value) and hasattr(value, "forward"):
        value = _make(value, file) if instantiate else value.forward
    if inspect.isclass(value):
        raise UsageError.because(f"{name} is a class", f"name one of its methods, such as {name}.method")
    if not callable(value):
        raise UsageError.because(f"{name} in {file} is of type {type(value).__name__}, which cannot be called")
    called: Callable[..., Any] = value
    return called


def _make(cls: type, file: str) -> Any:
    try:
        return cls()
    except Exception as error:  # the user's constructor may raise anything
        raise UsageError.because(
            f"{cls.__name__}() cannot be made without arguments: {raised(error, file)}",
            "make an instance in the file, and name that",
        ) from error


def _near(module: ModuleType, name: str) -> tuple[str, ...]:
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    first = name.partition(".")[0].lower()
    near = [key for key in own if key.lower().startswith(first[:3])] or own
    return (f"it has {', '.join(near[:5])}",) if near else ()


def _parse(expression: str, option: str) -> ast.Expression:
    try:
        return ast.parse(expression.strip(), mode="eval")
    except SyntaxError as error:
        raise UsageError.because(f"{option} {expression!r} is not a Python expression: {error.msg}") from error


def _evaluate(expression: str, target: Target, option: str) -> Any:
    import math

    import torch

    code = compile(_parse(expression, option), f"<{option}>", "eval")
    scope = {"math": math, "torch": torch, **vars(target.module)}
    try:
        return eval(code, scope)
    except Exception as error:  # the user's expression may raise anything
        raise UsageError.because(f"{option} {expression!r} does not evaluate: {raised(error, target.file)}") from error


def _same_file(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()
