"""From a converted node to a code object that fits the original function, and to text."""

from __future__ import annotations

import ast
import sys
import types

from graphweld.syntax.errors import TwinMismatch
from graphweld.syntax.source import Definition
from graphweld.syntax.templates import FunctionNode, at, function, load

_FACTORY, _TWIN = "gw_factory", "gw_twin"  # not the function's own name, which may mean something else inside it
_FUTURE_FLAGS = 0x1FE0000  # the CO_FUTURE_* bits: annotations of nested functions, for one
_NESTED = 0x10


def compile_twin(node: FunctionNode, code: types.CodeType, definition: Definition) -> types.CodeType:
    """Compile `node` inside a factory whose parameters are the original's free variables."""
    bare = _bare(node)
    twin = _compile(bare, code, definition)
    missing = set(code.co_freevars) - set(twin.co_freevars)
    if missing:
        # What only dead code used, which is gone: free variables must agree all the same.
        unused = ast.If(ast.Constant(False), [ast.Expr(load(name)) for name in sorted(missing)], [])
        bare.body = [*bare.body, at(unused, node)]
        twin = _compile(bare, code, definition)
    twin = _retitled(twin, code)
    _verify(twin, code)
    return twin


def _compile(bare: FunctionNode, code: types.CodeType, definition: Definition) -> types.CodeType:
    factory = function(_FACTORY, code.co_freevars, [bare])
    statement: ast.stmt = factory
    if definition.enclosing_class is not None:
        # Private names are mangled as in the class they were written in.
        statement = ast.ClassDef(definition.enclosing_class, [], [], [factory], [])
        if sys.version_info >= (3, 12):
            statement.type_params = []
    module = ast.Module([at(statement, bare)], [])
    flags = code.co_flags & _FUTURE_FLAGS
    outer: types.CodeType = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    for name in (definition.enclosing_class, _FACTORY, _TWIN):
        if name is not None:
            outer = next(part for part in outer.co_consts if isinstance(part, types.CodeType) and part.co_name == name)
    return outer


def _bare(node: FunctionNode) -> FunctionNode:
    """Only the code object is wanted: defaults and annotations stay with the original function."""
    arguments = node.args
    kind = ast.AsyncFunctionDef if isinstance(node, ast.AsyncFunctionDef) else ast.FunctionDef
    bare = kind(
        _TWIN,
        ast.arguments(
            [ast.arg(p.arg) for p in arguments.posonlyargs],
            [ast.arg(p.arg) for p in arguments.args],
            arguments.vararg and ast.arg(arguments.vararg.arg),
            [ast.arg(p.arg) for p in arguments.kwonlyargs],
            [None for _ in arguments.kwonlyargs],
            arguments.kwarg and ast.arg(arguments.kwarg.arg),
            [],
        ),
        node.body,
        # The first line of a function is that of its first decorator.
        [ast.copy_location(ast.Constant(None), decorator) for decorator in node.decorator_list],
    )
    if sys.version_info >= (3, 12):
        bare.type_params = []
    return at(ast.copy_location(bare, node), node)


def _retitled(twin: types.CodeType, code: types.CodeType) -> types.CodeType:
    """Names as the original's, so that a traceback or a profile shows the user's."""
    flags = (twin.co_flags & ~_NESTED) | (code.co_flags & _NESTED)
    if sys.version_info >= (3, 11):
        twin = _rename(twin, twin.co_qualname, code.co_qualname)
    return twin.replace(co_name=code.co_name, co_flags=flags)


def _rename(code: types.CodeType, before: str, after: str) -> types.CodeType:
    if sys.version_info >= (3, 11):
        consts = tuple(_rename(c, before, after) if isinstance(c, types.CodeType) else c for c in code.co_consts)
        code = code.replace(co_consts=consts, co_qualname=after + code.co_qualname.removeprefix(before))
    return code


def _verify(twin: types.CodeType, code: types.CodeType) -> None:
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
    facts = {
        "free variables": (code.co_freevars, twin.co_freevars),
        "parameters": (code.co_varnames[:count], twin.co_varnames[:count]),
        "counts": (_counts(code), _counts(twin)),
        "first line": ((str(code.co_firstlineno),), (str(twin.co_firstlineno),)),
    }
    for what, (original, ours) in facts.items():
        if original != ours:
            raise TwinMismatch(what, original, ours)


def _counts(code: types.CodeType) -> tuple[str, ...]:
    kind = code.co_flags & (0x4 | 0x8 | 0x20 | 0x80 | 0x200)  # *args, **kwargs, generator, coroutine, async generator
    return tuple(str(n) for n in (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, kind))
