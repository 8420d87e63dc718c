"""A few random programs, the same every time; `python -m tests.fuzz` runs others without an end."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

pytest.importorskip("torch")

from tests.fuzz.__main__ import run, shrunk
from tests.fuzz.check import load
from tests.fuzz.programs import Chance, program


@pytest.mark.parametrize(
    ("target", "grad", "count"),
    [("eager", False, 12), ("aot_eager", True, 3), pytest.param("eager", False, 150, marks=pytest.mark.slow)],
)
def test_random_programs(target: str, grad: bool, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    seen, failures = run(7, count, 1e9, target, grad)
    assert not failures, capsys.readouterr().out
    assert sum(seen.values()) == count
    assert seen["right"] >= count // 2, dict(seen)


def test_each_program_is_python() -> None:
    texts = [program(Chance(number)) for number in range(900)]
    assert all(callable(load(text).program) for text in texts[:30])
    assert len(set(texts)) > 890
    kinds = Counter(type(node) for text in texts for node in ast.walk(ast.parse(text)))
    for kind in (ast.For, ast.While, ast.Try, ast.Raise, ast.Break, ast.Continue, ast.Return, ast.Delete, ast.IfExp):
        assert kinds[kind] > 10, kind


def test_shrinking_keeps_what_fails() -> None:
    text = program(Chance(3)).replace(
        "    return a, b, c, k", "    if a.sum() > (0 if k else 1):\n        b = a / 0\n    return a, b, c, k"
    )
    small = shrunk(text, lambda candidate: "a / 0" in candidate)
    assert "a / 0" in small
    assert len(small.splitlines()) <= 8, small
