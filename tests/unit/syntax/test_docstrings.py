"""The docstrings of the layer run: each is a before and after of its module."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import graphweld.syntax
from graphweld.syntax.passes import (
    asserts,
    break_statements,
    continue_statements,
    dead_flags,
    declarations,
    match_statements,
    return_statements,
    returned_lists,
    super_calls,
    while_tests,
)
from graphweld.syntax.passes.expressions import convert_expressions
from graphweld.syntax.passes.outlining import outline_regions
from tests.unit.syntax import showing

MODULES = [info.name for info in pkgutil.walk_packages(graphweld.syntax.__path__, "graphweld.syntax.")]
GLOBALS = {
    "show": showing.show,
    "outline_and_check": showing.outline_and_check,
    "outline_regions": outline_regions,
    "convert_expressions": convert_expressions,
    "lower_asserts": asserts.lower_asserts,
    "lower_breaks": break_statements.lower_breaks,
    "lower_continues": continue_statements.lower_continues,
    "lower_returns": return_statements.lower_returns,
    "return_lists_behind_loops": returned_lists.return_lists_behind_loops,
    "drop_dead_flags": dead_flags.drop_dead_flags,
    "hoist_declarations": declarations.hoist_declarations,
    "lower_matches": match_statements.lower_matches,
    "move_binding_tests": while_tests.move_binding_tests,
    "spell_out_super": super_calls.spell_out_super,
}


@pytest.mark.parametrize("name", MODULES)
def test_docstring(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs=GLOBALS)
    assert result.failed == 0


def test_every_pass_shows_what_it_does() -> None:
    silent = [
        name
        for name in MODULES
        if ".passes." in name and ">>> show(" not in (importlib.import_module(name).__doc__ or "")
    ]
    # The engines that several constructs share.
    assert silent == [f"graphweld.syntax.passes.{name}" for name in ("exits", "expressions", "outlining", "regions")]
