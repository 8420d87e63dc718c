"""Reports hold the picture of what torch alone made of a program, and of what welding made of it."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

import graphweld as gw
from graphweld.report import Report
from graphweld.targets.run import Recorder
from graphweld.view.model import Graph
from tests.unit.view import programs

ARGS = torch.ones(3, 3), torch.eye(3)


def kinds(graph: Graph | None) -> list[str]:
    assert graph is not None
    return [n.kind for n in graph.walk() if n.regions or n.kind == "python"]


def test_explain_shows_the_pieces_and_the_whole() -> None:
    report = gw.explain(programs.choose, ARGS)
    assert kinds(report.before.picture) == ["piece", "python", "piece"]
    assert kinds(report.after.picture) == ["if"]
    assert sorted(n.name for n in report.after.picture.walk() if n.kind == "input") == ["w", "x"]


def test_what_is_refused_has_no_picture_after() -> None:
    report: Report = gw.explain(programs.refused, (torch.ones(3),))
    assert report.before.picture is not None
    assert report.after.picture is None


def test_a_run_shows_them_too() -> None:
    recorder = Recorder(weld=True)
    with recorder.recording():
        fast = torch.compile(programs.choose, backend="eager")
        assert torch.equal(fast(*ARGS), programs.choose(*ARGS))
        torch.export.export(programs.Gate(), (ARGS[0],))
    compiled, exported = recorder.compiled()
    assert compiled.before is not None
    assert compiled.after is not None
    assert exported.after is not None
    assert kinds(compiled.before.picture) == ["piece", "python", "piece"], "it comes out of the child process"
    assert kinds(compiled.after.picture) == ["if"]
    assert sorted(n.name for n in compiled.after.picture.walk() if n.kind == "input") == ["w", "x"]
    assert [n.name for n in exported.after.picture.walk() if n.kind == "input"] == ["x"]
