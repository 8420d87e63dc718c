"""`while` becomes a call that is given test and body as functions.

>>> show(outline_regions, '''
... def f(x, n):
...     while x > n:
...         t = g(x)
...         x = x - t
...     return x
... ''')
def f(x, n):
    def test_1(x):
        return x > n
    def body_1(x):
        t = g(x)
        x = x - t
        return (x,)
    (x,) = gw.while_stmt(test_1, body_1, (x,), ('x',), 0)
    return x
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from graphweld.syntax.analysis.data_dependence import is_endless
from graphweld.syntax.analysis.region_state import RegionState
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.regions import region_call, region_function
from graphweld.syntax.templates import at, function, load, negated
from graphweld.syntax.unit import Loop, Unit


def outline_while(node: ast.While, state: RegionState, names: list[str], unit: Unit) -> Block:
    test_name, body_name = names
    flags = unit.exit_flags.get(node, [])
    return [
        test_function(test_name, flags, None if is_endless(node.test) and flags else node.test, state, unit, node),
        region_function(body_name, state.names, node.body, state, unit, node),
        region_call("while_stmt", [load(test_name), load(body_name)], state, unit, node),
    ]


def test_function(
    name: str, flags: Sequence[str], test: ast.expr | None, state: RegionState, unit: Unit, loop: Loop
) -> ast.FunctionDef:
    """`def name(state): return not flag and test`"""
    parts: list[ast.expr] = [negated(load(flag)) for flag in flags]
    if test is not None:
        parts.append(test)
    condition = parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
    for part in [*parts[: len(flags)], condition]:
        if part is not test:
            unit.sites.alias(part, loop)
    node = at(function(name, state.names, [ast.Return(condition)]), loop)
    unit.generated.add(node)
    return node
