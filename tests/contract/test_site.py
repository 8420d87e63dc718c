"""The documentation site builds, without a warning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.tree import ENV, ROOT

pytest.importorskip("sphinx")


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "-q",
        "-d",
        str(tmp_path / "trees"),
        "docs",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=ENV)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "site" / "support-matrix.html").read_text(encoding="utf-8")
    assert "conditionals" in page
