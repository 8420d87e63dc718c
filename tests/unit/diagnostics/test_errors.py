"""The exception tree: everything carries diagnostics, and reads well."""

from __future__ import annotations

import pickle

import pytest

from graphweld.diagnostics import (
    ConversionError,
    ExportError,
    GraphBreakError,
    GraphweldError,
    Span,
    UsageError,
    diagnose,
    rules,
)

ALL = [GraphBreakError, ConversionError, ExportError, UsageError]


@pytest.mark.parametrize("error", ALL)
def test_every_error_has_one_root_and_carries_its_diagnostics(error: type[GraphweldError]) -> None:
    finding = diagnose(rules.MaybeUnbound("y"), Span("m.py", 3, 12, 3, 13), "    return y")
    raised = error([finding])
    assert isinstance(raised, GraphweldError)
    assert raised.diagnostics == (finding,)
    assert pickle.loads(pickle.dumps(raised)).diagnostics == raised.diagnostics


def test_the_text_lists_every_finding() -> None:
    findings = [
        diagnose(rules.MaybeUnbound(name), Span("m.py", line, 1, line, 2)) for name, line in (("y", 3), ("z", 8))
    ]
    text = str(GraphBreakError(findings))
    assert text.splitlines()[0] == "this function does not become one graph:"
    assert "m.py:3:1: GW102: `y`" in text
    assert "m.py:8:1: GW102: `z`" in text
    assert text.count("  help: ") == 2


def test_a_headline_may_be_given() -> None:
    assert str(GraphBreakError([], "nothing fits")) == "nothing fits"


def test_a_usage_error_is_made_from_a_sentence() -> None:
    error = UsageError.because("no such file: m.py", "check the path")
    assert [finding.code for finding in error.diagnostics] == ["GW003"]
    assert str(error) == "GW003: no such file: m.py\n  help: check the path"
