"""The check as a flake8 plugin: flake8 gives a parsed file, and gets places and messages back."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from graphweld.lint.checker import check_text
from graphweld.lint.settings import Settings, find_settings


class Plugin:
    """The names of the class's and the constructor's fields are flake8's."""

    name = "graphweld"
    version = version("graphweld")

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        del tree  # flake8 may have changed it
        self._filename = filename
        self._text = "".join(lines)

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Each finding as flake8 wants it: line, column from 0, `CODE message`."""
        folder = Path(self._filename).resolve().parent
        for finding in check_text(self._text, self._filename, _settings(folder)):
            if finding.span is not None:
                yield finding.span.line, finding.span.column - 1, f"{finding.code} {finding.message}", Plugin


@cache
def _settings(folder: Path) -> Settings:
    return find_settings(folder)
