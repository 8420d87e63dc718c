"""The one record of something worth telling a user: where, which rule, what, and what to change.

Lines and columns count from 1, columns in characters, as editors show them. An end column is the first one after the
span. Every renderer (terminal, JSON, exception text) starts from `Diagnostic`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of one source file."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def at(cls, file: str, line: int, column: int = 1) -> Span:
        """A single character; for places of which only the line is known."""
        return cls(file, line, column, line, column + 1)

    @classmethod
    def of_node(cls, file: str, node: ast.expr | ast.stmt, source_line: str | None = None) -> Span:
        """The span of an AST node whose positions are those of the file.

        `source_line` is the node's first line; with it, columns are right on lines that hold more than ASCII too
        (the `ast` module counts bytes of UTF-8).
        """
        end_line = node.lineno if node.end_lineno is None else node.end_lineno
        end_offset = node.col_offset + 1 if node.end_col_offset is None else node.end_col_offset
        end_text = source_line if end_line == node.lineno else None
        return cls(
            file,
            node.lineno,
            _characters(node.col_offset, source_line) + 1,
            end_line,
            _characters(end_offset, end_text) + 1,
        )

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Hint:
    """One thing the user can change."""

    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, in the user's words.

    `code` is stable for ever, `rule` is its readable name and may change. `span` is None for a finding about no place
    in a file, such as an unsupported torch. `source_line` is the whole first line of the span. `notes` hold extra
    facts, such as torch's own words.
    """

    code: str
    rule: str
    message: str
    span: Span | None
    hints: tuple[Hint, ...] = ()
    source_line: str | None = None
    notes: tuple[str, ...] = ()

    def one_line(self) -> str:
        """`file:line:col: GW102 message`, as compilers print it."""
        place = "" if self.span is None else f"{self.span}: "
        return f"{place}{self.code} {self.message}"

    def text(self) -> str:
        """The finding for a terminal without colors: place, message, source line with carets, notes, help."""
        place = "" if self.span is None else f"{self.span}: "
        lines = [f"{place}{self.code}: {self.message}"]
        lines += self._excerpt()
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  help: {hint.text}" for hint in self.hints]
        return "\n".join(lines)

    def to_dict(self) -> Mapping[str, Any]:
        """Plain data for JSON."""
        return {
            "code": self.code,
            "rule": self.rule,
            "message": self.message,
            "span": None if self.span is None else asdict(self.span),
            "hints": [hint.text for hint in self.hints],
            "source_line": self.source_line,
            "notes": list(self.notes),
        }

    def _excerpt(self) -> list[str]:
        if self.span is None or self.source_line is None or not self.source_line.strip():
            return []
        code = self.source_line.rstrip()
        margin = len(code) - len(code.lstrip())
        start = max(self.span.column - 1, margin)
        end = self.span.end_column - 1 if self.span.end_line == self.span.line else len(code)
        carets = "^" * max(min(end, len(code)) - start, 1)
        return [_INDENT + code[margin:], _INDENT + " " * (start - margin) + carets]


def _characters(byte_offset: int, line: str | None) -> int:
    if line is None or line.isascii():
        return byte_offset
    return len(line.encode("utf-8")[:byte_offset].decode("utf-8", errors="ignore"))
