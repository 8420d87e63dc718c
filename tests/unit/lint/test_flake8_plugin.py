"""The plugin as flake8 loads it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.unit.lint.test_checker import PROGRAM

pytest.importorskip("flake8")


def test_flake8_shows_the_findings(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.graphweld]\nignore = ['GW203']\n", encoding="utf-8")
    config = "[flake8]\nselect = GW2\n"
    if "GW2" not in entry_points(group="flake8.extension").names:  # an environment older than the plugin
        config += "[flake8:local-plugins]\nextension =\n    GW2 = graphweld.lint.flake8_plugin:Plugin\n"
    (tmp_path / ".flake8").write_text(config, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "model.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")},
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["model.py:5:5: GW201 tensor values decide this `if`: `x.sum() > 0`"]
    assert done.returncode == 1
