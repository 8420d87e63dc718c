"""Declarations move to the top and annotations go, as a region's names are declared anew.

>>> show(hoist_declarations, '''
... def f(x):
...     if x:
...         global g
...         g: int = 1
...         y: int
...     return g
... ''')
def f(x):
    global g
    y: int
    if x:
        g = 1
    return g
"""

from __future__ import annotations

import ast

from graphweld.syntax.blocks import Block, rewrite_blocks, start_of
from graphweld.syntax.templates import at
from graphweld.syntax.unit import Unit


def hoist_declarations(unit: Unit) -> None:
    hoisted: Block = []

    def rewrite(block: Block) -> Block:
        out: Block = []
        for node in block:
            match node:
                case ast.Global() | ast.Nonlocal():
                    hoisted.append(node)
                case ast.AnnAssign(target=ast.Name(), value=None):
                    hoisted.append(node)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    out.append(at(ast.Assign([target], value), node))
                case _:
                    out.append(node)
        return out or ([at(ast.Pass(), block[0])] if block else [])

    body = rewrite_blocks(unit.body, rewrite)
    declared: set[str] = set(unit.scope.parameters)  # a parameter needs no declaration
    kept: Block = []
    for node in hoisted:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.target.id in declared:
                continue
            declared.add(node.target.id)
        kept.append(node)
    start = start_of(body)
    unit.body = [*body[:start], *kept, *body[start:]]
