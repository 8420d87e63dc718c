"""`if` becomes a call that is given both branches as functions.

>>> show(outline_regions, '''
... def f(x, y):
...     if x > y:
...         y = x - y
...     return y
... ''')
def f(x, y):
    def then_1(y):
        y = x - y
        return (y,)
    def else_1(y):
        return (y,)
    (y,) = gw.if_stmt(x > y, then_1, else_1, (y,), ('y',), 0)
    return y
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.region_state import RegionState
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.regions import region_call, region_function
from graphweld.syntax.templates import at, load
from graphweld.syntax.unit import Unit


def outline_if(node: ast.If, state: RegionState, names: list[str], unit: Unit) -> Block:
    then_name, else_name = names
    orelse: Block = node.orelse or [at(ast.Pass(), node)]
    return [
        region_function(then_name, state.names, node.body, state, unit, node),
        region_function(else_name, state.names, orelse, state, unit, node),
        region_call("if_stmt", [node.test, load(then_name), load(else_name)], state, unit, node),
    ]
