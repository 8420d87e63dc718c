"""`break` becomes a flag that ends the loop.

>>> show(lower_breaks, '''
... def f(x):
...     while x > 0:
...         if g(x): break
...         x = h(x)
... ''')
def f(x):
    gw_break_1 = False
    while x > 0:  # until gw_break_1
        if g(x):
            gw_break_1 = True
        else:
            x = h(x)
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.completion import has_own_break
from graphweld.syntax.blocks import Block, rewrite_blocks
from graphweld.syntax.passes.exits import ExitLowering
from graphweld.syntax.passes.loop_else import take_else
from graphweld.syntax.templates import assign, at, constant, negated
from graphweld.syntax.unit import Loop, Unit


def lower_breaks(unit: Unit) -> None:
    def rewrite(block: Block) -> Block:
        out: Block = []
        for node in block:
            if isinstance(node, ast.For | ast.While) and unit.is_region(node):
                out.extend(_lower_loop(node, unit))
            else:
                out.append(node)
        return out

    unit.body = rewrite_blocks(unit.body, rewrite)


def _lower_loop(loop: Loop, unit: Unit) -> Block:
    _hoist_test(loop, unit)
    if not has_own_break(loop):
        return [loop, *take_else(loop, None, unit)]
    flag = unit.new_flag("break")
    unit.exit_flags.setdefault(loop, []).append(flag)

    def replace(node: ast.stmt) -> Block:
        return [at(assign(flag, constant(True)), node)]

    loop.body = ExitLowering(unit, ast.Break, flag, replace, loop).lower(loop.body, hard=False)
    return [at(assign(flag, constant(False)), loop), loop, *take_else(loop, flag, unit)]


def _hoist_test(loop: Loop, unit: Unit) -> None:
    """`while True: if c: break ...` is `while not c: ...`, which needs no flag."""
    match loop:
        case ast.While(
            test=ast.Constant(value=True),
            body=[ast.If(test=test, body=[ast.Break()], orelse=[]) as first, *rest],
            orelse=[],
        ) if rest and unit.is_region(first) and not _binds(test):
            loop.body = rest
            match test:
                case ast.UnaryOp(op=ast.Not(), operand=operand):
                    loop.test = operand
                case _:
                    loop.test = at(negated(test), test)
                    unit.sites.alias(loop.test, first)


def _binds(test: ast.expr) -> bool:
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(test))
