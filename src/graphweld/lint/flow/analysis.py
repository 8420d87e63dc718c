"""The data flow of one file: every function followed until nothing new is learnt of its neighbors."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from graphweld.lint.flow import torch_names
from graphweld.lint.flow.annotations import of_annotation
from graphweld.lint.flow.events import Event, Events
from graphweld.lint.flow.expressions import Env, Expressions
from graphweld.lint.flow.program import Function, FunctionNode, Program
from graphweld.lint.flow.statements import Statements
from graphweld.lint.flow.values import PLAIN, TENSOR, TENSORS, UNKNOWN, Kind, Value, instance, join

_MOST_ROUNDS = 4


def events_of(tree: ast.Module) -> Iterator[Event]:
    """Every place in a file at which tensor values would have to leave the graph; sure ones, and guesses."""
    analysis = _Analysis(Program(tree))
    analysis.module(tree)
    analysis.run()
    for function, events in analysis.events.items():
        if function.is_traced:
            yield from events


class _Analysis:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.events: dict[Function, Events] = {}
        self._seen: dict[Function, tuple[object, ...]] = {}
        self._roots = set(program.roots())

    def module(self, tree: ast.Module) -> None:
        """Names that the module itself binds: a constant tensor may steer a function."""
        body = [s for s in tree.body if isinstance(s, ast.Assign | ast.AnnAssign)]
        holder = Function(ast.parse("def f(): pass").body[0], "<module>", None, (), frozenset())  # type: ignore[arg-type]
        expr = Expressions(self.program, holder, {}, Events())
        Statements(expr).block(body)
        self.program.globals = {name: value for name, value in expr.env.items() if value.kind is not Kind.UNKNOWN}

    def run(self) -> None:
        """Follow each function, and those again that new facts concern."""
        for _ in range(_MOST_ROUNDS):
            self._reach()
            stale = [f for f in list(self.program.all_functions) if self._seen.get(f) != self._facts(f)]
            if not stale:
                return
            for function in stale:
                self._seen[function] = self._facts(function)
                self._follow(function, {})

    def _facts(self, function: Function) -> tuple[object, ...]:
        """All that the flow of a function depends on beyond itself."""
        owner = function.owner
        return (
            function.is_reached,
            dict(function.given),
            {callee.node: callee.result for callee in function.callees},
            None if owner is None else dict(owner.attributes),
        )

    def _reach(self) -> None:
        pending, seen = list(self._roots), set(self._roots)
        while pending:
            function = pending.pop()
            function.is_reached = True
            pending += function.callees - seen
            seen |= function.callees

    def _follow(self, function: Function, outer: Env) -> None:
        parameters = self._parameters(function)
        function.takes_tensors |= any(value.kind is Kind.TENSOR and value.sure for value in parameters.values())
        env = {**outer, **parameters}
        events = self.events[function] = Events()
        expr = Expressions(self.program, function, env, events)
        statements = Statements(expr)
        completes = statements.block(function.node.body)
        results = [*statements.results, *([PLAIN] if completes or not statements.results else [])]
        function.result = UNKNOWN if function.node.returns is None and not results else _result(function, results)
        for node in statements.nested:
            self._follow_nested(function, node, expr.env)

    def _follow_nested(self, outer: Function, node: FunctionNode, env: Env) -> None:
        inner = next((f for f in outer.callees if f.node is node), None)
        if inner is None:
            inner = Function(node, f"{outer.qualname}.{node.name}", None, tuple(_names(node)), frozenset())
            outer.callees.add(inner)
        inner.is_reached = outer.is_reached
        inner.owner, inner.takes_tensors = outer.owner, outer.takes_tensors
        self._follow(inner, env)

    def _parameters(self, function: Function) -> Env:
        arguments = function.node.args
        env: Env = {}
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            env[parameter.arg] = self._parameter(function, parameter)
        if arguments.vararg is not None:
            known = of_annotation(arguments.vararg.annotation)
            env[arguments.vararg.arg] = TENSORS if known == TENSOR else UNKNOWN
        if arguments.kwarg is not None:
            env[arguments.kwarg.arg] = UNKNOWN
        if function.takes_self and arguments.args and function.owner is not None:
            env[arguments.args[0].arg] = instance(function.owner.name)
        return env

    def _parameter(self, function: Function, parameter: ast.arg) -> Value:
        promised = of_annotation(parameter.annotation)
        given = function.given.get(parameter.arg, UNKNOWN)
        if promised is not None and promised.sure:
            return promised if given.kind is not promised.kind else given
        if given.kind is not Kind.UNKNOWN:
            return given if promised is None or given.kind is promised.kind else promised
        if promised is not None:
            return promised
        if parameter.annotation is None and parameter.arg in torch_names.TENSOR_NAMES:
            return TENSOR._replace(sure=function.is_reached)
        if parameter.annotation is None and parameter.arg == "x" and function in self._roots:
            return TENSOR
        return UNKNOWN


def _result(function: Function, results: Iterable[Value]) -> Value:
    found = join(*results)
    promised = of_annotation(function.node.returns)
    return promised if promised is not None and found.kind is Kind.UNKNOWN else found


def _names(node: FunctionNode) -> Iterator[str]:
    for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        yield parameter.arg
