"""The package as the contract tests see it: its modules, and what each of them imports. Nothing is imported here."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "graphweld"
ENV = {**os.environ, "PYTHONPATH": str(SOURCE)}  # for Pythons started by tests


@dataclass(frozen=True)
class Module:
    name: str
    path: Path

    @property
    def layer(self) -> str:
        """The first part below the package: a folder, or the stem of a single file."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 1 else "graphweld"

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def imports(self) -> set[str]:
        """Every module and name it imports, dotted, wherever in the file the import stands."""
        found: set[str] = set()
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.path} imports by a relative path"
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
        return found


@cache
def modules() -> list[Module]:
    return list(_modules())


def _modules() -> Iterator[Module]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        yield Module(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path)


@cache
def tracked_files() -> list[Path]:
    """Every file that git knows, as it is in the work tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
