"""What the data flow notes on its way: a place at which tensor values would have to leave the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from graphweld.lint.flow.program import Function

What = Literal["branch", "loop", "scalar", "size", "call"]


@dataclass(frozen=True)
class Event:
    """One place. It reaches from the start of `node` to the end of `end`."""

    what: What
    construct: str
    node: ast.stmt | ast.expr
    end: ast.expr
    subject: ast.expr
    """The expression whose tensor values are asked for."""
    sure: bool
    function: Function
    statement: ast.stmt | None = None
    """The branch or loop as a whole."""


class Events:
    """Those of one function. A place that is met twice (in a loop) is one."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, int], Event] = {}

    def add(self, event: Event) -> None:
        """Note a place; once sure, it stays so."""
        key = (event.what, event.node.lineno, event.node.col_offset)
        known = self._found.get(key)
        self._found[key] = event if known is None else replace(known, sure=known.sure or event.sure)

    def mark(self) -> set[tuple[str, int, int]]:
        """What has been found so far."""
        return set(self._found)

    def drop_since(self, mark: set[tuple[str, int, int]], *what: What) -> list[Event]:
        """Take back what the parts of a header gave, where the header itself is the place."""
        return [self._found.pop(key) for key in list(self._found) if key not in mark and key[0] in what]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._found.values())
