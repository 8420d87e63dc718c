"""Expressions that run later, or not at all: a lambda, or a function where the expression binds names.

>>> show(convert_expressions, '''
... def f(x):
...     return x > 0 and g(y := x) > y
... ''')
def f(x):
    def value_1():
        nonlocal y
        return g((y := x)) > y
    return gw.and_(x > 0, value_1, 0)
"""

from __future__ import annotations

import ast
import enum

from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.blocks import Block
from graphweld.syntax.templates import at, function, load, thunk
from graphweld.syntax.unit import Unit


class Place(enum.Enum):
    """Where an expression stands."""

    FRAME = enum.auto()
    """In a statement."""
    LAZY = enum.auto()
    """In a part of one that will become a thunk."""
    INNER = enum.auto()
    """In a lambda or comprehension, which has names of its own."""


def can_defer(*expressions: ast.expr, place: Place) -> bool:
    """Whether thunks can be made of these parts of an expression."""
    # A lambda cannot bind names of the function around it, and a function cannot stand inside an expression.
    binds = bool(bound_names(expressions))
    suspends = any(
        isinstance(part, ast.Yield | ast.YieldFrom | ast.Await)
        or (isinstance(part, ast.comprehension) and part.is_async)
        for expression in expressions
        for part in ast.walk(expression)
    )
    return not suspends and not (binds and place is Place.INNER)


def defer(expression: ast.expr, unit: Unit, before: Block) -> ast.expr:
    """A callable that evaluates `expression`. What must stand before the statement is added to `before`."""
    names = bound_names([expression])
    if not names:
        made: ast.expr = at(thunk(expression), expression)
        unit.generated.add(made)
        return made
    name = unit.names.function("value")
    definition = at(function(name, [], [*unit.declare(names), ast.Return(expression)]), expression)
    unit.generated.add(definition)
    before.append(definition)
    return at(load(name), expression)
