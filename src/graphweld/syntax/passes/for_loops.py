"""`for` becomes a call that is given the body as a function of the item and the carried names.

>>> show(outline_regions, '''
... def f(xs, total):
...     for i, x in xs:
...         total += i * x
...     return total
... ''')
def f(xs, total):
    def body_1(gw_item_1, total):
        i, x = gw_item_1
        total += i * x
        return (total,)
    (total,) = gw.for_stmt(xs, body_1, (total,), ('total',), 0, None)
    return total
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.region_state import RegionState
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.regions import region_call, region_function
from graphweld.syntax.passes.while_loops import test_function
from graphweld.syntax.templates import at, constant, load
from graphweld.syntax.unit import Unit


def outline_for(node: ast.For, state: RegionState, names: list[str], unit: Unit) -> Block:
    body_name, item, test_name = names
    out: Block = []
    test: ast.expr = constant(None)
    flags = unit.exit_flags.get(node)
    if flags:
        out.append(test_function(test_name, flags, None, state, unit, node))
        test = load(test_name)
    match node.target:
        case ast.Name(id=name) if name not in state.names and name not in state.shared:
            item, body = name, node.body  # a name of the body's own: the parameter itself
        case _:
            body = [at(ast.Assign([node.target], load(item)), node.target), *node.body]
    out.append(region_function(body_name, [item, *state.names], body, state, unit, node))
    out.append(region_call("for_stmt", [node.iter, load(body_name)], state, unit, node, test))
    return out
