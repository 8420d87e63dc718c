"""Events of the data flow to findings in the user's words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from graphweld.diagnostics import Rule, Span, rules
from graphweld.diagnostics.codes import name_of
from graphweld.diagnostics.finding import Finding
from graphweld.diagnostics.record import Hint
from graphweld.lint.flow.events import Event
from graphweld.lint.verdicts import refusal

_RULES: dict[str, type[Rule]] = {
    "branch": rules.DataDependentBranch,
    "loop": rules.DataDependentLoop,
    "scalar": rules.TensorToPython,
    "size": rules.DataDependentSize,
    "call": rules.UntracedCall,
}
_LONGEST_SUBJECT = 80


def findings_of(events: Iterable[Event], file: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Each event as a finding."""
    for event in events:
        made = _RULES[event.what]
        rule = made(event.construct, _subject(event.subject))  # type: ignore[call-arg]
        refused = refusal(event)
        yield Finding(
            code=rule.code,
            rule=name_of(rule.code),
            message=rule.message(),
            span=_span(event, file, lines),
            hints=tuple(Hint(text) for text in rule.hints() if not (refused and "graphweld.compile" in text)),
            source_line=lines[event.node.lineno - 1] if event.node.lineno <= len(lines) else None,
            notes=(f"graphweld refuses this: {refused}" if refused else "graphweld welds this",),
            construct=event.construct,
            function=event.function.qualname,
            expected="refused" if refused else "welds",
            is_sure=event.sure and event.function.is_likely_traced,
        )


def _subject(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST_SUBJECT else text[: _LONGEST_SUBJECT - 3] + "..."


def _span(event: Event, file: str, lines: Sequence[str]) -> Span:
    """From the start of the construct to the end of its header."""

    def column(line: int, offset: int) -> int:
        text = lines[line - 1] if line <= len(lines) else ""
        return (offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))) + 1

    node, end = event.node, event.end
    end_line = end.end_lineno or end.lineno
    end_column = column(end_line, end.end_col_offset or end.col_offset)
    return Span(file, node.lineno, column(node.lineno, node.col_offset), end_line, end_column)
