"""`graphweld check` as a person calls it: output, files, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphweld.cli.main import run

PROGRAM = "import torch\n\n\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return int(x.max())\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "clean.py").write_text("import torch\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_findings_with_carets_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check"]) == 1
    out = capsys.readouterr().out
    assert "model.py:5:5: GW201: tensor values decide this `if`: `x.sum() > 0`" in out
    assert "    if x.sum() > 0:\n    ^^^^^^^^^^^^^^\n" in out
    assert out.endswith("2 findings in 1 file (of 2 checked): 2 that graphweld welds, 0 that it refuses.\n")


def test_nothing_found_is_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "clean.py"]) == 0
    assert capsys.readouterr().out == "Nothing found in 1 file.\n"


@pytest.mark.parametrize(
    ("args", "codes"),
    [
        (["--select", "GW203"], ["GW203"]),
        (["--ignore", "gw203"], ["GW201"]),
        (["--exclude", "model.py"], []),
        (["--select", "GW201,GW203"], ["GW201", "GW203"]),
    ],
)
def test_options_say_what_to_show(args: list[str], codes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", ".", "-f", "json", *args])
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "graphweld.check/1"
    assert [finding["code"] for finding in data["findings"]] == codes


def test_exit_zero() -> None:
    assert run(["check", "--exit-zero"]) == 0


def test_output_goes_to_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "-f", "sarif", "-o", "out.sarif"]) == 1
    assert capsys.readouterr().out == ""
    assert json.loads((project / "out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_a_baseline_is_written_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--write-baseline", "base.json"]) == 0
    assert capsys.readouterr().err == "Wrote 2 findings to base.json.\n"
    assert run(["check", "--baseline", "base.json"]) == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["check", "nowhere"], "no such file or folder: nowhere"),
        (["check", "--select", "GX1"], "there is no code 'GX1'"),
        (["check", "-f", "xml"], "Invalid value for '--output-format'"),
        (["check", "-o", "no/such/folder"], "cannot write no/such/folder"),
        (["check", "--baseline", "none.json"], "there is no baseline none.json"),
    ],
)
def test_wrong_usage_is_exit_code_2(args: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    assert words in capsys.readouterr().err


def test_torch_is_never_imported(project: Path) -> None:
    (project / "torch.py").write_text("raise SystemExit('torch was imported')\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "graphweld", "check", "model.py", "-f", "concise"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")},
    )
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (1, "", 2)
