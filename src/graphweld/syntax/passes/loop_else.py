"""`else` of a loop becomes an ordinary statement after it.

>>> from graphweld.syntax.passes.break_statements import lower_breaks
>>> show(lower_breaks, '''
... def f(xs):
...     for x in xs:
...         if x: break
...     else:
...         g()
... ''')
def f(xs):
    gw_break_1 = False
    for x in xs:  # until gw_break_1
        if x:
            gw_break_1 = True
    if not gw_break_1:
        g()
"""

from __future__ import annotations

import ast

from graphweld.syntax.blocks import Block
from graphweld.syntax.templates import at, load, negated
from graphweld.syntax.unit import Loop, Unit


def take_else(loop: Loop, flag: str | None, unit: Unit) -> Block:
    """Take `else` off the loop: the statements that stand for it, where `flag` tells of a `break`."""
    block, loop.orelse = loop.orelse, []
    if not block or flag is None:
        return block  # without a break it always runs
    test = negated(load(flag))
    guard = at(ast.If(test, [], []), loop)
    guard.body = block
    unit.sites.alias(guard, loop)
    unit.sites.alias(test, loop)
    return [guard]
