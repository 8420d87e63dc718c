"""THE ordered list of passes, each of which leaves valid Python with the meaning of the original."""

from __future__ import annotations

import ast
from collections.abc import Callable

from graphweld.syntax.analysis.definite_assignment import Status, assignment_of
from graphweld.syntax.analysis.plain_statements import plain_statements
from graphweld.syntax.analysis.scopes import nested_functions, scope_of
from graphweld.syntax.analysis.sites import Sites
from graphweld.syntax.names import Names
from graphweld.syntax.passes.asserts import lower_asserts
from graphweld.syntax.passes.break_statements import lower_breaks
from graphweld.syntax.passes.continue_statements import lower_continues
from graphweld.syntax.passes.dead_flags import drop_dead_flags
from graphweld.syntax.passes.declarations import hoist_declarations
from graphweld.syntax.passes.expressions import convert_expressions
from graphweld.syntax.passes.handled_raises import lower_handled_raises
from graphweld.syntax.passes.match_statements import lower_matches
from graphweld.syntax.passes.outlining import outline_regions
from graphweld.syntax.passes.return_statements import lower_returns
from graphweld.syntax.passes.returned_lists import return_lists_behind_loops
from graphweld.syntax.passes.super_calls import spell_out_super
from graphweld.syntax.passes.tail_calls import loop_tail_calls
from graphweld.syntax.passes.unbound_names import check_unbound_names
from graphweld.syntax.passes.while_tests import move_binding_tests
from graphweld.syntax.supported import reads_frame
from graphweld.syntax.templates import FunctionNode
from graphweld.syntax.unit import Unit

PASSES: tuple[Callable[[Unit], None], ...] = (
    # Normalize: a smaller Python, with plain if, while and for only.
    hoist_declarations,
    loop_tail_calls,  # its `continue` and `return` are lowered like any
    lower_asserts,
    lower_matches,  # before the exits in its cases
    lower_handled_raises,  # handlers become branches, whose exits are lowered like any
    move_binding_tests,  # before `break`: the test moves into the body, where its exits still belong to the loop
    return_lists_behind_loops,  # before `break`, which it makes
    lower_breaks,  # takes `else` off loops, which `continue` and `return` then need not know
    lower_continues,  # before `return`: a guard on a returned flag must not enclose a `continue`
    lower_returns,
    drop_dead_flags,
    # Outline: regions become functions.
    outline_regions,
    convert_expressions,  # after the flags and loop tests, which add `not` and `and` of their own
    spell_out_super,
    check_unbound_names,  # last: it looks at the frames that all the others made
)


def convert_function(function: FunctionNode, names: Names, sites: Sites, runtime: str) -> Unit:
    """Convert `function` in place, and the functions nested in it."""
    # Collected first: afterwards functions that passes made stand among them.
    inner = nested_functions(function.body)
    unit = make_unit(function, names, sites, runtime)
    for run in PASSES:
        run(unit)
    for node in inner:
        if not isinstance(node, ast.Lambda) and not reads_frame(node):
            convert_function(node, names, sites, runtime)
    return unit


def make_unit(function: FunctionNode, names: Names, sites: Sites, runtime: str) -> Unit:
    """The function with the facts that are taken from the original program."""
    scope = scope_of(function)

    def convert_nested(made: ast.FunctionDef) -> set[ast.AST]:
        return convert_function(made, names, sites, runtime).generated

    unit = Unit(function, scope, names, sites, runtime, convert_nested, plain=plain_statements(function))
    reads = assignment_of(function.body, scope.parameters, scope.locals)
    unit.unbound = {node for node, status in reads.items() if status is not Status.BOUND}
    return unit
