"""Can control reach the statement after this one?"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence

from graphweld.syntax.python_versions import TryStar

# Context managers that are known to let exceptions through. Any other may swallow one.
_TRANSPARENT = {
    "autocast", "catch_warnings", "device", "enable_grad", "fork_rng", "inference_mode", "no_grad", "nullcontext",
    "open", "profile", "record_function", "sdpa_kernel", "set_grad_enabled", "stream",
}  # fmt: skip


def falls_through(block: Sequence[ast.stmt], exiting: Container[ast.stmt] = ()) -> bool:
    """Whether `block` may complete normally. Loops in `exiting` may end by a flag, whatever their test."""
    return all(_completes(statement, exiting) for statement in block)


def _completes(node: ast.stmt, exiting: Container[ast.stmt]) -> bool:
    match node:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return False
        case ast.If():
            return falls_through(node.body, exiting) or falls_through(node.orelse, exiting)
        case ast.While(test=ast.Constant(value=value)) if value:
            return node in exiting or has_own_break(node)
        case ast.Try() | TryStar():
            if not falls_through(node.finalbody, exiting):
                return False
            return falls_through([*node.body, *node.orelse], exiting) or any(
                falls_through(handler.body, exiting) for handler in node.handlers
            )
        case ast.With() | ast.AsyncWith():
            return falls_through(node.body, exiting) or may_suppress(node)
        case ast.Match():
            return not _is_exhaustive(node) or any(falls_through(case.body, exiting) for case in node.cases)
    return True


def may_suppress(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a context manager of this statement may swallow an exception."""
    for item in node.items:
        match item.context_expr:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _TRANSPARENT:
                continue
        return True
    return False


def has_own_break(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    return any(isinstance(node, ast.Break) for node in loop_exits(loop.body))


def loop_exits(block: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The `break` and `continue` statements in `block` that belong to the loop around it."""
    found: list[ast.stmt] = []
    pending: list[ast.AST] = list(block)
    while pending:
        node = pending.pop()
        match node:
            case ast.Break() | ast.Continue():
                found.append(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                pending.extend(node.orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.expr():
                pass
            case _:
                pending.extend(ast.iter_child_nodes(node))
    return found


def _is_exhaustive(node: ast.Match) -> bool:
    return any(
        case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        for case in node.cases
    )
