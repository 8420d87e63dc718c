"""What a program reads of its surroundings is what it would read in plain Python, on every call."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch")

import graphweld as gw  # noqa: E402


def from_environment(x):
    import os

    if x.sum() > 0:
        x = x * len(os.getenv("GRAPHWELD_TEST", "abc"))
    return x


def test_the_environment_is_read_on_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = gw.compile(from_environment, backend="eager")
    for value in ("a", "ab", "a"):
        monkeypatch.setenv("GRAPHWELD_TEST", value)
        assert compiled(torch.ones(1)).item() == len(value)


class Shaken:
    def __init__(self) -> None:
        self.rng = random.Random(5)


def test_a_generator_of_the_callers_is_not_frozen() -> None:
    shaken = Shaken()

    def draw(x):
        y = x if x.sum() > 0 else -x
        return y * shaken.rng.random()

    with pytest.raises(gw.GraphweldError, match="GW120"):
        gw.compile(draw, backend="eager")(torch.ones(1))
