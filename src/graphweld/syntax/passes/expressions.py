"""Visit every expression of a function, inner before outer, and hand it to the file of its construct."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.boolean_operators import convert_boolean, convert_not, leading_never
from graphweld.syntax.passes.comparisons import convert_comparison
from graphweld.syntax.passes.comprehensions import convert_comprehension, convert_consumer, is_convertible
from graphweld.syntax.passes.conditional_expressions import convert_conditional
from graphweld.syntax.passes.thunks import Place
from graphweld.syntax.unit import Unit

_UNEVALUATED = {"annotation", "returns", "type_params", "pattern"}


def convert_expressions(unit: Unit) -> None:
    unit.body = _Visitor(unit).block(unit.body)


class _Visitor:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._place = Place.FRAME
        self._before: Block = []

    def block(self, statements: Block) -> Block:
        out: Block = []
        for node in statements:
            outer, self._before = self._before, []
            self._statement(node)
            out.extend([*self._before, node])
            self._before = outer
        return out

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node not in self._unit.generated:
                self._fields(node, skip="body")  # the body is another unit's
            case ast.ClassDef():
                self._fields(node, skip="body")  # a thunk would not see the names of the class
            case _:
                self._fields(node)

    def _fields(self, node: ast.AST, skip: str = "") -> None:
        for name, value in ast.iter_fields(node):
            if name == skip or name in _UNEVALUATED:
                continue
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value))
            elif isinstance(value, list):
                value[:] = [self._part(part) for part in value]
            elif isinstance(value, ast.AST):
                setattr(node, name, self._part(value))

    def _part(self, part: object) -> object:
        if isinstance(part, ast.expr):
            return self._expression(part)
        if isinstance(part, ast.AST):
            self._fields(part)
        return part

    @contextmanager
    def _at(self, place: Place) -> Iterator[None]:
        before = self._place
        if before is not Place.INNER:
            self._place = place
        yield
        self._place = before

    def _lazy(self, *nodes: ast.expr) -> list[ast.expr]:
        with self._at(Place.LAZY):
            return [self._expression(node) for node in nodes]

    def _expression(self, node: ast.expr) -> ast.expr:
        unit, before = self._unit, self._before
        match node:
            case ast.IfExp():
                node.test = self._expression(node.test)
                node.body, node.orelse = self._lazy(node.body, node.orelse)
                return convert_conditional(node, self._place, unit, before)
            case ast.BoolOp():
                never = leading_never(node)
                node.values = [self._expression(node.values[0]), *self._lazy(*node.values[1:])]
                return convert_boolean(node, never, self._place, unit, before)
            case ast.Compare():
                node.left = self._expression(node.left)
                node.comparators = [self._expression(node.comparators[0]), *self._lazy(*node.comparators[1:])]
                return convert_comparison(node, self._place, unit, before)
            case ast.UnaryOp(op=ast.Not()):
                node.operand = self._expression(node.operand)
                return convert_not(node, unit)
            case ast.Lambda():
                self._fields(node.args)
                with self._at(Place.INNER):
                    node.body = self._expression(node.body)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() if is_convertible(node, self._place, unit):
                first = node.generators[0]
                first.iter = self._expression(first.iter)  # the rest belongs to the function that is made
                return convert_comprehension(node, unit, before)
            case ast.Call(args=[ast.GeneratorExp() as generator, *rest]) if is_convertible(node, self._place, unit):
                generator.generators[0].iter = self._expression(generator.generators[0].iter)
                node.args = [generator, *(self._expression(argument) for argument in rest)]
                for keyword in node.keywords:
                    self._fields(keyword)
                return convert_consumer(node, unit, before)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(node)
            case _:
                self._fields(node)
        return node

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        first = node.generators[0]
        first.iter = self._expression(first.iter)
        with self._at(Place.INNER):
            iterable, first.iter = first.iter, ast.Constant(None)  # done, in the scope around
            self._fields(node)
            first.iter = iterable
