"""Where a captured name can still be treated as a value: before any function that captures it is made.

>>> import ast
>>> from graphweld.syntax.analysis.scopes import scope_of
>>> function = ast.parse('''
... def f(c, x):
...     if c:
...         x = 1
...     get = lambda: x
...     if c:
...         x = 2
... ''').body[0]
>>> captures = Captures(function.body, scope_of(function))
>>> first, _, second = function.body
>>> sorted(captures.shared(first)), sorted(captures.shared(second))
([], ['x'])
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from graphweld.syntax.analysis.definite_assignment import assignment_around
from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.analysis.scopes import Scope, walk_scope
from graphweld.syntax.blocks import blocks_of, statements

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Captures:
    """Tells of a region which captured names are cells to it, and which are still values."""

    def __init__(self, block: Sequence[ast.stmt], scope: Scope) -> None:
        self._captures = scope.captures
        if not scope.captures:
            return
        self._order = {node: number for number, node in enumerate(statements(block))}
        self._loops = dict(_loops_around(block, ()))
        # Inner statements come later, and overrule the outer ones.
        self._makers = {part: node for node in self._order for part in walk_scope([node])}
        self._around = assignment_around(block, scope.parameters, scope.captured)

    def shared(self, region: ast.stmt) -> frozenset[str]:
        """Names that others may read or bind while the region runs, or could find wrongly bound after it."""
        return frozenset(
            name
            for name, functions in self._captures.items()
            if not self._is_settled(name, region) or not all(self._is_made_later(f, region) for f in functions)
        )

    def unbound(self, region: ast.stmt) -> frozenset[str]:
        """Names that are never bound before the region."""
        around = self._around.get(region) if self._captures else None
        return frozenset(self._captures) - around.possible_before if around else frozenset()

    def _is_settled(self, name: str, region: ast.stmt) -> bool:
        assert isinstance(region, ast.If | ast.While | ast.For)
        around = self._around.get(region)
        return (
            around is not None
            and name in around.certain_after
            and name not in bound_names([region.iter if isinstance(region, ast.For) else region.test])
            and (name in around.certain_before or name not in around.possible_before)
        )

    def _is_made_later(self, function: ast.AST, region: ast.stmt) -> bool:
        maker = self._makers.get(function)
        if maker is None or set(self._loops[maker]) & set(self._loops[region]):
            return False
        return self._order[maker] > max(self._order[node] for node in statements([region]))


def _loops_around(
    block: Sequence[ast.stmt], around: tuple[ast.stmt, ...]
) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    for node in block:
        yield node, around
        for _, name, inner in blocks_of(node):
            is_repeated = isinstance(node, _LOOPS) and name == "body"
            yield from _loops_around(inner, (*around, node) if is_repeated else around)
