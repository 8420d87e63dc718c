"""The decoder of docs/deploy.md gives the same tokens in Python, in ONNX Runtime, and in JavaScript."""

from __future__ import annotations

import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")


from tests.contract.tree import ROOT
from tests.unit.test_docs import BLOCK

RUNTIME = "onnxruntime-node@1.30.0"


@pytest.mark.slow
def test_javascript_gives_the_same_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node.js is not installed")
    shutil.copy(ROOT / "docs" / "examples" / "decode.mjs", tmp_path)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", RUNTIME]
    installed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"npm cannot install {RUNTIME}: {installed.stderr.strip().splitlines()[-1:]}")
    page = types.ModuleType("gw_documented_deploy")
    monkeypatch.setitem(sys.modules, page.__name__, page)
    monkeypatch.chdir(tmp_path)  # where the page writes decoder.onnx
    for number, text in enumerate(BLOCK.findall((ROOT / "docs" / "deploy.md").read_text(encoding="utf-8"))):
        file = tmp_path / f"deploy_{number}.py"
        file.write_text(text, encoding="utf-8")
        exec(compile(text, str(file), "exec"), vars(page))
    done = subprocess.run(
        ["node", "decode.mjs", "decoder.onnx"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    told = [[int(token) for token in line.split()] for line in done.stdout.splitlines()]
    eager = [page.model(*args).flatten().tolist() for args in (page.inputs, page.others)]
    assert told == eager
    assert page.tokens.flatten().tolist() == eager[0], "ONNX Runtime in Python"
