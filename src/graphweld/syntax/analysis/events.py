"""What a piece of code does to names, in the order in which Python does it.

>>> import ast
>>> for event in events(ast.parse("y = (x := f()) and (z := x)").body[0]):
...     print(event.kind.name, event.name, "always" if event.certain else "perhaps")
READ f always
BIND x always
READ x perhaps
BIND z perhaps
BIND y always
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from graphweld.syntax.python_versions import TryStar


class Kind(enum.Enum):
    READ = enum.auto()
    BIND = enum.auto()
    UNBIND = enum.auto()


@dataclass(frozen=True)
class Event:
    kind: Kind
    name: str
    certain: bool
    """Happens whenever the statement completes, not only on some path through it."""
    node: ast.AST
    """The Name, where there is one; else the statement."""


def events(*nodes: ast.AST) -> list[Event]:
    """Events of the scope that `nodes` stand in; the bodies of functions in them have scopes of their own."""
    recorder = _Recorder()
    for node in nodes:
        recorder.visit(node)
    return recorder.events


def bound_names(nodes: Iterable[ast.AST]) -> list[str]:
    """Names that `nodes` bind or unbind in their own scope, in order of appearance."""
    return list(dict.fromkeys(event.name for event in events(*nodes) if event.kind is not Kind.READ))


class _Recorder(ast.NodeVisitor):
    def __init__(self) -> None:
        self.events: list[Event] = []
        self._certain = True
        self._hidden: frozenset[str] = frozenset()  # targets of the comprehensions around
        self._in_class = False

    def _record(self, kind: Kind, name: str, node: ast.AST) -> None:
        if self._in_class and kind is not Kind.READ:
            return  # binds a name of the class
        if kind is Kind.READ and name in self._hidden:
            return
        self.events.append(Event(kind, name, self._certain, node))

    @contextmanager
    def _perhaps(self) -> Iterator[None]:
        before, self._certain = self._certain, False
        try:
            yield
        finally:
            self._certain = before

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    # expressions

    def visit_Name(self, node: ast.Name) -> None:
        match node.ctx:
            case ast.Load():
                self._record(Kind.READ, node.id, node)
            case ast.Store():
                self._record(Kind.BIND, node.id, node)
            case ast.Del():
                self._record(Kind.READ, node.id, node)
                self._record(Kind.UNBIND, node.id, node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._visit_all([node.value, node.target])

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])
        with self._perhaps():
            self._visit_all(node.values[1:])

    def visit_Compare(self, node: ast.Compare) -> None:
        self._visit_all([node.left, node.comparators[0]])
        with self._perhaps():
            self._visit_all(node.comparators[1:])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        with self._perhaps():
            self._visit_all([node.body, node.orelse])

    def visit_Dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            self._visit_all([key, value])

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])

    def _visit_comprehension(self, generators: Sequence[ast.comprehension], *elements: ast.expr) -> None:
        self.visit(generators[0].iter)
        before = self._hidden
        targets = {n.id for g in generators for n in _names_in(g.target) if isinstance(n.ctx, ast.Store)}
        self._hidden = before | targets
        with self._perhaps():
            for number, generator in enumerate(generators):
                if number:
                    self.visit(generator.iter)
                # Targets are names of the comprehension; those that are attributes or items read names of ours.
                self._visit_all(n for n in _names_in(generator.target) if isinstance(n.ctx, ast.Load))
                self._visit_all(generator.ifs)
            self._visit_all(elements)
        self._hidden = before

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._visit_comprehension(node.generators, node.elt)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._visit_comprehension(node.generators, node.elt)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._visit_comprehension(node.generators, node.elt)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._visit_comprehension(node.generators, node.key, node.value)

    # simple statements

    def visit_Assign(self, node: ast.Assign) -> None:
        self._visit_all([node.value, *node.targets])

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._record(Kind.READ, node.target.id, node.target)
            self.visit(node.value)
            self._record(Kind.BIND, node.target.id, node.target)
        else:
            self._visit_all([node.target, node.value])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # In a function the annotation is not evaluated, but it makes the name a local one.
        if node.value is not None:
            self._visit_all([node.value, node.target])
        elif not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)
        with self._perhaps():
            self._visit_all([node.msg])

    def visit_alias(self, node: ast.alias) -> None:
        if node.name != "*":
            self._record(Kind.BIND, node.asname or node.name.partition(".")[0], node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        self._visit_all([*node.decorator_list, *arguments.defaults, *arguments.kw_defaults, node.returns])
        plain = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        for argument in (*plain, arguments.vararg, arguments.kwarg):
            self._visit_all([argument and argument.annotation])
        self._record(Kind.BIND, node.name, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        before, self._in_class = self._in_class, True
        with self._perhaps():  # a name may also be the class's own
            self._visit_all(node.body)
        self._in_class = before
        self._record(Kind.BIND, node.name, node)

    # compound statements, taken as a whole

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        with self._perhaps():
            self._visit_all([node.target, *node.body, *node.orelse])

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self.visit_For(node)

    def visit_If(self, node: ast.If | ast.While) -> None:
        self.visit(node.test)
        with self._perhaps():
            self._visit_all([*node.body, *node.orelse])

    def visit_While(self, node: ast.While) -> None:
        self.visit_If(node)

    def _visit_try(self, node: ast.Try | TryStar) -> None:
        with self._perhaps():
            self._visit_all([*node.body, *node.handlers, *node.orelse])
        self._visit_all(node.finalbody)

    def visit_Try(self, node: ast.Try) -> None:
        self._visit_try(node)

    def visit_TryStar(self, node: TryStar) -> None:
        self._visit_try(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._visit_all([node.type])
        if node.name is not None:
            self._record(Kind.BIND, node.name, node)
        self._visit_all(node.body)
        if node.name is not None:
            self._record(Kind.UNBIND, node.name, node)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        with self._perhaps():
            self._visit_all(node.cases)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._visit_all([node.pattern])
        if node.name is not None:
            self._record(Kind.BIND, node.name, node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name is not None:
            self._record(Kind.BIND, node.name, node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._visit_all([*node.keys, *node.patterns])
        if node.rest is not None:
            self._record(Kind.BIND, node.rest, node)


def _names_in(target: ast.expr) -> list[ast.Name]:
    return [node for node in ast.walk(target) if isinstance(node, ast.Name)]
