"""`A if test else B` becomes a call that is given both sides as thunks.

>>> show(convert_expressions, '''
... def f(x):
...     return x if x > 0 else -x
... ''')
def f(x):
    return gw.if_exp(x > 0, lambda: x, lambda: -x, 0)
"""

from __future__ import annotations

import ast

from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.thunks import Place, can_defer, defer
from graphweld.syntax.templates import at, call, constant
from graphweld.syntax.unit import Unit


def convert_conditional(node: ast.IfExp, place: Place, unit: Unit, before: Block) -> ast.expr:
    if node not in unit.sites or not can_defer(node.body, node.orelse, place=place):
        return node
    body, orelse = defer(node.body, unit, before), defer(node.orelse, unit, before)
    return at(call(unit.runtime, "if_exp", node.test, body, orelse, constant(unit.sites.index(node))), node)
