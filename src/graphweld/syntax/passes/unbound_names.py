"""Names that are not bound on every path: `gw.UNDEFINED` stands for them in a region's state, and reads are checked.

>>> show(outline_and_check, '''
... def f(c):
...     if c:
...         x = 1
...     return x
... ''')
def f(c):
    def then_1(x):
        x = 1
        return (x,)
    def else_1(x):
        return (x,)
    (x,) = gw.if_stmt(c, then_1, else_1, (gw.UNDEFINED,), ('x',), 0)
    return gw.bound(x, 'x')
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from graphweld.syntax.analysis.definite_assignment import Status, assignment_of
from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.analysis.scopes import FunctionLike, body_of, parameters_of, walk_scope
from graphweld.syntax.blocks import Block, start_of
from graphweld.syntax.templates import assign, at, attribute, call, constant, load
from graphweld.syntax.unit import Unit


def check_unbound_names(unit: Unit) -> None:
    frames = _Frames(unit, {id(state) for state in unit.states})
    open_names = frames.settle(unit.function)
    # Names that only functions in it bind now, or that only dropped code bound, but that are locals all the same.
    lost = (open_names.unsure & unit.scope.locals) | (unit.scope.captured - frames.bound)
    bound_inside = (open_names.bound | lost) - unit.scope.declared
    _bind_at_start(unit.function, sorted(bound_inside), unit)
    # Captured names are not made UNDEFINED, as others would see it; they are state only before any other is there.
    unit.undefined |= (frames.undefined | bound_inside) - unit.scope.captured
    _Checks(unit).visit_body(unit.body)


@dataclass
class _Open:
    """Names of enclosing frames that a frame uses."""

    bound: set[str] = field(default_factory=set)
    """Bound by it, as `nonlocal`."""
    unsure: set[str] = field(default_factory=set)
    """Read by it, perhaps while unbound."""


class _Frames:
    """Sees to it that every frame has the names that the functions in it expect."""

    def __init__(self, unit: Unit, states: set[int]) -> None:
        self._unit = unit
        self._states = states
        self.undefined: set[str] = set()
        self.bound: set[str] = set()

    def settle(self, frame: FunctionLike) -> _Open:
        body = body_of(frame)
        inner = _Open()
        here = _Open()
        for node in walk_scope(body):
            if isinstance(node, ast.FunctionDef | ast.Lambda) and node in self._unit.generated:
                used = self.settle(node)
                inner.bound |= used.bound
                inner.unsure |= used.unsure
            elif isinstance(node, ast.Nonlocal) and frame is not self._unit.function:
                here.bound.update(node.names)
            elif isinstance(node, ast.Name) and node in self._unit.unbound:
                here.unsure.add(node.id)
        parameters = parameters_of(frame)
        own = (set(parameters) | set(bound_names(body))) - here.bound
        self.bound |= own
        needed = inner.unsure & own
        if not isinstance(frame, ast.Lambda):
            needed |= self._fill_states(frame, own, inner.bound)
        needed -= set(parameters) | self._unit.scope.captured
        _bind_at_start(frame, sorted(needed), self._unit)
        self.undefined |= needed
        return _Open((inner.bound - own) | here.bound, (inner.unsure | here.unsure) - own)

    def _fill_states(self, frame: ast.FunctionDef | ast.AsyncFunctionDef, own: set[str], shared: set[str]) -> set[str]:
        """Give UNDEFINED for state that is not bound yet. Gives the names that must be bound first."""
        needed = set()
        captured = self._unit.scope.captured
        reads = assignment_of(frame.body, parameters_of(frame), own)
        for node in walk_scope(frame.body):
            if id(node) not in self._states:
                continue
            assert isinstance(node, ast.Tuple)
            for number, element in enumerate(node.elts):
                status = reads.get(element, Status.BOUND)
                if not isinstance(element, ast.Name) or status is Status.BOUND or element.id in captured:
                    continue
                if status is Status.UNBOUND and element.id not in shared:
                    node.elts[number] = at(attribute(self._unit.runtime, "UNDEFINED"), element)
                else:
                    needed.add(element.id)
        return needed


def _bind_at_start(frame: FunctionLike, names: Iterable[str], unit: Unit) -> None:
    added: Block = []
    for name in names:
        if name in unit.scope.captured:
            # The user's own functions see the cell: declare it, but leave it empty.
            added.append(ast.AnnAssign(ast.Name(name, ast.Store()), load("object"), None, 1))
        else:
            added.append(assign(name, attribute(unit.runtime, "UNDEFINED")))
    if added:
        assert not isinstance(frame, ast.Lambda)
        start = start_of(frame.body)
        frame.body[start:start] = [at(node, frame.body[0]) for node in added]


class _Checks(ast.NodeTransformer):
    """Rewrites what reads or unbinds a name that may stand for UNDEFINED."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._undefined = unit.undefined

    def visit_body(self, body: Block) -> None:
        body[:] = [part for node in body for part in self._statements(node)]

    def _statements(self, node: ast.stmt) -> Block:
        result = self.visit(node)
        return result if isinstance(result, list) else [result]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node in self._unit.generated:
            return self.generic_visit(node)
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        node.args = self.visit(node.args)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        node.args = self.visit(node.args)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node in self._unit.unbound and node.id in self._undefined and isinstance(node.ctx, ast.Load):
            return self._bound(node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | Block:
        target = node.target
        self.generic_visit(node)
        if isinstance(target, ast.Name) and target in self._unit.unbound and target.id in self._undefined:
            return [at(ast.Expr(self._bound(target)), node), node]
        return node

    def visit_Delete(self, node: ast.Delete) -> Block:
        out: Block = []
        for target in _flat(node.targets):
            if isinstance(target, ast.Name) and target.id in self._undefined - self._unit.scope.captured:
                if target in self._unit.unbound:
                    out.append(at(ast.Expr(self._bound(target)), node))
                out.append(at(self._unbind(target.id), node))
            else:
                out.append(at(ast.Delete([self.visit(target)]), node))
        return out

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if node.name is not None and node.name in self._undefined - self._unit.scope.captured:
            # Python's own `try: ... finally: del name`, with UNDEFINED for `del`.
            name, node.name = node.name, self._unit.names.value("error")
            unbind = ast.Try(node.body, [], [], [self._unbind(name)])
            node.body = [at(assign(name, load(node.name)), node), at(unbind, node)]
        return node

    def _unbind(self, name: str) -> ast.stmt:
        return assign(name, attribute(self._unit.runtime, "UNDEFINED"))

    def _bound(self, node: ast.Name) -> ast.expr:
        return at(call(self._unit.runtime, "bound", load(node.id), constant(node.id)), node)


def _flat(targets: Iterable[ast.expr]) -> list[ast.expr]:
    out: list[ast.expr] = []
    for target in targets:
        out.extend(_flat(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target])
    return out
