"""One function under conversion, and what the passes know about it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from graphweld.syntax.analysis.scopes import Scope
from graphweld.syntax.analysis.sites import Sites
from graphweld.syntax.blocks import Block
from graphweld.syntax.names import Names
from graphweld.syntax.templates import FunctionNode

Loop = ast.For | ast.While


@dataclass
class Unit:
    function: FunctionNode
    """Its body is replaced by the passes."""
    scope: Scope
    names: Names
    sites: Sites
    runtime: str
    """The name that the runtime is imported under."""
    convert_nested: Callable[[ast.FunctionDef], set[ast.AST]]
    """Converts a function that a pass made; gives the functions that were made in it."""
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
    undefined: set[str] = field(default_factory=set)
    """Names that may stand for UNDEFINED."""
    states: list[ast.Tuple] = field(default_factory=list)
    """Arguments of operators: the state that a region starts with."""

    @property
    def body(self) -> Block:
        return self.function.body

    @body.setter
    def body(self, block: Block) -> None:
        self.function.body = block

    def declare(self, names: Iterable[str]) -> Block:
        """`nonlocal` (or `global`) for names of this function that a function made in it binds."""
        names = list(names)
        outermost = [name for name in names if name in self.scope.global_names]
        enclosing = [name for name in names if name not in self.scope.global_names]
        declarations: Block = [ast.Global(outermost)] if outermost else []
        return [*declarations, ast.Nonlocal(enclosing)] if enclosing else declarations

    def new_flag(self, role: str) -> str:
        flag = self.names.value(role)
        self.flags.add(flag)
        return flag

    def is_region(self, node: ast.stmt) -> bool:
        """Whether the statement will be outlined."""
        return isinstance(node, ast.If | ast.While | ast.For) and node not in self.plain
