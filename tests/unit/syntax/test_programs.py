"""Every program does the same as it is and converted: results, exceptions, order of evaluation, arguments."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from tests.unit.syntax import programs
from tests.unit.syntax.twins import PROGRAMS, Program, check

for info in pkgutil.iter_modules(programs.__path__, "tests.unit.syntax.programs."):
    importlib.import_module(info.name)


@pytest.mark.parametrize("candidate", PROGRAMS, ids=lambda candidate: candidate.name)
def test_twin_does_the_same(candidate: Program) -> None:
    check(candidate)
