"""The statement lists of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from graphweld.syntax.python_versions import TryStar

Block = list[ast.stmt]


def blocks_of(node: ast.stmt) -> Iterator[tuple[ast.AST, str, Block]]:
    """The statement lists of a compound statement, with the node and the field that hold them."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return  # another scope
        case ast.Match():
            for case in node.cases:
                yield case, "body", case.body
        case ast.Try() | TryStar():
            yield node, "body", node.body
            for handler in node.handlers:
                yield handler, "body", handler.body
            yield node, "orelse", node.orelse
            yield node, "finalbody", node.finalbody
        case ast.With() | ast.AsyncWith():
            yield node, "body", node.body
        case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
            yield node, "body", node.body
            yield node, "orelse", node.orelse


def rewrite_blocks(block: Block, rewrite: Callable[[Block], Block]) -> Block:
    """Apply `rewrite` to every statement list of the scope, innermost first."""
    for statement in block:
        for holder, name, inner in blocks_of(statement):
            setattr(holder, name, rewrite_blocks(inner, rewrite))
    return rewrite(block)


def statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of the scope, outer before inner, in source order."""
    for statement in block:
        yield statement
        for _, _, inner in blocks_of(statement):
            yield from statements(inner)


def start_of(body: Block) -> int:
    """The number of statements that must stay first: the docstring and the declarations."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *_]:
            number = 1
        case _:
            number = 0
    while number < len(body) and isinstance(body[number], ast.Global | ast.Nonlocal):
        number += 1
    return number
