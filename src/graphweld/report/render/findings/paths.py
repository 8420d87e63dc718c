"""Paths as other programs want them."""

from __future__ import annotations

import os
from pathlib import Path


def machine_path(file: str) -> str:
    """From here where the file is below here, else whole; always with `/`."""
    path = Path(os.path.abspath(file))
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
