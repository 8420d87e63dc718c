"""Corpus x targets x {tensor, Python value}, gradients and sizes, against plain eager Python."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

pytest.importorskip("torch")

from tests.corpus.program import Program, programs

from . import expectations, harness


def _matrix() -> list[tuple[Program, str, str]]:
    rows = []
    for p in programs():
        rows.append((p, "eager", "tensor"))
        rows.append((p, "aot_eager", "tensor"))
        if p.grad:
            rows += [(p, "eager", "grad"), (p, "aot_eager", "grad")]
        if p.python_inputs:
            rows.append((p, "eager", "python"))
        if p.sizes:
            rows.append((p, "dynamic", "sizes"))
        rows.append((p, "inductor", "grad" if p.grad else "tensor"))
    return rows


MATRIX = _matrix()


def is_everyday(program: Program, target: str, variant: str) -> bool:
    """Whether `make test` runs it; `make full` runs the whole matrix.

    All programs on the eager backend, a fifth of them through AOTAutograd with gradients, some with Inductor. Which,
    follows from the name alone, so that it is the same on every machine.
    """
    share = zlib.crc32(program.name.encode())
    match target, variant:
        case ("eager", "tensor" | "python") | ("dynamic", _):
            return True
        case "aot_eager", "grad":
            return "inductor" in program.tags or share % 5 == 0
        case "inductor", _:
            return "inductor" in program.tags and share % 5 < 2
    return False


def _rows() -> list[Any]:
    return [
        pytest.param(p, t, v, id=f"{p.name}-{t}-{v}", marks=[] if is_everyday(p, t, v) else pytest.mark.slow)
        for p, t, v in MATRIX
    ]


@pytest.mark.parametrize(("program", "target", "variant"), _rows())
def test_as_eager(program: Program, target: str, variant: str) -> None:
    def check(without: tuple[str, ...] = ()) -> None:
        grad = variant == "grad"
        harness.check(program, harness.TARGETS[target], "tensor" if grad else variant, grad=grad, without=without)

    if program.name in expectations.ENDLESS:
        pytest.skip(expectations.ENDLESS[program.name])
    row = expectations.expected(program.name, target, variant)
    if row is None:
        check()
        return
    try:
        check()
    except Exception as error:
        codes = harness.refusal_codes(error)
        if row.refused:
            if row.refused not in codes:
                raise AssertionError(f"refused with {row.refused} expected, got {codes}") from error
        elif row.error:
            assert row.error in str(error), f"another error than {row.error!r}: {error!r}"  # noqa: PT017
    else:
        raise AssertionError(f"passes now: take {row} out of expectations.py")
    if row.without:
        check(without=row.without)


def test_expectations_name_programs() -> None:
    for row in expectations.EXPECTED:
        assert any(row.covers(p.name, t, v) for p, t, v in MATRIX), f"{row} covers no test"
