"""What graphweld will make of a place, as far as the source tells. Each line is held by a test that compiles a program.

What a region cannot carry out is told in `docs/limits.md`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from graphweld.lint.flow import torch_names
from graphweld.lint.flow.events import Event
from graphweld.syntax.analysis.scopes import walk_scope

_OF_DEQUES = frozenset({"appendleft", "popleft", "rotate"})  # refused in loops; a list may change
_SAYS = torch_names.SAYING_METHODS | {"print"}


def refusal(event: Event) -> str | None:
    """Why graphweld refuses this place; None where it is expected to weld it."""
    if event.what == "call":
        return None if event.construct in _SAYS else "GW120: torch cannot trace it"
    if event.what == "scalar" and event.construct.startswith("math."):
        return "GW120: `math` asks for the number itself"
    if event.what not in ("branch", "loop") or event.statement is None:
        return None
    return _of_region(event.statement, is_loop=event.what == "loop")


def _of_region(statement: ast.stmt, *, is_loop: bool) -> str | None:
    parts = list(walk_scope([statement]))
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in parts):
        return "GW120: a generator with a branch inside"
    made = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    for name, method in _method_calls(parts):
        if is_loop and method in _OF_DEQUES and name not in made:
            return f"GW104: it changes `{name}`, which lives outside of it"
    return None


def _method_calls(parts: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Statements `name.method(...)`; a call whose result is used, such as a cache's `update`, tells of no container."""
    for part in parts:
        match part:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr=method))):
                yield (holder.id if isinstance(holder, ast.Name) else ast.unparse(holder)), method
