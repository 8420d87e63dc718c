"""One function under conversion, and what the passes know about it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from graphweld.syntax.analysis.scopes import Scope
from graphweld.syntax.analysis.sites import Sites
from graphweld.syntax.names import Names
from graphweld.syntax.templates import FunctionNode

Block = list[ast.stmt]
Loop = ast.For | ast.While


@dataclass
class Unit:
    function: FunctionNode | ast.Lambda
    """Its body is replaced by the passes."""
    scope: Scope
    names: Names
    sites: Sites
    runtime: str
    """The name that the runtime is imported under."""
    plain: set[ast.stmt] = field(default_factory=set)
    """Statements of the original that stay plain Python."""
    unbound: set[ast.AST] = field(default_factory=set)
    """Reads that may find their name unbound, by the original program."""
    exit_flags: dict[ast.stmt, list[str]] = field(default_factory=dict)
    """Flags that end a loop."""
    flags: set[str] = field(default_factory=set)
    """Names of all exit flags."""
    generated: set[ast.AST] = field(default_factory=set)
    """Functions and lambdas made for regions."""
    states: list[ast.Tuple] = field(default_factory=list)
    """Arguments of operators: the state that a region starts with."""

    @property
    def body(self) -> Block:
        assert not isinstance(self.function, ast.Lambda)
        return self.function.body

    @body.setter
    def body(self, block: Block) -> None:
        assert not isinstance(self.function, ast.Lambda)
        self.function.body = block

    def new_flag(self, role: str) -> str:
        flag = self.names.value(role)
        self.flags.add(flag)
        return flag

    def is_region(self, node: ast.stmt) -> bool:
        """Whether the statement will be outlined."""
        return isinstance(node, ast.If | ast.While | ast.For) and node not in self.plain


def blocks_of(node: ast.stmt) -> Iterator[tuple[ast.AST, str, Block]]:
    """The statement lists of a compound statement, with the node and the field that hold them."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return  # another scope
        case ast.Match():
            for case in node.cases:
                yield case, "body", case.body
        case ast.Try() | ast.TryStar():
            yield node, "body", node.body
            for handler in node.handlers:
                yield handler, "body", handler.body
            yield node, "orelse", node.orelse
            yield node, "finalbody", node.finalbody
        case ast.With() | ast.AsyncWith():
            yield node, "body", node.body
        case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
            yield node, "body", node.body
            yield node, "orelse", node.orelse


def rewrite_blocks(block: Block, rewrite: Callable[[Block], Block]) -> Block:
    """Apply `rewrite` to every statement list of the scope, innermost first."""
    for statement in block:
        for holder, name, inner in blocks_of(statement):
            setattr(holder, name, rewrite_blocks(inner, rewrite))
    return rewrite(block)


def statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of the scope, outer before inner, in source order."""
    for statement in block:
        yield statement
        for _, _, inner in blocks_of(statement):
            yield from statements(inner)
