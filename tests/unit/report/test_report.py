"""The model's answers, and each renderer on each kind of report."""

from __future__ import annotations

import dataclasses
import io
import json
import os

import pytest
from rich.console import Console

from graphweld.report import Phase, Report
from graphweld.report.render import terminal
from tests import golden
from tests.unit.report.samples import ALL, FAILED, GIVEN_UP, NOTHING_BREAKS, REFUSED, WELDED


@pytest.mark.parametrize("name", ALL)
def test_terminal(name: str) -> None:
    golden.check(f"report/{name}.txt", terminal.plain(ALL[name], width=100) + "\n")


@pytest.mark.parametrize("name", ["welded", "refused"])
def test_json(name: str) -> None:
    golden.check(f"report/{name}.json", ALL[name].to_json() + "\n")


def test_json_is_the_dict() -> None:
    assert json.loads(REFUSED.to_json()) == json.loads(json.dumps(REFUSED.to_dict()))
    assert REFUSED.to_dict()["schema"] == "graphweld.report/1"


def test_whole_means_one_graph_no_break_no_error() -> None:
    assert [report.is_whole for report in ALL.values()] == [True, True, False, False, False]
    assert not Phase(0, (), 0).is_whole, "torch gave the function up: no break, and no graph either"


def test_what_is_left_is_what_is_left_after_welding() -> None:
    assert REFUSED.breaks == REFUSED.after.breaks
    assert REFUSED.graphs == 2
    assert [site.construct for site in REFUSED.sites_with("refused")] == ["while"]


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (WELDED, "Whole: one graph of 3 operators, 1 site welded."),
        (NOTHING_BREAKS, "Nothing breaks here"),
        (REFUSED, "Not whole: 1 place in the way, told below."),
        (dataclasses.replace(REFUSED, diagnostics=()), "Not whole: 1 break left."),
        (GIVEN_UP, "torch gave this function up"),
        (FAILED, "RuntimeError: no"),
    ],
)
def test_there_is_an_answer_in_one_sentence(report: Report, words: str) -> None:
    assert words in terminal.answer(report)
    assert words in str(report)


def test_a_narrow_terminal_loses_no_words() -> None:
    narrow = terminal.plain(REFUSED, width=80)
    for word in ("while err > tol:", "GB0170", "refused", "welded (If)", "GW110"):
        assert word in narrow
    assert max(len(line) for line in narrow.splitlines()) <= 80


def test_rich_finds_the_same_report() -> None:
    console = Console(file=io.StringIO(), width=100, color_system="truecolor", force_terminal=True)
    console.print(WELDED)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[" in text, "in colors"
    assert "welded (If)" in text


def test_code_is_not_taken_for_markup() -> None:
    line = "    if x[bold].sum() > 0:"
    report = Report("f", "m.py", 1, Phase(1, (), 1), Phase(1, (), 1), (), (), "2.13.0")
    site = WELDED.sites[0]
    marked = dataclasses.replace(report, sites=(dataclasses.replace(site, source_line=line),))
    assert "x[bold].sum()" in str(marked)


def test_a_break_in_each_layer_is_listed_once() -> None:
    before = dataclasses.replace(WELDED.before, breaks=WELDED.before.breaks * 4)
    text = str(dataclasses.replace(WELDED, before=before))
    assert "model.py:4 x4" in text
    assert text.count("data-dependent branching") == 1


def test_hundreds_of_sites_that_are_left_are_counted_not_listed() -> None:
    left = dataclasses.replace(REFUSED.sites[2], line=99)
    text = str(dataclasses.replace(REFUSED, sites=REFUSED.sites[:2] + (left,) * 300))
    assert "300 more sites left: no tensor value steers them." in text
    assert "model.py:99" not in text
    assert "while err > tol:" in text


def test_paths_are_short(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    assert terminal.short_path(os.path.join(str(tmp_path), "pkg", "m.py")) == os.path.join("pkg", "m.py")
    assert terminal.short_path("/a/b/c/d/models/bart/modeling.py") == os.path.join("bart", "modeling.py")
    assert terminal.short_path("m.py") == "m.py"
    inside = os.path.join(str(tmp_path), ".venv", "site-packages", "pkg", "models", "m.py")
    assert terminal.short_path(inside) == os.path.join("models", "m.py"), "installed, though it is below here"
