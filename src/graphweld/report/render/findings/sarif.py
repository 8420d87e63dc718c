"""Findings as SARIF 2.1.0, which editors and code scanning read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from graphweld.diagnostics import Span
from graphweld.diagnostics.codes import name_of, rule_class
from graphweld.diagnostics.finding import Finding

VERSION = "2.1.0"
_ROOT = "ROOT"


def render(findings: Sequence[Finding], version: str) -> str:
    """The log as JSON text; `version` is graphweld's."""
    codes = sorted({finding.code for finding in findings})
    driver = {"name": "graphweld", "version": version, "semanticVersion": version, "rules": list(map(_rule, codes))}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri() + "/"}},
        "results": [_result(finding, codes.index(finding.code)) for finding in findings],
    }
    return json.dumps({"version": VERSION, "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str) -> Mapping[str, Any]:
    rule = rule_class(code)
    words = " ".join((rule.__doc__ or "").partition("\n\n")[0].split())
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in name_of(code).split("-")),
        "shortDescription": {"text": words},
        "help": {"text": words, "markdown": rule.page()},
        "defaultConfiguration": {"level": "warning"},
    }


def _result(finding: Finding, rule: int) -> Mapping[str, Any]:
    words = [finding.message, *finding.notes, *(hint.text for hint in finding.hints)]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": "warning" if finding.is_sure else "note",
        "message": {"text": "\n".join(words)},
        "properties": {"construct": finding.construct, "expected": finding.expected},
    }
    if finding.span is not None:
        location: dict[str, Any] = {"physicalLocation": _place(finding.span, finding.source_line)}
        if finding.function:
            location["logicalLocations"] = [{"fullyQualifiedName": finding.function, "kind": "function"}]
        result["locations"] = [location]
        # Known again when code above it moves it: told by its text, not by its line.
        known = f"{finding.code}\0{finding.function}\0{(finding.source_line or '').strip()}"
        result["partialFingerprints"] = {"graphweld/v1": hashlib.sha256(known.encode()).hexdigest()[:32]}
    return result


def _place(span: Span, source_line: str | None) -> Mapping[str, Any]:
    region: dict[str, Any] = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    if source_line is not None:
        region["snippet"] = {"text": source_line}
    return {"artifactLocation": _artifact(span.file), "region": region}


def _artifact(file: str) -> Mapping[str, str]:
    path = Path(file).resolve()
    if path.is_relative_to(Path.cwd()):
        return {"uri": quote(PurePath(path.relative_to(Path.cwd())).as_posix()), "uriBaseId": _ROOT}
    return {"uri": path.as_uri()}
