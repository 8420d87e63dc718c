"""`continue` becomes an `if` around what it skips.

>>> show(lower_continues, '''
... def f(xs):
...     for x in xs:
...         if x > 0:
...             if x > 1: continue
...             g(x)
...         h(x)
... ''')
def f(xs):
    for x in xs:
        gw_continue_1 = False
        if x > 0:
            if x > 1:
                gw_continue_1 = True
            else:
                g(x)
        if not gw_continue_1:
            h(x)
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.completion import loop_exits
from graphweld.syntax.blocks import statements
from graphweld.syntax.passes.exits import ExitLowering
from graphweld.syntax.templates import assign, at, constant
from graphweld.syntax.unit import Loop, Unit


def lower_continues(unit: Unit) -> None:
    for node in list(statements(unit.body)):
        if isinstance(node, ast.For | ast.While) and unit.is_region(node):
            _lower_loop(node, unit)


def _lower_loop(loop: Loop, unit: Unit) -> None:
    if not any(isinstance(node, ast.Continue) for node in loop_exits(loop.body)):
        return
    flag = unit.new_flag("continue")

    def replace(node: ast.stmt) -> list[ast.stmt]:
        return [at(assign(flag, constant(True)), node)]

    first = loop.body[0]
    loop.body = ExitLowering(unit, ast.Continue, flag, replace, loop).lower(loop.body, hard=False)
    loop.body.insert(0, at(assign(flag, constant(False)), first))
