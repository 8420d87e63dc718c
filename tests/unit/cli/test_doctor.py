"""`graphweld doctor`: what is found, whether it is supported, and the exit code."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass

import pytest

from graphweld.cli.main import run

pytestmark = pytest.mark.needs_torch


@dataclass(frozen=True)
class Probed:
    name: str
    reason: str
    ok: bool
    note: str


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[Probed]:
    results = [Probed("torch._x.Y", "to trace another code object", True, "")]
    module = types.ModuleType("graphweld.capture.private")
    module.probe = lambda: results  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "graphweld.capture.private", module)
    return results


def test_all_is_well(probed: list[Probed], capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert torch.__version__ in out
    assert "not supported" not in out
    assert "torch._x.Y" in out
    assert "to trace another code object" in out
    assert out.rstrip().endswith("All is well.")


def test_a_part_that_is_gone(probed: list[Probed], capsys: pytest.CaptureFixture[str]) -> None:
    probed.append(Probed("torch._x.Z", "to start over", False, "it is gone"))
    assert run(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "it is gone" in out
    assert "Not all is well" in out


def test_a_torch_that_is_not_supported(
    probed: list[Probed], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.setattr(torch, "__version__", "2.9.1")
    assert run(["doctor"]) == 1
    assert "not supported (>=2.13,<2.15 is)" in capsys.readouterr().out
