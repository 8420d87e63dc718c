"""The function that a region is moved into, and the call that runs it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from graphweld.syntax.analysis.completion import falls_through
from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.analysis.region_state import RegionState
from graphweld.syntax.blocks import Block
from graphweld.syntax.templates import at, attribute, call, constant, function, load, names_tuple, strings_tuple, unpack
from graphweld.syntax.unit import Unit


def region_function(
    name: str, parameters: Sequence[str], body: Block, state: RegionState, unit: Unit, origin: ast.stmt
) -> ast.FunctionDef:
    """`def name(parameters): body; return (state)`"""
    declared = unit.declare(name for name in bound_names(body) if name in state.shared)
    ending: Block = [ast.Return(names_tuple(state.names))] if falls_through(body, unit.exit_flags) else []
    if isinstance(body[0], ast.Pass) and ending:
        body = body[1:]
    node = at(function(name, parameters, [*declared, *body, *ending]), origin)
    unit.generated.add(node)
    return node


def region_call(
    operator: str, before: Sequence[ast.expr], state: RegionState, unit: Unit, origin: ast.stmt, *after: ast.expr
) -> ast.stmt:
    """`(a, b) = gw.operator(<before>, (a, b), ("a", "b"), site, <after>)`"""
    start = names_tuple(state.names)
    start.elts = [attribute(unit.runtime, "UNDEFINED") if n in state.unbound else load(n) for n in state.names]
    unit.states.append(start)
    unit.undefined.update(state.names)
    site = constant(unit.sites.index(origin))
    value = call(unit.runtime, operator, *before, start, strings_tuple(state.names), site, *after)
    return at(unpack(state.names, value), origin)
