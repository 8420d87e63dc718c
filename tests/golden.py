"""Compare text with a file under tests/snapshots; `GRAPHWELD_UPDATE=1 pytest ...` writes the file instead."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def check(name: str, text: str) -> None:
    path = FOLDER / name
    if os.environ.get("GRAPHWELD_UPDATE"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"no snapshot {name}: run with GRAPHWELD_UPDATE=1 and read what it writes"
    assert text == path.read_text(encoding="utf-8"), f"{name} differs: if that is meant, run with GRAPHWELD_UPDATE=1"
