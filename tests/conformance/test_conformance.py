"""Corpus x targets x {tensor, Python value}, gradients and sizes, against plain eager Python."""

from __future__ import annotations

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
        if "inductor" in p.tags:
            rows.append((p, "inductor", "grad" if p.grad else "tensor"))
    return rows


MATRIX = _matrix()


@pytest.mark.parametrize(("program", "target", "variant"), MATRIX, ids=[f"{p.name}-{t}-{v}" for p, t, v in MATRIX])
def test_as_eager(program: Program, target: str, variant: str) -> None:
    def check() -> None:
        grad = variant == "grad"
        harness.check(program, harness.TARGETS[target], "tensor" if grad else variant, grad=grad)

    row = expectations.expected(program.name, target, variant)
    undelivered = program.tags & expectations.UNDELIVERED.keys()
    if row is None and not undelivered:
        check()
        return
    try:
        check()
    except Exception as error:
        codes = harness.refusal_codes(error)
        if row is not None and row.gap:
            return
        if row is not None:
            assert row.refused in codes, f"refused with {row.refused} expected, got {codes} {error!r}"  # noqa: PT017
            return
        if not codes:
            raise
        pytest.skip(f"refused with {', '.join(codes)}; " + "; ".join(expectations.UNDELIVERED[k] for k in undelivered))
    else:
        assert row is None, f"passes now: take {row} out of expectations.py"


def test_expectations_name_programs() -> None:
    for row in expectations.EXPECTED:
        assert any(row.covers(p.name, t, v) for p, t, v in MATRIX), f"{row} covers no test"
