"""Each format of `graphweld check`, on the same findings."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphweld.diagnostics.finding import Finding
from graphweld.lint import Settings, check_text
from graphweld.report.render.findings import concise, full, github, junit, sarif
from graphweld.report.render.findings import json as json_format
from tests import golden

PROGRAM = """import torch


class Nét(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x[x > 0], "100%, 1:2"
        if (x.max() > 0 and
                x.min() < 0):
            x = -x
        out = deque()
        for i in range(int(x.max())):
            out.popleft()
        print(x)
        return out
"""


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.chdir(tmp_path)
    return check_text(PROGRAM, "src/a model.py", Settings(strict=True))


def test_full(findings: list[Finding]) -> None:
    golden.check("report/findings/full.txt", full.plain(findings, 3))


def test_concise(findings: list[Finding]) -> None:
    golden.check("report/findings/concise.txt", concise.render(findings))


def test_json(findings: list[Finding]) -> None:
    golden.check("report/findings/findings.json", json_format.render(findings, 3))


def test_github(findings: list[Finding]) -> None:
    golden.check("report/findings/github.txt", github.render(findings))


def test_junit(findings: list[Finding]) -> None:
    text = junit.render(findings)
    golden.check("report/findings/junit.xml", text)
    root = ElementTree.fromstring(text)
    assert len(root.findall(".//failure")) == len(findings)


def test_junit_of_nothing_is_a_case_that_passed() -> None:
    root = ElementTree.fromstring(junit.render([]))
    assert (len(root.findall(".//testcase")), len(root.findall(".//failure"))) == (1, 0)


def test_junit_holds_no_control_characters() -> None:
    (finding,) = check_text("import torch\ndef f(x: torch.Tensor):\n    return '\x1b', x.item()\n", "a.py")
    ElementTree.fromstring(junit.render([finding]))


def test_nothing_found() -> None:
    assert full.plain([], 2) == "Nothing found in 2 files.\n"
    assert concise.render([]) == github.render([]) == ""


def test_sarif_is_valid_and_complete(findings: list[Finding]) -> None:
    model = pytest.importorskip("pydantic_sarif.model")  # made from the public schema, unknown keys forbidden
    text = sarif.render(findings, "0.1.0")
    log = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(text)
    assert len(log.runs[0].results) == len(findings)
    results = json.loads(text)["runs"][0]["results"]
    rules = json.loads(text)["runs"][0]["tool"]["driver"]["rules"]
    for finding, result in zip(findings, results, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.code
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "src/a%20model.py", "uriBaseId": "ROOT"}
        assert finding.span is not None
        assert place["region"]["startLine"] == finding.span.line
    assert len({result["partialFingerprints"]["graphweld/v1"] for result in results}) == len(results)


def test_sarif_of_nothing_and_of_a_file_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert json.loads(sarif.render([], "0.1.0"))["runs"][0]["results"] == []
    (finding,) = check_text("import torch\ndef f(x: torch.Tensor):\n    return x.item()\n", "/elsewhere/a.py")
    place = json.loads(sarif.render([finding], "0.1.0"))["runs"][0]["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/a.py"}
