"""A flag that nobody asks from here on is not set, so that regions need not carry it.

>>> show(lower_continues, drop_dead_flags, '''
... def f(xs):
...     for x in xs:
...         if x > 0: continue
...         g(x)
... ''')
def f(xs):
    for x in xs:
        if x > 0:
            pass
        else:
            g(x)
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.liveness import liveness_of
from graphweld.syntax.blocks import Block, rewrite_blocks
from graphweld.syntax.templates import at
from graphweld.syntax.unit import Unit


def drop_dead_flags(unit: Unit) -> None:
    after = liveness_of(unit.body, unit.flags, unit.exit_flags).after

    def is_dead(node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name in unit.flags and name not in after[node]
        return False

    def rewrite(block: Block) -> Block:
        kept = [node for node in block if not is_dead(node)]
        return kept or ([at(ast.Pass(), block[0])] if block else [])

    unit.body = rewrite_blocks(unit.body, rewrite)
