"""What each rule says: the message, then what to change."""

from __future__ import annotations

import pickle

import pytest

from graphweld.diagnostics import Rule, Span, diagnose
from tests import golden
from tests.unit.diagnostics.examples import EXAMPLES

SPAN = Span("model.py", 7, 12, 7, 13)


def test_words() -> None:
    texts = [diagnose(rule, SPAN, "    return y + 1").text() for rule in EXAMPLES]
    golden.check("diagnostics/rules.txt", "\n\n".join(texts) + "\n")


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda r: type(r).__name__)
def test_a_message_is_one_line_and_says_what_to_change(rule: Rule) -> None:
    assert "\n" not in rule.message()
    assert not rule.message().endswith(".")
    assert rule.hints()
    assert all(hint and "\n" not in hint for hint in rule.hints())


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda r: type(r).__name__)
def test_a_rule_is_a_value(rule: Rule) -> None:
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert hash(rule) == hash(pickle.loads(pickle.dumps(rule)))
