"""Findings as commands that GitHub Actions shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Sequence

from graphweld.diagnostics.finding import Finding
from graphweld.report.render.findings.paths import machine_path


def render(findings: Sequence[Finding]) -> str:
    """One `::warning` a finding."""
    return "".join(map(_command, findings))


def _command(finding: Finding) -> str:
    span = finding.span
    properties = {"title": f"graphweld ({finding.code})"}
    if span is not None:
        properties |= {
            "file": machine_path(span.file),
            "line": str(span.line),
            "col": str(span.column),
            "endLine": str(span.end_line),
        }
        if span.end_line == span.line:
            properties["endColumn"] = str(span.end_column)
    given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    words = [f"{finding.code} {finding.message}", *finding.notes, *(hint.text for hint in finding.hints)]
    return f"::warning {given}::{_escaped(chr(10).join(words))}\n"


def _escaped(text: str, more: str = "") -> str:
    """As the runner reads it back: percent codes for what would end the command or a property."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    for character in more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
