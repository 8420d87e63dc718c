"""Chained comparisons become `and`, each operand evaluated once; `in` and `is` become calls.

>>> show(convert_expressions, '''
... def f(x, y):
...     a = 0 < x <= 1
...     b = x < g() < y
...     return x in y, x is None
... ''')
def f(x, y):
    a = gw.and_(0 < x, lambda: x <= 1, 0)
    b = gw.and_(x < (gw_value_1 := g()), lambda: gw_value_1 < y, 1)
    return (gw.contains(x, y, 2), gw.is_(x, None))
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from graphweld.syntax.analysis.data_dependence import is_never_data_dependent
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.thunks import Place, can_defer, defer
from graphweld.syntax.templates import at, call, constant, load, store, thunk
from graphweld.syntax.unit import Unit

_OPERATORS = {ast.In: "contains", ast.NotIn: "not_contains", ast.Is: "is_", ast.IsNot: "is_not"}


def convert_comparison(node: ast.Compare, place: Place, unit: Unit, before: Block) -> ast.expr:
    if is_never_data_dependent(node):
        return node
    if len(node.ops) == 1:
        return _compare(node.left, node.ops[0], node.comparators[0], node, unit)
    if node not in unit.sites or not can_defer(*node.comparators[1:], place=place):
        return node
    return _chain(node.left, node.ops, node.comparators, node, place, unit, before)


def _compare(left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.Compare, unit: Unit) -> ast.expr:
    name = _OPERATORS.get(type(op))
    if name is None:
        return node if node.left is left and len(node.ops) == 1 else at(ast.Compare(left, [op], [right]), node)
    site = [constant(unit.sites.index(node))] if isinstance(op, ast.In | ast.NotIn) else []
    return at(call(unit.runtime, name, left, right, *site), node)


def _chain(
    left: ast.expr,
    ops: Sequence[ast.cmpop],
    comparators: Sequence[ast.expr],
    node: ast.Compare,
    place: Place,
    unit: Unit,
    before: Block,
) -> ast.expr:
    op, middle = ops[0], comparators[0]
    if len(ops) == 1:
        return _compare(left, op, middle, node, unit)
    parameters: list[str] = []
    arguments: list[ast.expr] = []
    first: ast.expr = middle
    if not _is_stable(middle, node, unit):
        name = unit.names.value("value")
        binds = not can_defer(*comparators[1:], place=Place.INNER)
        if place is Place.FRAME or binds:
            first = ast.NamedExpr(store(name), middle)
        else:
            # In a lambda or comprehension a parameter holds the value; Python evaluates `left` before it.
            if not _is_stable(left, node, unit):
                parameters.append(unit.names.value("value"))
                arguments.append(left)
                left = load(parameters[0])
            parameters.append(name)
            arguments.append(middle)
            first = load(name)
        middle = load(name)
    else:
        middle = load(middle.id) if isinstance(middle, ast.Name) else middle
    test = _compare(left, op, at(first, node), node, unit)
    rest = defer(_chain(at(middle, node), ops[1:], comparators[1:], node, Place.LAZY, unit, before), unit, before)
    result: ast.expr = call(unit.runtime, "and_", test, rest, constant(unit.sites.index(node)))
    if parameters:
        result = ast.Call(thunk(result, *parameters), arguments, [])
    return at(result, node)


def _is_stable(operand: ast.expr, node: ast.Compare, unit: Unit) -> bool:
    """Whether reading `operand` twice gives the same value, whatever runs in between."""
    if isinstance(operand, ast.Name):
        if operand.id not in unit.scope.locals - unit.scope.captured:
            return False
        return not any(isinstance(part, ast.NamedExpr) and part.target.id == operand.id for part in ast.walk(node))
    return isinstance(operand, ast.Constant)
