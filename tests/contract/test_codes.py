"""Each code has a rule, a page with every head, a file named for it, and a message that some test reads."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path

import pytest

from graphweld.diagnostics import rules
from graphweld.diagnostics.codes import CODES, name_of, rule_class
from graphweld.diagnostics.rule import HEADS
from tests import golden
from tests.contract.tree import PACKAGE, ROOT
from tests.unit.diagnostics.examples import EXAMPLES


def test_no_code_is_ever_taken_back() -> None:
    golden.check("codes.txt", "".join(f"{code}\n" for code in CODES))


def test_codes_are_in_order_and_names_differ() -> None:
    assert list(CODES) == sorted(CODES)
    assert len({name_of(code) for code in CODES}) == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_rule_stands_where_its_name_says(code: str) -> None:
    rule = rule_class(code)
    assert rule.code == code
    assert Path(inspect.getfile(rule)).stem == name_of(code).replace("-", "_")
    assert rule.__name__ in rules.__all__
    assert dataclasses.is_dataclass(rule)


@pytest.mark.parametrize("code", CODES)
def test_page_has_every_head_in_order(code: str) -> None:
    page = rule_class(code).page()
    places = [page.find(f"\n## {head}\n") for head in HEADS]
    assert -1 not in places
    assert places == sorted(places)


def test_every_rule_file_has_a_code() -> None:
    files = {path.stem for path in (PACKAGE / "diagnostics" / "rules").glob("*.py")} - {"__init__"}
    assert files == {name_of(code).replace("-", "_") for code in CODES}


def test_every_code_has_an_example_whose_message_is_tested() -> None:
    assert {example.code for example in EXAMPLES} == set(CODES)


def test_every_code_has_its_page_in_docs() -> None:
    assert {path.stem for path in (ROOT / "docs" / "codes").glob("GW*.md")} == set(CODES)
