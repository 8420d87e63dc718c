"""`return` inside a region becomes a value, and a flag where one is needed.

>>> show(lower_returns, '''
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
>>> show(lower_returns, '''
... def f(xs):
...     for x in xs:
...         if x > 0: return x
...     g()
... ''')
def f(xs):
    gw_did_return_1 = False
    for x in xs: # until gw_did_return_1
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
from graphweld.syntax.passes.exits import ExitLowering, forget, is_read
from graphweld.syntax.templates import assign, at, constant, load
from graphweld.syntax.unit import Unit


def lower_returns(unit: Unit) -> None:
    flag = unit.names.value("did_return")
    value = unit.names.value("returned")
    returns = [node for node in walk_scope(unit.body) if isinstance(node, ast.Return)]
    has_value = any(not _is_none(node) for node in returns)

    def replace(node: ast.stmt) -> list[ast.stmt]:
        assert isinstance(node, ast.Return)
        done = at(assign(flag, constant(True)), node)
        return [at(assign(value, node.value or constant(None)), node), done] if has_value else [done]

    def leave() -> ast.stmt:
        return at(ast.Return(load(value) if has_value else None), unit.body[-1])

    lowering = ExitLowering(unit, ast.Return, flag, replace, unit.function, leave)
    first = next((number for number, node in enumerate(unit.body) if lowering.has_exit(node, hard=True)), None)
    if first is None:
        return
    origin = unit.body[first]
    lowering.origin = next(part for part in walk_scope([origin]) if part in unit.sites)
    if has_value and falls_through(unit.body, unit.exit_flags):
        unit.body.append(at(ast.Return(constant(None)), unit.body[-1]))
    unit.body = lowering.lower(unit.body, hard=True)
    if is_read(flag, unit):
        unit.body.insert(first, at(assign(flag, constant(False)), origin))
    else:
        unit.body = forget(flag, unit.body)


def _is_none(node: ast.Return) -> bool:
    return node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None
