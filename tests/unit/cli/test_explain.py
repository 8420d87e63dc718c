"""`graphweld explain`: what is shown and written, with a report made by hand in place of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphweld.cli.main import run
from tests.unit.report.samples import REFUSED, WELDED

pytestmark = pytest.mark.needs_torch


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "gw_explained_for_tests.py"
    path.write_text("def f(x, k=1):\n    return x\n", encoding="utf-8")
    return f"{path}:f"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What explain was called with."""
    calls: list[tuple[Any, ...]] = []

    def explain(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        calls.append((args, kwargs))
        return WELDED if len(calls) == 1 else REFUSED

    monkeypatch.setattr("graphweld.api.explain", explain)
    return calls


def test_the_report_is_shown(model: str, seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", model, "--inputs", "1", "--kwargs", "dict(k=2)"]) == 0
    assert seen == [((1,), {"k": 2})]
    assert "f: 2 graphs, 1 break before → 1 graph, 0 breaks after" in capsys.readouterr().out


def test_each_set_of_inputs_has_a_report(model: str, seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", model, "-i", "1", "-i", "2, 3"]) == 0
    assert [args for args, _ in seen] == [(1,), (2, 3)]
    out = capsys.readouterr().out
    assert "f: 2 graphs" in out
    assert "Solver.forward: 2 graphs" in out


def test_json(model: str, seen: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    assert run(["explain", model, "-i", "1", "--json", str(path)]) == 0
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(WELDED.to_json())
    assert "f: 2 graphs" in capsys.readouterr().out


def test_json_on_stdout_is_all_there_is(model: str, seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", model, "-i", "1", "-i", "2", "--json", "-"]) == 0
    assert [report["function"] for report in json.loads(capsys.readouterr().out)] == ["f", "Solver.forward"]


@pytest.mark.parametrize(("path", "words"), [("/no/such/folder/x.json", "there is no folder"), ("/", "it is a folder")])
def test_a_path_that_cannot_be_written_is_an_error_before_the_work(
    model: str, seen: list[Any], path: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", model, "-i", "1", "--json", path]) == 2
    assert capsys.readouterr().err.startswith(f"graphweld: error: cannot write {path}: {words}")
    assert seen == []


def test_inputs_that_do_not_fit_are_an_error_before_the_work(
    model: str, seen: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", model]) == 2
    assert "the inputs do not fit f(x, k=1): missing a required argument: 'x'" in capsys.readouterr().err
    assert seen == []


def test_what_the_function_raises_is_one_line(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explain(*_: Any) -> Any:
        raise ValueError("first\nsecond")

    monkeypatch.setattr("graphweld.api.explain", explain)
    assert run(["explain", model, "-i", "1"]) == 2
    assert capsys.readouterr().err == "graphweld: error: f raises ValueError: first (--traceback shows where)\n"
    with pytest.raises(ValueError, match="first"):
        run(["explain", model, "-i", "1", "--traceback"])


def test_a_torch_that_is_not_supported_is_named(
    model: str, seen: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.setattr(torch, "__version__", "2.9.1")
    assert run(["explain", model, "-i", "1"]) == 2
    assert capsys.readouterr().err.startswith("graphweld: error: torch 2.9.1 is not supported")
