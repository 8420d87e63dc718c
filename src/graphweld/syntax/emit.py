"""From a converted node to a code object that fits the original function, and to text."""

from __future__ import annotations

import ast
import sys
import types

from graphweld.syntax.errors import TwinMismatch
from graphweld.syntax.source import Definition
from graphweld.syntax.templates import FunctionNode, at, function, load

_FACTORY, _TWIN = "gw_factory", "gw_twin"  # not the function's own name, which may mean something else inside it
_FUTURE_FLAGS = 0x1FF0000 & ~0x1000000  # the CO_FUTURE_* bits
_NESTED = 0x10


def compile_twin(node: FunctionNode, code: types.CodeType, definition: Definition) -> types.CodeType:
    """Compile `node` inside a factory whose parameters are the original's free variables."""
    factory = function(_FACTORY, code.co_freevars, [_bare(node, code)])
    statement: ast.stmt = factory
    if definition.enclosing_class is not None:
        # Private names are mangled as in the class they were written in.
        statement = ast.ClassDef(definition.enclosing_class, [], [], [factory], [])
        if sys.version_info >= (3, 12):
            statement.type_params = []
    at(statement, node)
    module = ast.Module([statement], [])
    flags = code.co_flags & _FUTURE_FLAGS
    outer = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    twin = _nested_code(_nested_code(outer, _FACTORY, definition.enclosing_class), _TWIN, None)
    twin = _retitled(twin, code)
    _verify(twin, code)
    return twin


def _bare(node: FunctionNode, code: types.CodeType) -> FunctionNode:
    """Only the code object is wanted: defaults and annotations stay with the original function."""
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
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
    missing = [name for name in code.co_freevars if name not in _loaded(node)]
    if missing:
        # What only dead code used: free variables must agree all the same.
        bare.body = [*bare.body, ast.If(ast.Constant(False), [ast.Expr(load(name)) for name in missing], [])]
    return at(ast.copy_location(bare, node), node)


def _loaded(node: ast.AST) -> set[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    names |= {name for part in ast.walk(node) if isinstance(part, ast.Nonlocal) for name in part.names}
    return names | ({"__class__"} if "super" in names else set())


def _nested_code(code: types.CodeType, name: str, enclosing: str | None) -> types.CodeType:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    if enclosing is not None:
        (inner,) = ([part for part in one.co_consts if isinstance(part, types.CodeType)] for one in inner[:1])
    return next(constant for constant in inner if constant.co_name == name)


def _retitled(twin: types.CodeType, code: types.CodeType) -> types.CodeType:
    """Names as the original's, so that a traceback or a profile shows the user's."""
    flags = twin.co_flags & ~_NESTED | code.co_flags & _NESTED
    if sys.version_info < (3, 11):
        return twin.replace(co_name=code.co_name, co_flags=flags)

    def rename(part: types.CodeType) -> types.CodeType:
        consts = tuple(rename(c) if isinstance(c, types.CodeType) else c for c in part.co_consts)
        qualname = code.co_qualname + part.co_qualname.removeprefix(twin.co_qualname)
        return part.replace(co_consts=consts, co_qualname=qualname)

    return rename(twin).replace(co_name=code.co_name, co_flags=flags)


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
