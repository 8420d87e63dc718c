"""`# gw: ignore[GW201]` on a line: findings that the author has looked at.

>>> ignored(["if x > 0:  # gw: ignore[GW201, GW203]", "y = 1", "z()  # gw: ignore"])
{1: frozenset({'GW201', 'GW203'}), 3: None}
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphweld.diagnostics.finding import Finding

_MARK = re.compile(r"#\s*gw:\s*ignore(?:\[([^\]]*)\])?", re.IGNORECASE)
_WHOLE_FILE = re.compile(r"^\s*#\s*gw:\s*ignore-file\b", re.IGNORECASE)
_FIRST_LINES = 20


def ignored(lines: Sequence[str]) -> dict[int, frozenset[str] | None]:
    """Line numbers with a mark, and the codes it names; None for all codes."""
    found: dict[int, frozenset[str] | None] = {}
    for number, line in enumerate(lines, 1):
        mark = _MARK.search(line) if "gw:" in line else None
        if mark is not None and not _WHOLE_FILE.match(line):
            codes = frozenset(code.strip().upper() for code in (mark[1] or "").split(",") if code.strip())
            found[number] = codes or None
    return found


def is_whole_file_ignored(lines: Sequence[str]) -> bool:
    """`# gw: ignore-file`, alone on one of the first lines."""
    return any(_WHOLE_FILE.match(line) for line in lines[:_FIRST_LINES])


def is_ignored(finding: Finding, marks: dict[int, frozenset[str] | None]) -> bool:
    """Whether a mark on one of the finding's lines names it."""
    span = finding.span
    if span is None:
        return False
    return any(
        number in marks and ((codes := marks[number]) is None or finding.code in codes)
        for number in range(span.line, span.end_line + 1)
    )
