"""Random programs do the same as they are and converted. More of them: `pytest --seeds 1000:9000` with this file."""

from __future__ import annotations

import contextlib
import linecache
import types
from typing import Any

import pytest

from graphweld.syntax import convert
from tests.unit.syntax.random_programs import Fuel, Generator
from tests.unit.syntax.twins import Program, check, log


def add(one: Any, other: Any) -> Any:
    return one + other if type(one) is type(other) is int and abs(one) < 99 else other


def make_program(seed: int) -> Program | None:
    """None where Python itself rejects the text."""
    text = Generator(seed).program()
    filename = f"<random {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    left = 0

    def fuel() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Fuel

    def log_value(value: Any) -> Any:
        # Of a name that a closure reads, too, Python says so in other words inside a region than in the function.
        log("unbound" if isinstance(value, NameError) else value)
        return value

    scope = {
        "log": log_value,
        "add": add,
        "fuel": fuel,
        "nullcontext": contextlib.nullcontext,
        "suppress": contextlib.suppress,
    }
    try:
        exec(compile(text, filename, "exec"), scope)
    except SyntaxError:
        return None
    function = scope["f"]
    assert isinstance(function, types.FunctionType)

    def run(a: int, b: int) -> Any:
        nonlocal left
        left = 30
        try:
            return function(a, b)
        except NameError:
            return "unbound"

    run.__qualname__ = f"program_{seed}"
    return Program(run, ((0, 0), (0, 1), (1, 0), (2, 3)), (function,))


CHUNK = 20


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seeds" in metafunc.fixturenames:
        first, _, last = metafunc.config.getoption("--seeds").partition(":")
        chunks = [range(k, min(k + CHUNK, int(last))) for k in range(int(first), int(last), CHUNK)]
        metafunc.parametrize("seeds", chunks, ids=lambda chunk: f"{chunk.start}:{chunk.stop}")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_twins(seeds: range) -> None:
    for seed in seeds:
        program = make_program(seed)
        if program is not None and convert(program.converted[0].__code__) is not None:
            check(program)
