"""A `while` test that binds names moves into the body, as a test function could not bind them.

>>> show(move_binding_tests, '''
... def f(x):
...     while (y := g(x)) > 0:
...         x = y
... ''')
def f(x):
    gw_test_1 = True
    while gw_test_1:
        gw_test_1 = (y := g(x)) > 0
        if gw_test_1:
            x = y
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.blocks import Block, rewrite_blocks
from graphweld.syntax.templates import assign, at, constant, load
from graphweld.syntax.unit import Unit


def move_binding_tests(unit: Unit) -> None:
    def rewrite(block: Block) -> Block:
        out: Block = []
        for node in block:
            if isinstance(node, ast.While) and unit.is_region(node) and bound_names([node.test]):
                out.append(_move_test(node, unit))
            out.append(node)
        return out

    unit.body = rewrite_blocks(unit.body, rewrite)


def _move_test(loop: ast.While, unit: Unit) -> ast.stmt:
    # `break` and `continue` in the body still belong to the loop, and `else` runs when the flag ends it.
    flag = unit.names.value("test")
    test = loop.test
    branch = at(ast.If(load(flag), loop.body, []), test)
    unit.sites.alias(branch, loop)
    loop.test = at(load(flag), test)
    loop.body = [at(assign(flag, test), test), branch]
    return at(assign(flag, constant(True)), test)
