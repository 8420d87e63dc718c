"""`graphweld run`: the script runs as it would, and the report is true."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphweld.cli.main import run

pytestmark = pytest.mark.needs_torch

SCRIPT = """import sys

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        if y.mean() > 0:
            y = y * 2
        return nn.functional.dropout(y)


@torch.compile(backend="eager")
def loss_of(y, target):
    loss = ((y - target) ** 2).mean()
    if torch.isnan(loss):
        return torch.zeros(())
    return loss


def clip(gradient):
    print("clip")
    torch._dynamo.graph_break()
    return gradient / gradient.norm() if gradient.norm() > 1 else gradient


net = torch.compile(Net(), backend="eager")
clip = torch.compile(clip, backend="eager")
never = torch.compile(clip, backend="eager")
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(int(sys.argv[1])):
    loss = loss_of(net(torch.randn(2 + step, 4)), torch.ones(2 + step, 4))
    sgd.zero_grad()
    loss.backward()
    for parameter in net.parameters():
        parameter.grad = clip(parameter.grad)
    sgd.step()
print("loss", loss.item(), torch.rand(()).item(), __name__, sys.argv)
sys.exit(3)
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def compiled(path: Path) -> dict[str, dict[str, Any]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["schema"] == "graphweld.run/1"
    return {entry["function"]: entry for entry in reversed(data["compiled"])}


def test_a_training_script_with_three_compiled_functions(
    script: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "2"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path("train.py", run_name="__main__")
    plain = capfd.readouterr().out
    assert run(["run", "--json", "report.json", "train.py", "2"]) == left.value.code == 3
    out, err = capfd.readouterr()
    assert out == plain
    found = compiled(tmp_path / "report.json")
    net, loss, clip = (found[name] for name in ("Net", "loss_of", "clip"))
    assert [(e["before"]["graphs"], len(e["before"]["breaks"])) for e in (net, loss, clip)] == [(2, 1), (1, 1), (2, 3)]
    assert [(e["after"]["graphs"], len(e["after"]["breaks"])) for e in (net, loss)] == [(2, 0), (2, 0)]
    assert [(e["calls"], e["recompiles"]) for e in (net, loss)] == [(2, 1), (2, 1)]
    assert [e["is_whole"] for e in (net, loss, clip)] == [True, True, False]
    assert [site["verdict"] for site in net["sites"]] == ["welded"]
    assert (31, "GB0025") in {(entry["line"], entry["torch_code"]) for entry in clip["after"]["breaks"]}
    assert [site["verdict"] for site in clip["sites"]] == ["refused"], "where it breaks, it was not left"
    assert err.startswith("train.py: 3 functions compiled, 2 without a break (exit code 3, ")
    assert "never" in err  # called; a narrow table breaks the line there


def test_without_welding_it_only_measures(script: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--no-weld", "--json", "report.json", "train.py", "1"]) == 3
    net = compiled(tmp_path / "report.json")["Net"]
    assert (net["before"]["graphs"], len(net["before"]["breaks"]), net["after"], net["sites"]) == (2, 1, None, [])
    assert "3 functions compiled by torch alone" in capfd.readouterr().err


EXPORTS = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return -x


program = torch.export.export(Net(), (torch.ones(3),))
print(program.module()(-torch.ones(3)).tolist())
"""


def test_exports_weld_too(script: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script.write_text(EXPORTS, encoding="utf-8")
    assert run(["run", "--no-weld", "train.py"]) == 1, "torch alone cannot export it"
    capfd.readouterr()
    assert run(["run", "--json", "report.json", "train.py"]) == 0
    assert capfd.readouterr().out == "[1.0, 1.0, 1.0]\n"
    net = compiled(tmp_path / "report.json")["Net"]
    assert (net["how"], net["after"]["graphs"], net["is_whole"]) == ("torch.export.export", 1, True)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("print('nothing')", 0, "nothing was compiled (exit code 0"),
        ("raise KeyError('mine')", 1, "nothing was compiled (KeyError"),
        ("import sys; sys.exit('told')", 1, "told\n"),
    ],
)
def test_how_a_script_ends(text: str, code: int, words: str, script: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import torch

    before = torch.compile, sys.argv, sys.path[:]
    script.write_text(text, encoding="utf-8")
    assert run(["run", "train.py"]) == code
    err = capfd.readouterr().err
    assert words in err
    assert "graphweld/cli" not in err, "a traceback is the script's own"
    assert (torch.compile, sys.argv, sys.path) == before


def test_an_error_of_the_script_is_shown_as_python_shows_it(script: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script.write_text("def f():\n    raise KeyError('mine')\n\n\nf()\n", encoding="utf-8")
    assert run(["run", "train.py"]) == 1
    plain = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True, check=False)
    assert (
        capfd.readouterr()
        .err.replace(str(script), "train.py")
        .startswith(plain.stderr.replace(str(script), "train.py"))
    )


def test_options_behind_the_script_are_its_own(script: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script.write_text("import sys; print(sys.argv)", encoding="utf-8")
    assert run(["run", "train.py", "--json", "x", "--no-weld"]) == 0
    assert capfd.readouterr().out == "['train.py', '--json', 'x', '--no-weld']\n"


def test_no_such_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "nowhere.py"]) == 2
    assert "no such file: nowhere.py" in capsys.readouterr().err
