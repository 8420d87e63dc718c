"""Build the nodes that generated code is made of.

Nodes come without a location; `at` gives a whole new tree the location of the user's node it comes from, so that
tracebacks point at the user's lines.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def at(node: Node, origin: ast.AST) -> Node:
    """Give every part of `node` that has no location that of `origin`: of its header, where it has a body."""
    last: ast.AST = origin
    match origin:
        case ast.If(test=test) | ast.While(test=test):
            last = test
        case ast.For(iter=iterable):
            last = iterable
    start = (getattr(origin, "lineno", 1), getattr(origin, "col_offset", 0))
    end = (getattr(last, "end_lineno", None), getattr(last, "end_col_offset", None))
    if end[0] != start[0]:
        end = start  # to a call of an attribute the compiler gives the line where the attribute ends
    place = dict(zip(_PLACE, (*start, *end), strict=True))
    pending: list[ast.AST] = [node]
    while pending:
        current = pending.pop()
        if "lineno" in current._attributes:
            if hasattr(current, "lineno") and current is not node:
                continue  # the user's, with all its parts
            if not hasattr(current, "lineno"):
                for field in _PLACE:
                    setattr(current, field, place[field])
        pending.extend(ast.iter_child_nodes(current))
    return node


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def constant(value: bool | int | str | None) -> ast.Constant:
    return ast.Constant(value)


def assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([store(name)], value)


def attribute(runtime: str, name: str) -> ast.Attribute:
    """`gw.<name>`"""
    return ast.Attribute(load(runtime), name, ast.Load())


def call(runtime: str, operator: str, *arguments: ast.expr) -> ast.Call:
    """`gw.<operator>(...)`"""
    return ast.Call(attribute(runtime, operator), list(arguments), [])


def names_tuple(names: Sequence[str]) -> ast.Tuple:
    """`(a, b)`"""
    return ast.Tuple([load(name) for name in names], ast.Load())


def strings_tuple(names: Sequence[str]) -> ast.Tuple:
    """`("a", "b")`"""
    return ast.Tuple([constant(name) for name in names], ast.Load())


def unpack(names: Sequence[str], value: ast.expr) -> ast.stmt:
    """`(a, b) = value`, or `value` alone where there is no name."""
    if not names:
        return ast.Expr(value)
    return ast.Assign([ast.Tuple([store(name) for name in names], ast.Store())], value)


def function(name: str, parameters: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """`def name(parameters): body`"""
    # Parsed, not built: the fields of FunctionDef differ between Python versions.
    node = ast.parse(f"def {name}({', '.join(parameters)}): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    _forget_locations(node)
    node.body = body
    return node


def thunk(body: ast.expr, *parameters: str) -> ast.Lambda:
    """`lambda: body`"""
    arguments = ast.arguments([], [ast.arg(name) for name in parameters], None, [], [], None, [])
    return ast.Lambda(arguments, body)


def negated(expression: ast.expr) -> ast.UnaryOp:
    """`not expression`"""
    return ast.UnaryOp(ast.Not(), expression)


def _forget_locations(node: ast.AST) -> None:
    for child in ast.walk(node):
        for field in _PLACE:
            if hasattr(child, field):
                delattr(child, field)
