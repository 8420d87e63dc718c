"""For people: each finding with its source line, carets, what graphweld makes of it, and what to write otherwise."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from graphweld.diagnostics import Span
from graphweld.diagnostics.finding import Finding
from graphweld.report.render.terminal import counted, short_path

_STYLES = (("  help: ", "green"), ("  note: graphweld welds", "green"), ("  note: graphweld refuses", "red"))


def render(findings: Sequence[Finding], files: int) -> RenderableType:
    """All of them, and a last line that counts them."""
    parts: list[RenderableType] = []
    for finding in findings:
        parts += [_finding(finding), Text()]
    return Group(*parts, Text(summary(findings, files), style="bold"))


def plain(findings: Sequence[Finding], files: int) -> str:
    """The same as text without colors."""
    parts = [f"{_finding(finding).plain}\n\n" for finding in findings]
    return "".join(parts) + summary(findings, files) + "\n"


def summary(findings: Sequence[Finding], files: int) -> str:
    """`3 findings in 2 files (of 12 checked): 2 welded by graphweld, 1 refused.`"""
    checked = counted(files, "file")
    if not findings:
        return f"Nothing found in {checked}."
    expected = Counter(finding.expected for finding in findings)
    found = len({finding.span.file for finding in findings if finding.span is not None})
    return (
        f"{counted(len(findings), 'finding')} in {counted(found, 'file')} (of {files} checked): "
        f"{expected['welds']} that graphweld welds, {expected['refused']} that it refuses."
    )


def _finding(finding: Finding) -> Text:
    span = finding.span
    if span is not None:
        short = Span(short_path(span.file), span.line, span.column, span.end_line, span.end_column)
        finding = dataclasses.replace(finding, span=short)
    text = Text()
    for number, line in enumerate(finding.text().splitlines()):
        style = "bold" if number == 0 else next((style for start, style in _STYLES if line.startswith(start)), "")
        text.append(line + "\n", style="red" if line.strip(" ^") == "" and line else style)
    text.rstrip()
    return text
