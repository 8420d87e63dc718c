"""`convert`: a function's code in, its converted twin out."""

from __future__ import annotations

import ast
import copy
import textwrap
import threading
import types
from collections.abc import Iterator
from dataclasses import dataclass

from graphweld.syntax.analysis.sites import SiteInfo, find_sites
from graphweld.syntax.blocks import start_of
from graphweld.syntax.emit import compile_twin
from graphweld.syntax.errors import ConversionError, UnsupportedSyntax
from graphweld.syntax.names import Names, names_in
from graphweld.syntax.pipeline import convert_function
from graphweld.syntax.source import Definition, find_definition, has_definition
from graphweld.syntax.supported import refuse_frame_access
from graphweld.syntax.templates import FunctionNode, at, function
from graphweld.syntax.text import text_of

RUNTIME_MODULE = "graphweld"


@dataclass(frozen=True)
class Conversion:
    """A converted function."""

    code: types.CodeType
    """The twin: same parameters, free variables, name, file and lines as the original's code."""
    source: str
    """The converted Python of this function."""
    original: str
    """Its source text."""
    sites: tuple[SiteInfo, ...]
    """What the `site` numbers in the converted code refer to."""
    filename: str
    first_line: int
    name: str
    """Qualified name."""


_Outcome = Conversion | ConversionError | None
_cache: dict[tuple[types.CodeType, str], _Outcome] = {}
_lock = threading.RLock()
_twins: set[tuple[types.CodeType, str]] = set()


def convert(code: types.CodeType) -> Conversion | None:
    """The twin of a function's code; None where it holds no potential site.

    Raises SourceUnavailable or UnsupportedSyntax where it cannot be made.
    """
    # Code objects that differ in their file only are equal.
    key = (code, code.co_filename)
    with _lock:
        if key in _twins:
            return None
        if key not in _cache:
            try:
                _cache[key] = _convert(code)
            except ConversionError as error:
                _cache[key] = error.with_traceback(None)
        outcome = _cache[key]
    if isinstance(outcome, ConversionError):
        raise outcome
    return outcome


def sites(code: types.CodeType) -> tuple[SiteInfo, ...]:
    """The places in a function, and in the functions nested in it, where a tensor value could steer Python."""
    if not has_definition(code):
        return ()
    definition = find_definition(code)
    return tuple(find_sites(definition.node, definition.qualname, definition.lines).infos)


def source_text(code: types.CodeType) -> str:
    """A function's own source, dedented.

    Raises SourceUnavailable.
    """
    return _original(find_definition(code))


def _convert(code: types.CodeType) -> Conversion | None:
    if not has_definition(code):
        return None
    definition = find_definition(code)
    try:
        return _convert_definition(code, definition)
    except RecursionError as error:
        node = definition.node
        raise UnsupportedSyntax("function", node.lineno, node.col_offset, "it is nested too deeply") from error


def _convert_definition(code: types.CodeType, definition: Definition) -> Conversion | None:
    tree = copy.deepcopy(definition.node)
    found = find_sites(tree, definition.qualname, definition.lines)
    if not found.infos:
        return None
    refuse_frame_access(tree)
    names = Names(names_in(tree) | set(code.co_freevars) | set(code.co_names))
    runtime = names.runtime()
    node = _as_function(tree, names)
    convert_function(node, names, found, runtime)
    _import_runtime(node, runtime)
    twin = compile_twin(node, code, definition)
    _register(twin, set(_nested(code)))
    return Conversion(
        code=twin,
        source=text_of(node, definition.node, definition.lines),
        original=_original(definition),
        sites=tuple(found.infos),
        filename=code.co_filename,
        first_line=code.co_firstlineno,
        name=definition.qualname,
    )


def _as_function(tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, names: Names) -> FunctionNode:
    """A lambda becomes a `def`, as a twin has statements."""
    if not isinstance(tree, ast.Lambda):
        return tree
    node = function(names.function("lambda"), (), [at(ast.Return(tree.body), tree.body)])
    node.args = tree.args
    return at(node, tree)


def _import_runtime(node: FunctionNode, runtime: str) -> None:
    imported = ast.ImportFrom(RUNTIME_MODULE, [ast.alias("runtime", None if runtime == "runtime" else runtime)], 0)
    start = start_of(node.body)
    node.body.insert(start, at(imported, node))


def _original(definition: Definition) -> str:
    node = definition.node
    if isinstance(node, ast.Lambda):
        return ast.get_source_segment("".join(definition.lines), node) or ""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return textwrap.dedent("".join(definition.lines[first - 1 : node.end_lineno]))


def _register(twin: types.CodeType, originals: set[types.CodeType]) -> None:
    """Remember the code of functions inside a twin: they are converted already."""
    for code in (twin, *_nested(twin)):
        if code not in originals:  # a nested function that needed no change
            _twins.add((code, code.co_filename))


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _nested(constant)
