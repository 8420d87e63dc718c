"""Programs whose lines are marked with what the check has to find there, and with nothing where it must not."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from graphweld.lint import Settings, check_text

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
MARK = re.compile(r"#: (.*)$")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_marked_line_and_no_other_has_its_findings(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if sys.version_info >= (3, 11):
        text = text.replace("except ValueError:  # star", "except* ValueError:")
    wanted: dict[int, set[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        mark = MARK.search(line)
        if mark is not None:
            words = mark[1].split()
            flags = " ".join(word for word in words if not word.startswith("GW"))
            wanted[number] = {f"{flags} {word}".strip() for word in words if word.startswith("GW")}
    found: dict[int, set[str]] = {}
    for finding in check_text(text, str(path), Settings(strict=True)):
        flags = ["maybe"] * (not finding.is_sure) or ["refused"] * (finding.expected == "refused")
        assert finding.span is not None
        found.setdefault(finding.span.line, set()).add(" ".join([*flags, finding.code]))
    assert wanted == found


def test_guesses_are_shown_by_the_strict_check_only() -> None:
    text = "import torch\ndef f(x):\n    if x.any():\n        return x\n"
    assert check_text(text) == []
    assert [finding.is_sure for finding in check_text(text, settings=Settings(strict=True))] == [False]
