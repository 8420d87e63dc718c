"""`and`, `or` and `not` become calls; what Python may skip becomes a thunk.

Operands that never depend on data stay in plain Python, up to the first that may.

>>> show(convert_expressions, '''
... def f(x, y):
...     return isinstance(x, int) and x > 0 and not y
... ''')
def f(x, y):
    return isinstance(x, int) and gw.and_(x > 0, lambda: gw.not_(y, 1), 0)
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.data_dependence import is_never_data_dependent
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.thunks import Place, can_defer, defer
from graphweld.syntax.templates import at, call, constant
from graphweld.syntax.unit import Unit


def convert_boolean(node: ast.BoolOp, never: int, place: Place, unit: Unit, before: Block) -> ast.expr:
    """`never` counts the leading operands that never depend on data."""
    if node not in unit.sites or not can_defer(*node.values[never + 1 :], place=place):
        return node
    operator = "and_" if isinstance(node.op, ast.And) else "or_"
    site = unit.sites.index(node)
    result = node.values[-1]
    for value in reversed(node.values[never:-1]):
        result = at(call(unit.runtime, operator, value, defer(result, unit, before), constant(site)), node)
    if never:
        result = at(ast.BoolOp(node.op, [*node.values[:never], result]), node)
    return result


def leading_never(node: ast.BoolOp) -> int:
    """How many operands come before the first that may depend on data (of those whose truth is asked)."""
    count = 0
    for value in node.values[:-1]:
        if not is_never_data_dependent(value):
            break
        count += 1
    return count


def convert_not(node: ast.UnaryOp, unit: Unit) -> ast.expr:
    if node not in unit.sites:
        return node
    return at(call(unit.runtime, "not_", node.operand, constant(unit.sites.index(node))), node)
