"""Function in, converted function out: the seam between the source and the tracer."""

import difflib
import functools
import inspect
import os
import types
from collections.abc import Callable
from typing import Any

from graphweld import runtime, syntax
from graphweld.diagnostics import ConversionError, Span, diagnose, rules

RUNTIME = os.path.dirname(runtime.__file__)


def has_sites(code: types.CodeType) -> bool:
    """Whether a function holds a place where a value could steer Python. The runtime's own functions never do.

    Raises:
        syntax.SourceUnavailable: the function cannot be read.
    """
    if code.co_filename.startswith(RUNTIME):
        return False
    return bool(syntax.sites(code))


def twin_of(code: types.CodeType) -> "syntax.Conversion | None":
    """The converted code of a function, or None where it holds no site.

    Raises:
        ConversionError: the source cannot be read (GW001), or a site stands where no region can be made (GW002).
    """
    name = getattr(code, "co_qualname", code.co_name)
    try:
        return syntax.convert(code)
    except syntax.SourceUnavailable as error:
        span = Span.at(code.co_filename, code.co_firstlineno)
        raise ConversionError([diagnose(rules.SourceUnavailable(name, str(error)), span)]) from error
    except syntax.UnsupportedSyntax as error:
        span = Span.at(code.co_filename, error.line, error.column + 1)
        raise ConversionError([diagnose(rules.UnsupportedSyntax(error.construct, name, error.reason), span)]) from error


def code_of(fn: Callable[..., Any]) -> types.CodeType:
    """The code object of a function, a method, a module's forward, a callable's `__call__`, or a partial of these.

    Raises:
        ConversionError: there is no Python code behind it (GW001).
    """
    target: Any = inspect.unwrap(fn)
    while isinstance(target, functools.partial):
        target = inspect.unwrap(target.func)
    forward = getattr(target, "forward", None)
    if not inspect.isroutine(target):
        target = forward if forward is not None else type(target).__call__
    code = getattr(inspect.unwrap(getattr(target, "__func__", target)), "__code__", None)
    if not isinstance(code, types.CodeType):
        rule = rules.SourceUnavailable(getattr(fn, "__qualname__", repr(fn)), "it is not written in Python")
        raise ConversionError([diagnose(rule, None)])
    return code


def source_of(fn: Callable[..., Any]) -> str:
    """The converted Python of one function, or its own source where nothing needs converting."""
    code = code_of(fn)
    twin = twin_of(code)
    return syntax.source_text(code) if twin is None else twin.source


def diff_of(fn: Callable[..., Any]) -> str:
    """A unified diff from a function's own source to the converted one; empty where nothing changes."""
    code = code_of(fn)
    twin = twin_of(code)
    if twin is None:
        return ""
    lines = difflib.unified_diff(
        twin.original.splitlines(keepends=True),
        twin.source.splitlines(keepends=True),
        fromfile=code.co_filename,
        tofile=f"{code.co_filename} (converted)",
    )
    return "".join(lines)
