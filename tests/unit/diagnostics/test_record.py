"""Places, excerpts and carets."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from graphweld.diagnostics import Diagnostic, Hint, Span, diagnose, rules


def found(source_line: str | None, span: Span | None) -> Diagnostic:
    return Diagnostic("GW102", "maybe-unbound", "`y` may have no value here", span, (Hint("set `y`"),), source_line)


def test_one_line_is_as_compilers_print_it() -> None:
    assert found(None, Span("m.py", 3, 5, 3, 6)).one_line() == "m.py:3:5: GW102 `y` may have no value here"
    assert found(None, None).one_line() == "GW102 `y` may have no value here"


def test_carets_stand_under_the_span() -> None:
    text = found("    return total + y\n", Span("m.py", 3, 20, 3, 21)).text()
    assert text.splitlines() == [
        "m.py:3:20: GW102: `y` may have no value here",
        "    return total + y",
        "                   ^",
        "  help: set `y`",
    ]


def test_a_span_over_several_lines_is_marked_to_the_end_of_the_first() -> None:
    lines = found("    if a > (", Span("m.py", 3, 8, 5, 2)).text().splitlines()
    assert lines[1:3] == ["    if a > (", "       ^^^^^"]


def test_no_excerpt_without_a_source_line_or_a_place() -> None:
    assert found(None, Span.at("m.py", 3)).text().splitlines()[1:] == ["  help: set `y`"]
    assert found("return y", None).text().splitlines()[1:] == ["  help: set `y`"]


def test_notes_come_before_help() -> None:
    text = diagnose(rules.TorchBreak("a call", None), None, notes=["torch says so"]).text()
    assert text.splitlines()[1] == "  note: torch says so"


def test_the_span_of_a_node_counts_characters_from_one() -> None:
    line = 'name = "größe"; value = other'
    node = ast.parse(line).body[1]
    assert Span.of_node("m.py", node, line) == Span("m.py", 1, 17, 1, 30)


def test_diagnose_finds_the_whole_line_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("def f(x):\n    return y\n")
    whole = "    return y"
    span = Span(str(file), 2, 12, 2, 13)
    assert diagnose(rules.MaybeUnbound("y"), span).source_line == whole
    assert diagnose(rules.MaybeUnbound("y"), span, "return y").source_line == whole
    assert diagnose(rules.MaybeUnbound("y"), span, "return z").source_line == "return z"


def test_to_dict_is_plain_data() -> None:
    data = found("    return y", Span("m.py", 3, 12, 3, 13)).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["span"]["line"] == 3
    assert data["hints"] == ["set `y`"]
