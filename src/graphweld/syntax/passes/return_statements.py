"""`return` inside a region becomes a value, and a flag where one is needed.

>>> show(lower_returns, drop_dead_flags, '''
... def f(x):
...     if x > 0:
...         return x
...     y = g(x)
...     return y + 1
... ''')
def f(x):
    if x > 0:
        gw_returned_1 = x
    else:
        y = g(x)
        gw_returned_1 = y + 1
    return gw_returned_1
>>> show(lower_returns, drop_dead_flags, '''
... def f(xs):
...     for x in xs:
...         if x > 0: return x
...     g()
... ''')
def f(xs):
    gw_did_return_1 = False
    for x in xs:  # until gw_did_return_1
        if x > 0:
            gw_returned_1 = x
            gw_did_return_1 = True
    if not gw_did_return_1:
        g()
        gw_returned_1 = None
    return gw_returned_1
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.completion import falls_through
from graphweld.syntax.analysis.scopes import walk_scope
from graphweld.syntax.blocks import Block, statements
from graphweld.syntax.passes.exits import ExitLowering, holds_exit
from graphweld.syntax.templates import assign, at, constant, load
from graphweld.syntax.unit import Unit


def lower_returns(unit: Unit) -> None:
    first = next((node for node in unit.body if holds_exit(node, ast.Return, True, unit)), None)
    if first is None:
        return
    returns = [node for node in walk_scope(unit.body) if isinstance(node, ast.Return)]
    has_value = any(not _is_none(node) for node in returns)
    flag = unit.new_flag("did_return")
    value = unit.names.value("returned") if has_value else ""
    last = unit.body[-1]

    def replace(node: ast.stmt) -> Block:
        assert isinstance(node, ast.Return)
        done = at(assign(flag, constant(True)), node)
        return [at(assign(value, node.value or constant(None)), node), done] if has_value else [done]

    def leave() -> ast.stmt:
        return at(ast.Return(load(value) if has_value else None), last)

    if has_value and falls_through(unit.body, unit.exit_flags):
        unit.body.append(at(ast.Return(constant(None)), last))
    site = next(part for part in walk_scope([first]) if part in unit.sites)
    unit.body = ExitLowering(unit, ast.Return, flag, replace, site, leave).lower(unit.body, hard=True)
    _start_flag(flag, unit.body, unit)


def _start_flag(flag: str, block: Block, unit: Unit) -> None:
    """Clear the flag first thing in the innermost block that has all its readers."""
    readers = [node for node in block if _reads(flag, node, unit)]
    if not readers:
        return
    first = readers[0]
    if len(readers) == 1 and isinstance(first, ast.If) and not _names(flag, first.test):
        branches = [part for part in (first.body, first.orelse) if any(_reads(flag, node, unit) for node in part)]
        if len(branches) == 1:
            return _start_flag(flag, branches[0], unit)
    first = next(node for node in block if _names(flag, node) or _reads(flag, node, unit))
    block.insert(block.index(first), at(assign(flag, constant(False)), first))


def _reads(flag: str, node: ast.stmt, unit: Unit) -> bool:
    return any(flag in unit.exit_flags.get(part, ()) for part in statements([node])) or any(
        isinstance(part, ast.Name) and part.id == flag and isinstance(part.ctx, ast.Load) for part in walk_scope([node])
    )


def _names(flag: str, node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id == flag for part in walk_scope([node]))


def _is_none(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
