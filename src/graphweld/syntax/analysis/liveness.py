"""Which names will be read again?

>>> import ast
>>> function = ast.parse('''
... def f(x, y):
...     if x:
...         t = y + 1
...         y = t
...     return y
... ''').body[0]
>>> branch = function.body[0]
>>> table = liveness_of(function.body, {"x", "y", "t"})
>>> sorted(table.after[branch]), sorted(table.into_body[branch])
(['y'], ['y'])

The program has no exits inside regions any more. The flow is followed backwards, by structure. Where an exception may
leave a `try` body, what the handlers and the code after them read is alive all through the body.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graphweld.syntax.analysis.completion import may_suppress
from graphweld.syntax.analysis.events import Kind, events
from graphweld.syntax.python_versions import TryStar

Live = frozenset[str]
_NOTHING: Live = frozenset()


@dataclass
class Liveness:
    after: dict[ast.stmt, Live] = field(default_factory=dict)
    """Read later, once the statement is done."""
    into_body: dict[ast.stmt, Live] = field(default_factory=dict)
    """Read by a branch or a loop body (or what follows it) before it binds them: for a loop, at its head."""
    into_orelse: dict[ast.stmt, Live] = field(default_factory=dict)
    when_raising: dict[ast.stmt, Live] = field(default_factory=dict)
    """Read after an exception from within the statement."""


def liveness_of(
    block: Sequence[ast.stmt], names: Iterable[str], exit_flags: Mapping[ast.stmt, Sequence[str]] | None = None
) -> Liveness:
    """Liveness of `names` in a function body. A loop reads its exit flags with its test."""
    flow = _Flow(frozenset(names), exit_flags or {})
    flow.block(block, _NOTHING, _Exits())
    return flow.table


@dataclass(frozen=True)
class _Exits:
    """What is alive where a jump from here lands."""

    raising: Live = _NOTHING
    returning: Live = _NOTHING
    breaking: Live = _NOTHING
    continuing: Live = _NOTHING


class _Flow:
    def __init__(self, names: Live, exit_flags: Mapping[ast.stmt, Sequence[str]]) -> None:
        self.table = Liveness()
        self._names = names
        self._exit_flags = exit_flags

    def block(self, statements: Sequence[ast.stmt], live: Live, exits: _Exits) -> Live:
        for statement in reversed(statements):
            self.table.after[statement] = live
            self.table.when_raising[statement] = exits.raising
            live = self._statement(statement, live, exits) | exits.raising
        return live

    def _before(self, live: Live, *nodes: ast.AST | None) -> Live:
        for event in reversed(events(*(node for node in nodes if node is not None))):
            if event.kind is Kind.READ:
                live |= {event.name} & self._names
            elif event.certain:
                live -= {event.name}
        return live

    def _statement(self, node: ast.stmt, live: Live, exits: _Exits) -> Live:
        match node:
            case ast.If():
                body = self.table.into_body[node] = self.block(node.body, live, exits)
                orelse = self.table.into_orelse[node] = self.block(node.orelse, live, exits)
                return self._before(body | orelse, node.test)
            case ast.While() | ast.For() | ast.AsyncFor():
                return self._loop(node, live, exits)
            case ast.Try() | TryStar():
                return self._try(node, live, exits)
            case ast.With() | ast.AsyncWith():
                inner = replace(exits, raising=exits.raising | live) if may_suppress(node) else exits
                live = self.block(node.body, live, inner)
                for item in reversed(node.items):
                    live = self._before(live, item.context_expr, item.optional_vars)
                return live
            case ast.Match():
                ends = live
                for case in node.cases:
                    ends |= self._before(self.block(case.body, live, exits), case.pattern, case.guard)
                return self._before(ends, node.subject)
            case ast.Return():
                return self._before(exits.returning, node)
            case ast.Raise():
                return self._before(exits.raising, node)
            case ast.Break():
                return exits.breaking
            case ast.Continue():
                return exits.continuing
        return self._before(live, node)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, live: Live, exits: _Exits) -> Live:
        done = self.block(node.orelse, live, exits) | (frozenset(self._exit_flags.get(node, ())) & self._names)
        head = _NOTHING
        while True:
            inner = replace(exits, breaking=live, continuing=head)
            body = self.block(node.body, head, inner)
            if isinstance(node, ast.While):
                again = self._before(body | done, node.test)
            else:
                again = self._before(body, node.target) | done
            if again == head:
                break
            head = again
        self.table.into_body[node] = head
        return head if isinstance(node, ast.While) else self._before(head, node.iter)

    def _try(self, node: ast.Try | TryStar, live: Live, exits: _Exits) -> Live:
        if node.finalbody:
            # One copy serves every way into `finally`: alive after it is what is alive after any of them.
            anywhere = live | exits.raising | exits.returning | exits.breaking | exits.continuing
            live = self.block(node.finalbody, anywhere, exits)
            exits = _Exits(live, live, live, live)
        caught = exits.raising
        for handler in node.handlers:
            body = self.block(handler.body, live, exits) - {handler.name or ""}
            caught |= self._before(body, handler.type)
        body = self.block(node.orelse, live, exits)
        return self.block(node.body, body, replace(exits, raising=caught))
