"""Which names a region takes and gives, and which it shares with its surroundings.

>>> import ast
>>> from graphweld.syntax.analysis.scopes import scope_of
>>> function = ast.parse('''
... def f(x, y):
...     if x:
...         t = y + 1
...         y = t
...     return y
... ''').body[0]
>>> states = region_states(function.body, scope_of(function), {}, lambda node: isinstance(node, ast.If))
>>> states[function.body[0]].names
('y',)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphweld.syntax.analysis.captures import Captures
from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.analysis.liveness import Liveness, liveness_of
from graphweld.syntax.analysis.scopes import Scope


@dataclass(frozen=True)
class RegionState:
    names: tuple[str, ...]
    """Parameters and results of the region's functions."""
    shared: frozenset[str]
    """Bound in the region, but in a cell that others see: `nonlocal` (or `global`) in its functions."""
    unbound: frozenset[str]
    """Captured names in the state that are not bound yet; of other names the frames tell."""


def region_states(
    block: Sequence[ast.stmt],
    scope: Scope,
    exit_flags: Mapping[ast.stmt, Sequence[str]],
    is_region: Callable[[ast.stmt], bool],
) -> dict[ast.stmt, RegionState]:
    names = (scope.locals | set(bound_names(block))) - scope.declared
    live = liveness_of(block, names, exit_flags)
    captures = Captures(block, scope)
    return {node: _state(node, live, scope, captures) for node in live.after if is_region(node)}


def _state(node: ast.stmt, live: Liveness, scope: Scope, captures: Captures) -> RegionState:
    after = live.after[node] | scope.captured  # functions made later may read them
    if isinstance(node, ast.If):
        parts = [(bound_names(node.body), live.into_body[node]), (bound_names(node.orelse), live.into_orelse[node])]
    else:
        assert isinstance(node, ast.For | ast.While)
        target = bound_names([node.target]) if isinstance(node, ast.For) else []
        parts = [([*target, *bound_names(node.body)], live.into_body[node])]
    bound = dict.fromkeys(name for names, _ in parts for name in names)
    # Were the region left by an exception, a result that is returned at its end would be lost.
    shared = (scope.declared | captures.shared(node) | live.when_raising[node]) & frozenset(bound)
    wanted = after.union(*(into & set(names) for names, into in parts))
    state = tuple(name for name in bound if name in wanted and name not in shared)
    return RegionState(state, shared, captures.unbound(node) & set(state))
