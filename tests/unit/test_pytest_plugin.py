"""The plugin, in a run of pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

TESTS = """
import torch


def clamp(x):
    if x.sum() > 0:
        return x * 2
    return -x


def test_whole(assert_whole):
    assert_whole(clamp, [torch.ones(3), -torch.ones(3)])


def test_not_whole(assert_whole):
    assert_whole(lambda x: torch._dynamo.graph_break(), [torch.ones(3)])
"""


def test_the_fixture_checks_and_the_report_explains(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(TESTS, encoding="utf-8")
    is_installed = any(point.name == "graphweld" for point in entry_points(group="pytest11"))
    load = [] if is_installed else ["-p", "graphweld.pytest_plugin"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--graphweld-report", "-p", "no:cacheprovider", *load, "test_mine.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")},
    )
    out = done.stdout
    assert "1 failed, 1 passed" in out, out + done.stderr
    assert "GraphBreakError" in out
    assert "= graphweld =" in out
    assert "test_mine.py::test_whole\nclamp: 2 graphs, 1 break before → 1 graph, 0 breaks after" in out
