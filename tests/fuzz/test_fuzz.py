"""A few random programs, the same ones every time; `python -m tests.fuzz` runs others without an end."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("torch")

from hypothesis import given, settings

from tests.fuzz.__main__ import run_round
from tests.fuzz.check import load
from tests.fuzz.programs import programs


@pytest.mark.parametrize(
    ("target", "grad", "count"),
    [("eager", False, 12), ("aot_eager", True, 6), pytest.param("eager", False, 150, marks=pytest.mark.slow)],
)
def test_random_programs(target: str, grad: bool, count: int) -> None:
    seen = Counter[str]()
    failed = run_round(7, count, target, grad, seen)
    if failed is not None:
        raise AssertionError(f"this program differs from plain Python:\n{failed[0]}") from failed[1]
    assert seen["right"] >= count // 3, dict(seen)


@settings(max_examples=30, deadline=None, database=None, derandomize=True)
@given(programs())
def test_each_program_is_python(text: str) -> None:
    assert callable(load(text).program)
