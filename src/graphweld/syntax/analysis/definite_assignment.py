"""Is a name bound where it is read?

>>> import ast
>>> function = ast.parse('''
... def f(c):
...     if c:
...         x = y = 1
...     else:
...         x = 2
...     return x, y, z
...     z = 3
... ''').body[0]
>>> table = assignment_of(function.body, {"c"}, {"c", "x", "y", "z"})
>>> {node.id: status.name for node, status in table.items()}
{'c': 'BOUND', 'x': 'BOUND', 'y': 'MAYBE', 'z': 'UNBOUND'}

The flow is followed by structure, so no graph is built. An exception may come from anywhere in a `try` body.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from graphweld.syntax.analysis.completion import may_suppress
from graphweld.syntax.analysis.data_dependence import is_endless
from graphweld.syntax.analysis.events import Event, Kind, bound_names, events
from graphweld.syntax.python_versions import TryStar


class Status(enum.Enum):
    BOUND = enum.auto()
    MAYBE = enum.auto()
    UNBOUND = enum.auto()


@dataclass(frozen=True)
class _Names:
    """What is known at a point that control can reach."""

    certain: frozenset[str]
    possible: frozenset[str]


_Flow = _Names | None  # None where control does not come


@dataclass
class _Loop:
    breaks: list[_Names] = field(default_factory=list)
    continues: list[_Names] = field(default_factory=list)


def assignment_of(block: Sequence[ast.stmt], bound: Iterable[str], names: Iterable[str]) -> dict[ast.AST, Status]:
    """The status of each read of one of `names`, where those in `bound` are bound at the start."""
    flow = _Assignment(frozenset(names))
    start = frozenset(bound)
    flow.block(block, _Names(start, start))
    return flow.reads


@dataclass(frozen=True)
class Around:
    """Which names are bound before and after a statement."""

    certain_before: frozenset[str]
    possible_before: frozenset[str]
    certain_after: frozenset[str]


def assignment_around(block: Sequence[ast.stmt], bound: Iterable[str], names: Iterable[str]) -> dict[ast.stmt, Around]:
    """For each statement that control gets past."""
    flow = _Assignment(frozenset(names))
    start = frozenset(bound) & frozenset(names)
    flow.block(block, _Names(start, start))
    return flow.around


def _join(*flows: _Flow) -> _Flow:
    reached = [flow for flow in flows if flow is not None]
    if not reached:
        return None
    return _Names(
        frozenset.intersection(*(flow.certain for flow in reached)),
        frozenset.union(*(flow.possible for flow in reached)),
    )


class _Assignment:
    def __init__(self, names: frozenset[str]) -> None:
        self.reads: dict[ast.AST, Status] = {}
        self.around: dict[ast.stmt, Around] = {}
        self._names = names
        self._loops: list[_Loop] = []

    def block(self, statements: Sequence[ast.stmt], flow: _Flow) -> _Flow:
        for statement in statements:
            before, flow = flow, self._statement(statement, flow)
            if before is not None and flow is not None:
                # Loops and `finally` come here more than once.
                known = self.around.get(statement, Around(before.certain, before.possible, flow.certain))
                self.around[statement] = Around(
                    known.certain_before & before.certain,
                    known.possible_before | before.possible,
                    known.certain_after & flow.certain,
                )
        return flow

    def _apply(self, found: Iterable[Event], flow: _Flow) -> _Flow:
        if flow is None:
            return None
        certain, possible = set(flow.certain), set(flow.possible)
        perhaps: set[str] = set()  # bound since, if this part of the expression runs at all
        for event in found:
            if event.name not in self._names:
                continue
            if event.kind is Kind.READ:
                self._read(event, certain | (set() if event.certain else perhaps), possible)
            elif event.kind is Kind.BIND:
                possible.add(event.name)
                (certain if event.certain else perhaps).add(event.name)
            else:
                certain.discard(event.name)
                if event.certain:
                    possible.discard(event.name)
        return _Names(frozenset(certain), frozenset(possible))

    def _read(self, event: Event, certain: set[str], possible: set[str]) -> None:
        status = Status.MAYBE
        if event.name in certain:
            status = Status.BOUND
        elif event.name not in possible:
            status = Status.UNBOUND
        before = self.reads.get(event.node, status)
        # A second round through a loop, or through `finally`, may know less.
        self.reads[event.node] = status if status is before else Status.MAYBE

    def _evaluate(self, flow: _Flow, *nodes: ast.AST | None) -> _Flow:
        return self._apply(events(*(node for node in nodes if node is not None)), flow)

    def _statement(self, node: ast.stmt, flow: _Flow) -> _Flow:
        if flow is None:
            return None
        match node:
            case ast.If():
                flow = self._evaluate(flow, node.test)
                return _join(self.block(node.body, flow), self.block(node.orelse, flow))
            case ast.While():
                return self._loop(node, flow)
            case ast.For() | ast.AsyncFor():
                return self._loop(node, self._evaluate(flow, node.iter))
            case ast.Try() | TryStar():
                return self._try(node, flow)
            case ast.With() | ast.AsyncWith():
                return self._with(node, flow)
            case ast.Match():
                return self._match(node, flow)
            case ast.Break():
                self._loops[-1].breaks.append(flow)
                return None
            case ast.Continue():
                self._loops[-1].continues.append(flow)
                return None
            case ast.Return() | ast.Raise():
                self._evaluate(flow, node)
                return None
        return self._evaluate(flow, node)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, entry: _Flow) -> _Flow:
        endless = isinstance(node, ast.While) and is_endless(node.test)
        head = entry
        while True:
            loop = _Loop()
            self._loops.append(loop)
            if isinstance(node, ast.While):
                tested = self._evaluate(head, node.test)
                end = self.block(node.body, tested)
            else:
                tested = head
                end = self.block(node.body, self._evaluate(head, node.target))
            self._loops.pop()
            again = _join(head, end, *loop.continues)
            if again == head:
                break
            head = again
        return _join(self.block(node.orelse, None if endless else tested), *loop.breaks)

    def _with(self, node: ast.With | ast.AsyncWith, flow: _Flow) -> _Flow:
        for item in node.items:
            flow = self._evaluate(flow, item.context_expr, item.optional_vars)
        end = self.block(node.body, flow)
        return _join(end, self._interrupted(flow, node.body)) if may_suppress(node) else end

    def _interrupted(self, entry: _Flow, block: Sequence[ast.AST]) -> _Flow:
        """Anywhere inside `block`."""
        if entry is None:
            return None
        unbound = {event.name for event in events(*block) if event.kind is Kind.UNBIND}
        return _Names(entry.certain - unbound, entry.possible | set(bound_names(block)))

    @contextmanager
    def _jumps_pass(self, unbound: Iterable[str], bound: Iterable[str] = ()) -> Iterator[None]:
        """On their way out, `break` and `continue` run what unbinds and binds these names."""
        loop = self._loops[-1] if self._loops else _Loop()
        before = len(loop.breaks), len(loop.continues)
        yield
        for jumps, start in zip((loop.breaks, loop.continues), before, strict=True):
            jumps[start:] = [
                _Names(flow.certain.difference(unbound), flow.possible.union(bound)) for flow in jumps[start:]
            ]

    def _try(self, node: ast.Try | TryStar, entry: _Flow) -> _Flow:
        final = events(*node.finalbody)
        unbound = {event.name for event in final if event.kind is Kind.UNBIND}
        with self._jumps_pass(unbound, bound_names(node.finalbody)):
            normal = self._try_body(node, entry)
        if node.finalbody:
            # Once for the ways that leave the statement, once for the one that goes on.
            self.block(node.finalbody, self._interrupted(entry, [*node.body, *node.handlers, *node.orelse]))
            normal = self.block(node.finalbody, normal)
        return normal

    def _try_body(self, node: ast.Try | TryStar, entry: _Flow) -> _Flow:
        end = self.block(node.orelse, self.block(node.body, entry))
        caught = self._interrupted(entry, node.body)
        ends = [end]
        for handler in node.handlers:
            flow = self._evaluate(caught, handler.type)
            if flow is not None and handler.name is not None:
                flow = _Names(flow.certain | {handler.name}, flow.possible | {handler.name})
            with self._jumps_pass([handler.name or ""]):
                flow = self.block(handler.body, flow)
            if flow is not None and handler.name is not None:
                flow = _Names(flow.certain - {handler.name}, flow.possible - {handler.name})
            ends.append(flow)
        return _join(*ends)

    def _match(self, node: ast.Match, flow: _Flow) -> _Flow:
        flow = self._evaluate(flow, node.subject)
        ends: list[_Flow] = []
        for case in node.cases:
            possible = self._interrupted(flow, [case.pattern])  # a failed pattern may have bound some of its names
            matched = self._evaluate(flow, case.pattern)
            flow = possible
            if case.guard is not None:
                matched = self._evaluate(matched, case.guard)
                flow = _join(flow, matched)
            ends.append(self.block(case.body, matched))
        return _join(flow, *ends)
