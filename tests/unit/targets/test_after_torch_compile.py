"""What torch alone compiled earlier in the process does not hide the hooks: Dynamo keeps the handlers it has made."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import torch

def cut(x, n):
    end = x.shape[-1] - n.max() if n.sum() > 2 else 3
    return x[..., :end]

inputs = [(torch.ones(2, 5), torch.tensor([1, k])) for k in (2, 0)]
torch.compile(lambda x: x[..., :2], backend="eager")(inputs[0][0])
torch.compiler.reset()
import graphweld as gw
welded = gw.compile(cut, backend="eager")
for args in inputs:
    assert torch.equal(welded(*args), cut(*args))
"""


def test_handlers_made_before_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    subprocess.run([sys.executable, "-W", "ignore", tmp_path / "program.py"], check=True)
