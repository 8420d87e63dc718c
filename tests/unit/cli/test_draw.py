"""`graphweld draw`: the file, the summary, files of models, and wrong arguments."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")

import torch

import graphweld as gw
from graphweld.cli.main import cli, run
from graphweld.view.model import Graph

MODEL = """
import torch

def f(x, n):
    while n > 0:
        if x.sum() < 10:
            x = torch.softmax(x, -1) @ x
        else:
            x = torch.sin(x) @ x
        n = n - 1
    return x

def g(x):
    return x.numpy().tolist() if x.sum() > 0 else x
"""
INPUTS = "torch.ones(3, 3), torch.tensor(3)"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "drawn_model.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def drawn(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["draw", *arguments])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()[-1]


def test_writes_a_page_and_tells_what_is_in_it(model: Path) -> None:
    told = drawn("drawn_model.py:f", "-i", INPUTS)
    assert told.startswith(f"f.html: {(model / 'f.html').stat().st_size:,} bytes, ")
    assert 'class=\\"loop\\"' in (model / "f.html").read_text(encoding="utf-8")


@pytest.mark.skipif(not (shutil.which("node") or shutil.which("dot")), reason="nothing here lays out an SVG")
def test_draws_the_pieces_too(model: Path) -> None:
    drawn("drawn_model.py:f", "-i", INPUTS, "--no-weld", "-o", "f.svg")
    text = (model / "f.svg").read_text(encoding="utf-8")
    assert 'class="cluster piece"' in text
    assert "while n &gt; 0:" in text


def kinds(graph: Graph) -> list[str]:
    return [n.kind for n in graph.walk() if n.regions]


def lines(graph: Graph) -> dict[str, int]:
    return {n.kind: n.place.line for n in graph.walk() if n.regions and n.place is not None}


def test_an_exported_program_is_drawn_with_the_lines_it_comes_from(model: Path) -> None:
    from graphweld.cli.target import load_target

    fn = load_target("drawn_model.py", "f", instantiate=True).fn
    args = torch.ones(3, 3), torch.tensor(3)
    torch.export.save(gw.export(fn, args), "f.pt2")
    graph = gw.draw("f.pt2").graph
    assert kinds(graph) == ["loop", "if"]
    assert lines(graph) == {"loop": 5, "if": 6}
    assert {"x", "n"} <= {n.name for n in graph.walk() if n.kind == "carry"}


def test_an_onnx_model_is_drawn_with_the_lines_it_comes_from(model: Path) -> None:
    pytest.importorskip("onnxruntime")
    from graphweld.cli.target import load_target

    fn = load_target("drawn_model.py", "f", instantiate=True).fn
    gw.export_onnx(fn, (torch.ones(3, 3), torch.tensor(3)), "f.onnx")
    told = drawn("f.onnx", "-o", "f.dot")
    assert told.startswith("f.dot: ")
    graph = gw.draw("f.onnx").graph
    assert kinds(graph) == ["loop", "if"]
    assert lines(graph) == {"loop": 5, "if": 6}
    assert any("Softmax(x" in n.label for n in graph.walk())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["drawn_model.py:f", "-i", INPUTS, "-o", "f.png"], "a picture is an .svg, .html or .dot file, not f.png"),
        (["drawn_model.py:f", "-i", INPUTS, "-o", "no/f.html"], "there is no folder no"),
        (["no.onnx"], "no such file: no.onnx"),
        (["drawn_model.py:f"], "the inputs do not fit"),
        (["drawn_model.py:g", "-i", "torch.ones(3)"], "GW"),
        (["broken.onnx"], "holds no ONNX model"),
        (["broken.pt2"], "holds no exported program"),
    ],
)
def test_wrong_arguments_are_told(
    model: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("broken.onnx", "broken.pt2"):
        (model / name).write_bytes(b"nothing of the kind")
    assert run(["draw", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_broken_file_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken.pt2").write_bytes(b"nothing of the kind")
    told = subprocess.run(
        [sys.executable, "-m", "graphweld", "draw", "broken.pt2"], cwd=tmp_path, capture_output=True, text=True
    )
    assert told.stderr.count("\n") == 1
    assert told.stderr.startswith("graphweld: error: broken.pt2 holds no exported program")
