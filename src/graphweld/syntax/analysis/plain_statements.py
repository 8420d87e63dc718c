"""Which compound statements stay plain Python, because they never depend on data or cannot be moved into a region."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from graphweld.syntax.analysis.completion import loop_exits
from graphweld.syntax.analysis.data_dependence import is_endless, is_fixed_sequence, is_never_data_dependent
from graphweld.syntax.analysis.scopes import walk_scope
from graphweld.syntax.python_versions import TryStar

_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


def plain_statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[ast.stmt]:
    """The `if`, `while`, `for` and `match` statements of this scope that are left as they are."""
    # A `return` that must stay allows none to be lowered: what follows a lowered one moves into a region.
    stays = isinstance(function, ast.AsyncFunctionDef) or any(map(_must_stay, function.body))
    plain: set[ast.stmt] = set()
    _visit(function.body, stays, False, plain)
    return plain


def _visit(nodes: Iterable[ast.AST], stays: bool, in_plain_loop: bool, plain: set[ast.stmt]) -> None:
    for node in nodes:
        inside = in_plain_loop
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.expr():
                continue
            case ast.If() | ast.Match():
                is_fixed = isinstance(node, ast.If) and is_never_data_dependent(node.test)
                if is_fixed or _must_stay(node, stays) or (in_plain_loop and loop_exits([node])):
                    plain.add(node)
            case ast.For() | ast.While():
                if _must_stay(node, stays) or (in_plain_loop and loop_exits(node.orelse)) or _is_fixed(node):
                    plain.add(node)
                inside = node in plain
            case ast.AsyncFor():
                inside = True
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            # A plain loop heeds no flag: what leaves it stays, a `return` as well.
            _visit(node.body, stays or inside, inside, plain)
            _visit(node.orelse, stays, in_plain_loop, plain)
        elif isinstance(node, ast.Try | TryStar):
            _visit([*node.body, *node.handlers, *node.orelse], stays, inside, plain)
            _visit(node.finalbody, True, True, plain)  # what would leave it stays
        else:
            _visit(ast.iter_child_nodes(node), stays, inside, plain)


def _is_fixed(node: ast.For | ast.While) -> bool:
    """Runs as often as the source says. An endless loop without exits does not: an exception ends it."""
    if loop_exits(node.body) or _returns(node.body) or (isinstance(node, ast.While) and is_endless(node.test)):
        return False
    return is_fixed_sequence(node.iter) if isinstance(node, ast.For) else is_never_data_dependent(node.test)


def _must_stay(node: ast.stmt, stays: bool = False) -> bool:
    # A region is a function: it can neither suspend its caller, nor leave a `finally` by an exit.
    return suspends([node]) or (stays and _returns([node])) or _leaves_finally(node)


def suspends(nodes: Iterable[ast.AST]) -> bool:
    """Whether statements hand control to whoever runs the function: what a function of their own could not do."""
    return any(
        isinstance(part, _SUSPENDING) or (isinstance(part, ast.comprehension) and part.is_async)
        for part in walk_scope(nodes)
    )


def _returns(nodes: Iterable[ast.AST]) -> bool:
    return any(isinstance(part, ast.Return) for part in walk_scope(nodes))


def _leaves_finally(node: ast.stmt) -> bool:
    return any(
        isinstance(part, ast.Try | TryStar) and (_returns(part.finalbody) or bool(loop_exits(part.finalbody)))
        for part in walk_scope([node])
    )
