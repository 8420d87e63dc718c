"""`assert` becomes an `if` that raises.

>>> show(lower_asserts, '''
... def f(x):
...     assert x.sum() > 0, "nothing there"
...     return x
... ''')
def f(x):
    if x.sum() > 0:
        pass
    else:
        raise AssertionError('nothing there')
    return x
"""

from __future__ import annotations

import ast
import sys

from graphweld.syntax.analysis.data_dependence import is_never_data_dependent
from graphweld.syntax.blocks import Block, rewrite_blocks
from graphweld.syntax.templates import at, load
from graphweld.syntax.unit import Unit


def lower_asserts(unit: Unit) -> None:
    def rewrite(block: Block) -> Block:
        return [_lower(node, unit) if _is_site(node) else node for node in block]

    if not sys.flags.optimize:  # `python -O` runs no assert
        unit.body = rewrite_blocks(unit.body, rewrite)


def _is_site(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assert) and not is_never_data_dependent(node.test)


def _lower(node: ast.stmt, unit: Unit) -> ast.stmt:
    assert isinstance(node, ast.Assert)
    error = ast.Call(load("AssertionError"), [node.msg] if node.msg else [], [])
    branch = at(ast.If(node.test, [ast.Pass()], [ast.Raise(error, None)]), node)
    unit.sites.alias(branch, node)
    return branch
