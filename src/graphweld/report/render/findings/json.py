"""Findings as JSON. The schema's version goes up when a key is renamed or removed, not when one is added."""

from __future__ import annotations

import json
from collections.abc import Sequence

from graphweld.diagnostics.finding import Finding

SCHEMA = "graphweld.check/1"


def render(findings: Sequence[Finding], files: int) -> str:
    """JSON text, indented."""
    data = {"schema": SCHEMA, "files": files, "findings": [finding.to_dict() for finding in findings]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
