"""A report as JSON. The schema's version goes up when a key is renamed or removed, not when one is added."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from graphweld.report.model import BreakReport, Phase, Report
from graphweld.report.run_model import Compiled, RunReport

SCHEMA = "graphweld.report/1"
RUN_SCHEMA = "graphweld.run/1"


def to_dict(report: Report) -> Mapping[str, Any]:
    """Plain data: dicts, lists, strings, numbers, None."""
    return {
        "schema": SCHEMA,
        "function": report.function,
        "file": report.file,
        "line": report.line,
        "torch_version": report.torch_version,
        "is_whole": report.is_whole,
        "before": _phase(report.before),
        "after": _phase(report.after),
        "sites": [asdict(site) for site in report.sites],
        "diagnostics": [diagnostic.to_dict() for diagnostic in report.diagnostics],
        "sources": [asdict(source) for source in report.sources],
    }


def run_to_dict(report: RunReport) -> Mapping[str, Any]:
    """The report of a run as plain data."""
    return {
        "schema": RUN_SCHEMA,
        "script": report.script,
        "welded": report.welded,
        "ended": report.ended,
        "seconds": report.seconds,
        "torch_version": report.torch_version,
        "compiled": [_compiled(compiled) for compiled in report.compiled],
    }


def to_json(report: Report) -> str:
    """JSON text, indented."""
    return json.dumps(to_dict(report), indent=2, ensure_ascii=False)


def _compiled(compiled: Compiled) -> dict[str, Any]:
    return {
        **asdict(compiled),
        "is_whole": compiled.is_whole,
        "before": None if compiled.before is None else _phase(compiled.before),
        "after": None if compiled.after is None else _phase(compiled.after),
        "sites": [asdict(site) for site in compiled.sites],
        "diagnostics": [diagnostic.to_dict() for diagnostic in compiled.diagnostics],
        "sources": [asdict(source) for source in compiled.sources],
    }


def _phase(phase: Phase) -> dict[str, Any]:
    data = asdict(replace(phase, picture=None))
    del data["picture"]  # for people; what it shows is the program's, not the report's
    return {**data, "breaks": list(map(_break, phase.breaks))}


def _break(found: BreakReport) -> dict[str, Any]:
    cause = found.cause
    told = None if cause is None else {"name": cause.name, "answer": cause.answer, "advice": cause.advice}
    return {**asdict(found), "cause": told}
