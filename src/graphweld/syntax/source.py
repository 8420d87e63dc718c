"""From a code object to the node it was compiled from.

A file is parsed once, through `linecache`, so notebooks, doctests and the like work as far as `linecache` does.
"""

from __future__ import annotations

import ast
import linecache
import sys
import threading
import types
from collections.abc import Iterator
from dataclasses import dataclass

from graphweld.syntax.analysis.scopes import FunctionLike, parameters_of
from graphweld.syntax.errors import SourceUnavailable
from graphweld.syntax.names import names_in
from graphweld.syntax.templates import at, function


@dataclass(frozen=True)
class Definition:
    """A function in its file."""

    node: FunctionLike
    qualname: str
    enclosing_class: str | None
    """The innermost class around it, whose name mangles private names."""
    lines: list[str]
    """Of the whole file."""


@dataclass(frozen=True)
class _File:
    lines: list[str]
    definitions: dict[tuple[int, str], list[Definition]]


_files: dict[str, _File] = {}
_lock = threading.Lock()


def find_definition(code: types.CodeType) -> Definition:
    """The definition that `code` was compiled from."""
    file = _read(code.co_filename)
    candidates = file.definitions.get((code.co_firstlineno, code.co_name), [])
    fitting = [c for c in candidates if _fits(code, c)]
    if sys.version_info >= (3, 11) and len(fitting) > 1:
        fitting = [c for c in fitting if c.qualname == code.co_qualname] or fitting
    if len(fitting) > 1:
        fitting = [c for c in fitting if _holds(c.node, code)] or fitting
    if not fitting:
        raise SourceUnavailable(f"line {code.co_firstlineno} of {code.co_filename} does not define {code.co_name}")
    return min(fitting, key=lambda c: _extent(c.node))


def has_definition(code: types.CodeType) -> bool:
    """Whether `code` is that of a function: modules, classes and comprehensions have code as well."""
    is_function = bool(code.co_flags & 0x2)  # CO_NEWLOCALS, with CO_OPTIMIZED: not of a module or class
    return is_function and (not code.co_name.startswith("<") or code.co_name == "<lambda>")


def _read(filename: str) -> _File:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename)
    if not lines:
        raise SourceUnavailable(f"no source text for {filename}")
    with _lock:
        file = _files.get(filename)
    if file is not None and file.lines is lines:
        return file
    try:
        tree = ast.parse("".join(lines), filename)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise SourceUnavailable(f"{filename} does not parse: {error}") from error
    found: dict[tuple[int, str], list[Definition]] = {}
    for definition in _definitions(tree, "", None, lines):
        node = definition.node
        name, line = "<lambda>", node.lineno
        if not isinstance(node, ast.Lambda):
            name = node.name
            line = min([line, *(decorator.lineno for decorator in node.decorator_list)])
        found.setdefault((line, name), []).append(definition)
    file = _File(lines, found)
    with _lock:
        _files[filename] = file
    return file


def _definitions(node: ast.AST, prefix: str, enclosing: str | None, lines: list[str]) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                qualname = prefix + ("<lambda>" if isinstance(child, ast.Lambda) else child.name)
                yield Definition(child, qualname, enclosing, lines)
                yield from _definitions(child, f"{qualname}.<locals>.", enclosing, lines)
            case ast.ClassDef(name=name):
                yield from _definitions(child, f"{prefix}{name}.", name, lines)
            case _:
                yield from _definitions(child, prefix, enclosing, lines)


def _fits(code: types.CodeType, definition: Definition) -> bool:
    """Whether the definition has the parameters and variables of `code`; a file may have changed since."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
    mangled = f"_{(definition.enclosing_class or '').lstrip('_')}"
    names = [n.removeprefix(mangled) if n.startswith(f"{mangled}__") else n for n in code.co_varnames]
    # Names with @ in them come from pytest, which rewrites asserts.
    variables = {name for name in names if "@" not in name}
    return parameters_of(definition.node) == tuple(names[:count]) and variables <= names_in(definition.node)


def _holds(node: FunctionLike, code: types.CodeType) -> bool:
    """Whether all of `code` comes from within the body of `node`."""
    body = node.body if isinstance(node, ast.Lambda) else node
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    if sys.version_info >= (3, 11):
        places = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column]
        if places:
            return all(start <= place <= end for place in places)
    return _compiles_to(node, code)


def _compiles_to(node: FunctionLike, code: types.CodeType) -> bool:
    """Whether a lambda has the bytecode of `code`: without positions nothing else tells two on a line apart."""
    if not isinstance(node, ast.Lambda):
        return True
    factory = function("factory", code.co_freevars, [at(ast.Expr(node), node)])
    module = compile(ast.Module([at(factory, node)], []), code.co_filename, "exec", dont_inherit=True)
    (outer,) = (part for part in module.co_consts if isinstance(part, types.CodeType))
    made = next(part for part in outer.co_consts if isinstance(part, types.CodeType))
    return (made.co_code, made.co_names, made.co_varnames, _constants(made)) == (
        code.co_code,
        code.co_names,
        code.co_varnames,
        _constants(code),
    )


def _constants(code: types.CodeType) -> list[object]:
    """Without nested code, and without where nested functions stand: up to Python 3.10 that is a constant as well."""
    return [
        constant.rpartition(".<locals>.")[2] if isinstance(constant, str) else constant
        for constant in code.co_consts
        if not isinstance(constant, types.CodeType)
    ]


def _extent(node: FunctionLike) -> tuple[int, int]:
    return ((node.end_lineno or 0) - node.lineno, (node.end_col_offset or 0) - node.col_offset)
