"""The engine behind `break`, `continue`, `return`, and a `raise` to a handler in the same function.

An exit becomes values and flags, and what it skips is guarded.

Of the statements after an `if` that may exit, no copy is ever made. Where one branch never reaches them they move into
the other branch; where both may or may not, a flag guards them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphweld.syntax.analysis.completion import falls_through, loop_exits
from graphweld.syntax.analysis.scopes import walk_scope
from graphweld.syntax.blocks import Block, blocks_of, statements
from graphweld.syntax.python_versions import TryStar
from graphweld.syntax.templates import assign, at, constant, load, negated
from graphweld.syntax.unit import Unit

_ENDINGS = (ast.Try, TryStar, ast.With, ast.AsyncWith)
_LEAVING_LOOPS = (ast.Return, ast.Raise)
Exit = type[ast.Break] | type[ast.Continue] | type[ast.Return] | type[ast.Raise]


def holds_exit(node: ast.stmt, kind: Exit, hard: bool, unit: Unit) -> bool:
    """Whether `node` holds an exit that must be lowered: in hard code, one inside a region."""
    if hard and not unit.is_region(node):
        return any(
            holds_exit(part, kind, True, unit)
            for _, name, block in blocks_of(node)
            if kind is not ast.Raise or not is_caught(node, name)
            for part in block
        )
    if kind is ast.Raise:
        return isinstance(node, ast.Raise) or any(
            holds_exit(part, kind, False, unit)
            for _, name, block in blocks_of(node)
            if not is_caught(node, name)
            for part in block
        )
    if kind is ast.Return:
        return any(isinstance(part, ast.Return) for part in walk_scope([node]))
    return any(isinstance(part, kind) for part in loop_exits([node]))


def is_caught(node: ast.stmt, name: str) -> bool:
    """Whether exceptions of a block of a statement may be caught by the statement itself."""
    return isinstance(node, ast.Try | TryStar) and bool(node.handlers) and name == "body"


@dataclass
class ExitLowering:
    """Lowers the exits of one kind.

    *Hard* code is at the level of the function itself, outside any region, where a `return` can stay one.
    """

    unit: Unit
    kind: Exit
    flag: str
    replace: Callable[[ast.stmt], Block]
    """What an exit becomes."""
    origin: ast.AST
    """The site that a guard belongs to where no nearer one is found."""
    leave: Callable[[], ast.stmt] | None = None
    """The real exit, for hard code that ends after a lowered one."""

    def lower(self, block: Sequence[ast.stmt], hard: bool) -> Block:
        falls = self._falls(block)
        lowered = False
        out: Block = []
        for number, node in enumerate(block):
            rest = list(block[number + 1 :])
            if isinstance(node, self.kind):
                out.extend([node, *rest] if hard else self.replace(node))
                break
            if not self._holds_exit(node, hard):
                out.append(node)
                continue
            lowered = True
            inner = hard and not self.unit.is_region(node)
            escapes = not inner or any(
                self._escapes(part) for _, name, part in blocks_of(node) if not self._is_caught(node, name)
            )
            goes_on = self._falls([node])
            if isinstance(node, ast.If) and rest and goes_on and escapes:
                rest = self._absorb(node, rest)
            self._descend(node, inner)
            out.append(node)
            if escapes or not goes_on:
                if rest and goes_on:
                    out.append(self._guard(rest, node))
                break
        if hard and lowered and not falls and self._falls(out) and self.leave is not None:
            out.append(self.leave())
        return out

    def _holds_exit(self, node: ast.stmt, hard: bool) -> bool:
        return holds_exit(node, self.kind, hard, self.unit)

    def _is_caught(self, node: ast.stmt, name: str) -> bool:
        return self.kind is ast.Raise and is_caught(node, name)

    def _falls(self, block: Sequence[ast.stmt]) -> bool:
        return falls_through(block, self.unit.exit_flags)

    def _escapes(self, block: Block) -> bool:
        """Hard code that, once lowered, goes on with the flag set."""
        return any(self._holds_exit(node, True) for node in block) and self._falls(block)

    def _absorb(self, node: ast.If, rest: Block) -> Block:
        """Move what follows into the only branch that reaches it; gives what is still to be done after."""
        body_falls, orelse_falls = self._falls(node.body), self._falls(node.orelse)
        if body_falls and orelse_falls:
            return rest
        if body_falls:
            node.body = [*node.body, *rest]
        else:
            node.orelse = [*node.orelse, *rest]
        return []

    def _descend(self, node: ast.stmt, hard: bool) -> None:
        if self.kind in _LEAVING_LOOPS and isinstance(node, ast.For | ast.While) and self.unit.is_region(node):
            self.unit.exit_flags.setdefault(node, []).append(self.flag)
        # An exception on the way out, from `finally` or the end of `with`, calls the exit off.
        can_fail_on_exit = (
            isinstance(node, ast.Try | TryStar)
            and not self._is_caught(node, "body")
            and any(
                self._holds_exit(part, False) and any(isinstance(inner, _ENDINGS) for inner in statements([part]))
                for part in node.body
            )
        )
        done: Block = []
        if isinstance(node, ast.Try | TryStar) and node.orelse and not self._is_caught(node, "body"):
            # `else` runs only where the body was not left.
            if not self._falls(node.body):
                node.orelse = []
            elif any(self._holds_exit(part, hard) for part in node.body):
                done = node.orelse = [self._guard(node.orelse, node)]
        for holder, name, block in list(blocks_of(node)):
            if isinstance(node, ast.For | ast.AsyncFor | ast.While) and name == "body":
                if self.kind not in _LEAVING_LOOPS:
                    continue  # exits in there belong to that loop
            if self._is_caught(node, name):
                continue
            if block and block is not done:
                setattr(holder, name, self.lower(block, hard) or _nothing(node))
            if isinstance(holder, ast.ExceptHandler) and can_fail_on_exit:
                holder.body = [at(assign(self.flag, constant(False)), holder), *holder.body]

    def _guard(self, rest: Block, origin: ast.stmt) -> ast.If:
        test = negated(load(self.flag))
        guard = at(ast.If(test, [], []), origin)
        guard.body = self.lower(rest, hard=False) or _nothing(origin)
        # No site of its own: it carries on the decision that `origin` took.
        site = next((part for part in walk_scope([origin]) if part in self.unit.sites), self.origin)
        self.unit.sites.alias(guard, site)
        self.unit.sites.alias(test, site)
        return guard


def _nothing(origin: ast.AST) -> Block:
    return [at(ast.Pass(), origin)]
