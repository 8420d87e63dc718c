"""Statements: the environment from one to the next, joined where paths meet."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from graphweld.lint.flow.annotations import of_annotation
from graphweld.lint.flow.expressions import Env, Expressions
from graphweld.lint.flow.program import FunctionNode
from graphweld.lint.flow.values import NUMBER, PLAIN, UNKNOWN, Value, join


class Statements:
    """Follows the body of one function. `results` are what its returns give."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.results: list[Value] = []
        self.nested: list[FunctionNode] = []

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Follow statements in order; whether the end can be reached."""
        return all(self._statement(statement) for statement in body)

    def _statement(self, node: ast.stmt) -> bool:
        expr = self.expr
        match node:
            case ast.Expr(value=value):
                expr.value(value)
            case ast.Assign(targets=targets, value=value):
                given = expr.value(value)
                for target in targets:
                    expr.bind(target, given)
            case ast.AnnAssign(target=target, value=value, annotation=annotation):
                promised = of_annotation(annotation)
                found = expr.value(value) if value is not None else None
                if found is not None or promised is not None:
                    expr.bind(target, (promised if found in (None, UNKNOWN) else found) or UNKNOWN)
            case ast.AugAssign(target=target, op=op, value=value):
                as_read = ast.BinOp(_loaded(target), op, value)
                ast.copy_location(as_read, node)
                expr.bind(target, expr.value(as_read))
            case ast.Return(value=value):
                self.results.append(PLAIN if value is None else expr.value(value))
                return False
            case ast.Raise():
                for part in (node.exc, node.cause):
                    if part is not None:
                        expr.value(part)
                return False
            case ast.Break() | ast.Continue():
                return False
            case ast.If():
                return self._if(node)
            case ast.For() | ast.AsyncFor():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Assert(test=test):
                told = expr.test(test, "assert", node)
                expr.env.update(told.then or {})
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    expr.value(item.context_expr)
                    if item.optional_vars is not None:
                        expr.bind(item.optional_vars, UNKNOWN)
                return self.block(node.body)
            case ast.Try():
                return self._try(node)
            case ast.Match():
                return self._match(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                expr.env[node.name] = UNKNOWN
                self.nested.append(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Name):
                        expr.env.pop(target.id, None)
            case _ if type(node).__name__ == "TryStar":  # `except*`, of Python 3.11
                return self._try(cast(ast.Try, node))
        return True

    def _if(self, node: ast.If) -> bool:
        told = self.expr.test(node.test, "if", node)
        then = self._branch(node.body, told.then)
        orelse = self._branch(node.orelse, told.orelse)
        return self._meet(then, orelse)

    def _branch(self, body: Sequence[ast.stmt], told: Env | None) -> Env | None:
        """Follow a branch; the environment at its end, None if that is not reached."""
        if told is None:
            return None
        before = self.expr.env
        self.expr.env = {**before, **told}
        completes = self.block(body)
        after, self.expr.env = self.expr.env, before
        return after if completes else None

    def _meet(self, *ends: Env | None) -> bool:
        """Go on behind branches with the join of those that get here."""
        reached = [end for end in ends if end is not None]
        if not reached:
            return False
        self.expr.env = _joined(reached)
        return True

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        for _ in range(2):  # the second time with what the first has left
            before = dict(self.expr.env)
            self.expr.iterate(node.iter, node.target, node, "for")
            self.block(node.body)
            self.expr.env = _joined([before, self.expr.env])
        self.block(node.orelse)

    def _while(self, node: ast.While) -> None:
        for _ in range(2):
            before = dict(self.expr.env)
            told = self.expr.test(node.test, "while", node, "loop")
            self.expr.env.update(told.then or {})
            self.block(node.body)
            self.expr.env = _joined([before, self.expr.env])
        self.block(node.orelse)

    def _try(self, node: ast.Try) -> bool:
        before = dict(self.expr.env)
        completes = self.block(node.body) and self.block(node.orelse)
        ends: list[Env | None] = [self.expr.env if completes else None]
        start = _joined([before, self.expr.env])
        for handler in node.handlers:
            self.expr.env = dict(start)
            if handler.name is not None:
                self.expr.env[handler.name] = PLAIN
            ends.append(self.expr.env if self.block(handler.body) else None)
        met = self._meet(*ends)
        if not met:
            self.expr.env = start
        return self.block(node.finalbody) and met

    def _match(self, node: ast.Match) -> bool:
        subject = self.expr.value(node.subject)
        if subject.steers:
            self.expr.note("branch", "match", node, node.subject, subject)
        ends: list[Env | None] = [dict(self.expr.env)]
        for case in node.cases:
            told = dict.fromkeys(_captures(case.pattern), subject.item() if subject.steers else UNKNOWN)
            if case.guard is not None:
                self.expr.with_names(told, case.guard, self._guard)
            ends.append(self._branch(case.body, told))
        return self._meet(*ends)

    def _guard(self, test: ast.expr) -> Value:
        self.expr.test(test, "match", test)
        return NUMBER


def _joined(envs: Sequence[Env]) -> Env:
    first, *rest = envs
    result = dict(first)
    for env in rest:
        for name, value in env.items():
            known = result.get(name)
            if known is not value:
                result[name] = value if known is None else join(known, value)
    return result


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Attribute(value=value, attr=name):
            return ast.copy_location(ast.Attribute(value, name, ast.Load()), target)
        case ast.Subscript(value=value, slice=index):
            # Stored to, not read: `x[mask] += 1` needs no size.
            return ast.copy_location(ast.Subscript(value, index, ast.Store()), target)
    return target


def _captures(pattern: ast.pattern) -> list[str]:
    return [
        name
        for part in ast.walk(pattern)
        if isinstance(name := getattr(part, "name", None) or getattr(part, "rest", None), str)
    ]
