"""`graphweld fix`: the patch is right, applied only when asked for, applied once; and what cannot be is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graphweld.cli.main import run

pytestmark = pytest.mark.needs_torch

PROGRAM = '''import torch


class Net(torch.nn.Module):
    def forward(self, x):
        # one of two
        if x.sum() > 0:
            y = x * 2
            if y.max() > 5:
                y = y - 1  # down
        else:
            y = -x
        return y


def early(x):
    """Doc."""
    if x.sum() > 0:
        return x
    return x * 2


def loop(x):
    while x.sum() > 1:
        x = x / 2
    return x


def dropped(x):
    if x.sum() > 0:
        x = torch.nn.functional.dropout(x)
    return x


def one_sided(x):
    if x.sum() > 0:
        y = x
        z = y * 2
    else:
        y = -x
    return y, z


def types_differ(x):
    return_ = x
    if x.sum() > 0:
        return_ = x.double()
    return return_


def plain(x):
    if x.shape[0] > 2:
        return x
    return -x
'''
INPUTS = ["-i", "-torch.ones(3)", "-i", "torch.ones(3) * 9"]


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_patch_that_git_applies_and_that_holds(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fix", "model.py:Net", *INPUTS]) == 0
    patch = capsys.readouterr().out
    assert model.read_text(encoding="utf-8") == PROGRAM, "without --write nothing is written"
    assert patch.count("+") > 10
    assert run(["fix", "model.py:Net", *INPUTS, "--write"]) == 0
    written = model.read_text(encoding="utf-8")
    model.write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["git", "apply", "-"], input=patch, text=True, check=True)
    assert model.read_text(encoding="utf-8") == written
    assert written.count("torch.cond(") == 2
    assert "y = y - 1  # down" in written
    assert "graphweld" not in written
    capsys.readouterr()
    assert run(["fix", "model.py:Net", *INPUTS, "--write"]) == 0
    assert capsys.readouterr().out == "Net: no branch in it is decided by tensor values.\n"
    assert model.read_text(encoding="utf-8") == written
    check = "import torch, model; x = torch.ones(3); print(model.Net()(x).tolist(), model.Net()(-x).tolist())"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[2.0, 2.0, 2.0] [1.0, 1.0, 1.0]"


def test_returns_on_both_ways(model: Path) -> None:
    assert run(["fix", "model.py:early", *INPUTS, "--write"]) == 0
    assert "return torch.cond(x.sum() > 0, then_1, else_1, ())" in model.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("loop", "wrong gradient for a loop of no trips (model.py:24)"),
        ("dropped", "`torch.nn.functional.dropout` draws random numbers"),
        ("types_differ", "written out, it differs"),
    ],
)
def test_what_cannot_be_written_out_is_told(
    name: str, words: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fix", f"model.py:{name}", *INPUTS, "--write"]) == 2
    assert words in capsys.readouterr().err
    assert model.read_text(encoding="utf-8") == PROGRAM


def test_a_name_that_one_side_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fix", "model.py:one_sided", "-i", "torch.ones(3)"]) == 2
    assert "`z` is set on one of its sides only" in capsys.readouterr().err


def test_nothing_to_write_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fix", "model.py:plain", "-i", "torch.ones(3)"]) == 0
    assert "no branch in it" in capsys.readouterr().out
