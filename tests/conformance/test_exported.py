"""The corpus, exported: as eager, or refused with a code."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from tests.corpus.program import Program, programs

from . import expectations, exported, harness

# Of so many parts of the corpus, these. ONNX takes ten times as long as the others, a package forty times.
EVERYDAY: dict[str, tuple[int, tuple[int, ...]]] = {
    "export": (16, (0,)),
    "saved": (32, (1,)),
    "onnx": (64, (5,)),
    "package": (1, ()),
}
AT_ALL = {
    "export": (1, (0,)),
    "saved": (1, (0,)),
    "onnx": (16, (5,)),
    "package": (64, (5,)),
}


def _rows() -> list[Any]:
    rows = []
    for p in filter(exported.has_tensors_only, programs()):
        for way in exported.WAYS:
            if _is_in(p, AT_ALL[way]):
                marks = [] if _is_in(p, EVERYDAY[way]) else pytest.mark.slow
                rows.append(pytest.param(p, way, id=f"{p.name}-{way}", marks=marks))
    return rows


def _is_in(program: Program, parts: tuple[int, tuple[int, ...]]) -> bool:
    count, chosen = parts
    return zlib.crc32(program.name.encode()) % count in chosen


@pytest.mark.parametrize(("program", "way"), _rows())
def test_as_eager(program: Program, way: str) -> None:
    row = next((e for e in expectations.EXPORTED if e.covers(program.name, way, "tensor")), None)
    torch._dynamo.reset()
    try:
        exported.check(program, exported.WAYS[way], rtol=exported.RTOL[way])
    except Exception as error:
        codes = harness.refusal_codes(error)
        if row is not None:
            if row.refused not in codes and not (row.error and row.error in str(error)):
                raise AssertionError(f"not as in {row}") from error
        elif not codes or codes[0].startswith("GW14") or codes != _refused_when_compiled(program):
            raise
    else:
        assert row is None, f"passes now: take {row} out of expectations.py"


def _refused_when_compiled(program: Program) -> list[str]:
    """What `gw.compile` says of it: what it refuses, an export refuses too."""
    try:
        harness.check(program, harness.TARGETS["eager"], "tensor")
    except Exception as error:  # noqa: BLE001 - only a refusal counts
        return harness.refusal_codes(error)
    return []


def test_expectations_name_programs() -> None:
    names = [p.name for p in programs()]
    for row in expectations.EXPORTED:
        assert any(row.covers(name, way, "tensor") for name in names for way in exported.WAYS), f"{row} covers no test"
