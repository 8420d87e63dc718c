"""`graphweld export`: the file, the summary, and wrong arguments."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

import torch

from graphweld.cli.main import cli, run

MODEL = """
import torch

def f(x, n):
    for i in range(int(n)):
        x = x * 2 if x.sum() < 10 else x - i
    return x

def noisy(x):
    return x + torch.rand(3) if x.sum() > 0 else x

def raising(x):
    raise KeyError("never")

class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, x):
        self.steps += 1
        return x * self.steps
"""
INPUTS = "torch.ones(2, 3), torch.tensor(3)"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "exported_model.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("form", "name"), [("onnx", "f.onnx"), ("pt2", "f.pt2")])
def test_writes_a_file_and_tells_what_is_in_it(model: Path, form: str, name: str) -> None:
    done = CliRunner().invoke(
        cli, ["export", "exported_model.py:f", "-i", INPUTS, "--to", form, "--dynamic", "x:0=batch"]
    )
    assert done.exit_code == 0, done.output
    assert f"{name}: {(model / name).stat().st_size:,} bytes" in done.output
    assert "1 Loop" in done.output or "while_loop" in done.output
    if form == "pt2":
        exported = torch.export.load(model / name).module()
        assert exported(torch.ones(5, 3), torch.tensor(1)).tolist() == (torch.ones(5, 3) * 0 + 1).tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "onnx", "-o", "f.pt2"], "onnx is written to a .onnx file, not f.pt2"),
        (["--to", "onnx", "-o", "no/f.onnx"], "there is no folder no"),
        (["--to", "pt2", "--dynamic", "x=batch"], "is not of the form NAME:AXIS=SIZE"),
        (["--to", "pt2", "--dynamic", "y:0=batch"], "no tensor is given as y (tensors: x, n)"),
        (["--to", "pt2", "--dynamic", "x:2=batch"], "x has 2 axes, numbered from 0"),
        (["--to", "pt2", "--dynamic", "x:0=a", "--dynamic", "x:0=b"], "this size has a name already"),
    ],
)
def test_wrong_arguments_are_one_line(
    model: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "exported_model.py:f", "-i", INPUTS, *arguments]) == 2
    assert words in capsys.readouterr().err


def test_what_the_function_raises_is_one_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "exported_model.py:raising", "-i", "torch.ones(3)", "--to", "pt2"]) == 2
    found = capsys.readouterr().err
    assert "raising raises on these inputs: KeyError: 'never' (exported_model.py:13)" in found
    assert "Traceback" not in found


def test_inputs_on_which_plain_python_raises_are_one_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = "torch.ones(2, 3), torch.ones(3)"
    assert run(["export", "exported_model.py:f", "-i", inputs, "--to", "pt2"]) == 2
    assert "f raises on these inputs: " in capsys.readouterr().err


@pytest.mark.parametrize("form", ["onnx", "pt2", "package"])
def test_a_path_that_cannot_be_written_is_one_line(model: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = model / f"folder{'.onnx' if form == 'onnx' else '.pt2'}"
    folder.mkdir()
    assert run(["export", "exported_model.py:f", "-i", INPUTS, "--to", form, "-o", str(folder)]) == 2
    assert f"cannot write {folder}: it is a folder" in capsys.readouterr().err


def test_the_summary_tells_names_and_draws(model: Path) -> None:
    def told(name: str, *more: str) -> str:
        arguments = ["export", f"exported_model.py:{name}", "-i", "torch.ones(3)", "--to", "onnx", *more]
        return CliRunner().invoke(cli, arguments).output

    assert "inputs: x, steps (has a default); outputs: mul, steps_after" in told("Counting")
    assert "draws random numbers of the runtime's own" in told("noisy", "--no-verify")
    assert "exported_model.py:10" in told("noisy", "--no-verify")
