"""The documentation site: `sphinx-build -W docs build/site`. The support matrix is written when the site is built."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tools import support_matrix  # noqa: E402

support_matrix.write(ROOT / "docs" / "support-matrix.md")

project = "graphweld"
extensions = ["myst_parser"]
exclude_patterns = ["examples"]
html_theme = "furo"
html_title = "graphweld"
html_copy_source = False
myst_heading_anchors = 3
nitpicky = True
