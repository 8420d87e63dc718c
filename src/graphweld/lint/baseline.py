"""A baseline: the findings that an old code base has, so that only new ones are shown.

A finding is known by its file, code, function and source line, not by its line number: code above it may change. Where
the same line stands twice, it is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from graphweld.diagnostics import UsageError
from graphweld.diagnostics.finding import Finding

SCHEMA = "graphweld.baseline/1"
_Key = tuple[str, str, str, str]


def write(findings: Iterable[Finding], file: Path) -> None:
    """Write a baseline that holds these findings."""
    counted = Counter(_key(finding, file) for finding in findings)
    rows = [[*key, times] for key, times in sorted(counted.items())]
    text = json.dumps({"schema": SCHEMA, "findings": rows}, indent=1, ensure_ascii=False)
    try:
        file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError.because(f"cannot write {file}: {error.strerror}") from error


def new(findings: Iterable[Finding], file: Path) -> list[Finding]:
    """The findings that a baseline does not hold."""
    known = _read(file)
    result = []
    for finding in findings:
        key = _key(finding, file)
        if known[key] > 0:
            known[key] -= 1
        else:
            result.append(finding)
    return result


def _read(file: Path) -> Counter[_Key]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise ValueError(f"its schema is {data['schema']!r}, not {SCHEMA!r}")
        return Counter({(path, code, function, line): times for path, code, function, line, times in data["findings"]})
    except FileNotFoundError as error:
        raise UsageError.because(f"there is no baseline {file}", "--write-baseline makes one") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError.because(f"{file} is no baseline: {error}") from error


def _key(finding: Finding, baseline: Path) -> _Key:
    """Paths are told from the baseline's folder, so that it holds wherever the check is started."""
    span = finding.span
    assert span is not None, "a finding of the check has a place"
    path = Path(span.file).resolve()
    folder = baseline.resolve().parent
    name = path.relative_to(folder) if path.is_relative_to(folder) else path
    return name.as_posix(), finding.code, finding.function, (finding.source_line or "").strip()
