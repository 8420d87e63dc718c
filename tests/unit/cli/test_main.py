"""The verbs that need no torch, and how errors leave the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphweld import __version__
from graphweld.cli.main import run
from graphweld.diagnostics.codes import CODES
from graphweld.diagnostics.rule import HEADS

ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"graphweld {__version__}\n"


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    for verb in ("check", "explain", "run", "diff", "fix", "rule", "doctor", "demo"):
        assert f"\n  {verb} " in out


@pytest.mark.parametrize("verb", ["check", "explain", "run", "diff", "fix", "rule", "doctor", "demo"])
def test_each_verb_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: graphweld {verb}")


@pytest.mark.parametrize("asked", ["GW102", "gw102", "maybe-unbound"])
def test_rule_prints_the_page(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", asked]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# GW102 maybe-unbound")
    assert all(f"## {head}" in out for head in HEADS)


def test_rule_without_a_code_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(CODES)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["rule", "GW999"], "there is no code 'GW999'"),
        (["explain"], "Missing argument 'FILE.py:NAME'"),
        (["nope"], "No such command 'nope'"),
        (["explain", "--nope"], "No such option"),
        (["explain", "model.py"], "'model.py' is not of the form FILE.py:NAME"),
        (["explain", "model.py:"], "is not of the form"),
        (["explain", "no_such_file.py:f"], "no such file: no_such_file.py"),
        (["diff", "no_such_file.py:f"], "no such file: no_such_file.py"),
        (["explain", ".:f"], ". is not a Python file"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(
    args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("graphweld: error: ")
    assert words in captured.err
    assert captured.err.count("\n") == 1


def test_without_arguments_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "Usage: graphweld" in capsys.readouterr().err


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "graphweld", "rule", "nope"], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "graphweld: error: there is no code 'nope' (`graphweld rule` lists them)\n"


@pytest.mark.parametrize("args", [["--help"], ["rule", "GW101"], ["explain", "--help"]])
def test_nothing_heavy_is_imported_for_help(args: list[str]) -> None:
    script = (
        "import sys\n"
        "from graphweld.cli.main import run\n"
        f"assert run({args!r}) == 0\n"
        "print(*[m for m in ('torch', 'rich', 'transformers') if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], env=ENV, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m graphweld rule GW101 | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        env=ENV,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
