"""Findings as JUnit XML, which test servers show: a suite a file, a case that failed a finding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree

from graphweld.diagnostics.finding import Finding
from graphweld.report.render.findings.paths import machine_path


def render(findings: Sequence[Finding]) -> str:
    """The XML text. A check without a finding is one case that passed."""
    failures = str(len(findings))
    root = ElementTree.Element("testsuites", name="graphweld", tests=str(len(findings) or 1), failures=failures)
    for file, of_file in groupby(findings, key=lambda finding: finding.span.file if finding.span else ""):
        cases = list(of_file)
        suite = ElementTree.SubElement(
            root, "testsuite", name=machine_path(file), tests=str(len(cases)), failures=str(len(cases)), errors="0"
        )
        for finding in cases:
            _case(suite, finding)
    if not findings:
        suite = ElementTree.SubElement(root, "testsuite", name="graphweld", tests="1", failures="0", errors="0")
        ElementTree.SubElement(suite, "testcase", name="check", classname="graphweld")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, finding: Finding) -> None:
    span = finding.span
    place = {} if span is None else {"file": machine_path(span.file), "line": str(span.line)}
    where = "" if span is None else f" ({span.line}:{span.column})"
    named = {"name": f"{finding.code}{where}", "classname": finding.function or "module"}
    case = ElementTree.SubElement(suite, "testcase", {**named, **place})
    failure = ElementTree.SubElement(case, "failure", message=finding.message, type=finding.code)
    failure.text = _printable(finding.text())


def _printable(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(character for character in text if character.isprintable() or character in "\n\t")
