"""One line a finding: `model.py:3:5: GW201 tensor values decide this ...`."""

from __future__ import annotations

from collections.abc import Sequence

from graphweld.diagnostics.finding import Finding
from graphweld.report.render.findings.paths import machine_path


def render(findings: Sequence[Finding]) -> str:
    """The findings as lines."""
    return "".join(f"{_place(finding)}{finding.code} {finding.message}\n" for finding in findings)


def _place(finding: Finding) -> str:
    span = finding.span
    return "" if span is None else f"{machine_path(span.file)}:{span.line}:{span.column}: "
