"""What a rule is: the words of one kind of finding. Detection is elsewhere; a stage that finds a case builds the rule.

A rule is a frozen dataclass in `rules/`, one file each. Its fields are the arguments of its message, its docstring is
its documentation page (`graphweld rule GW102` prints it), and its name stands in `codes.py` only.
"""

from __future__ import annotations

import inspect
import linecache
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from graphweld.diagnostics.codes import name_of
from graphweld.diagnostics.record import Diagnostic, Hint, Span

HEADS = ("What it does", "Why", "Example", "Use instead", "See also")


class Rule(ABC):
    """Base of every rule."""

    __slots__ = ()
    code: ClassVar[str]

    @abstractmethod
    def message(self) -> str:
        """The finding in one sentence, with the user's own names."""

    @abstractmethod
    def hints(self) -> tuple[str, ...]:
        """What to change, the best first."""

    @classmethod
    def page(cls) -> str:
        """The documentation page, as Markdown."""
        return f"# {cls.code} {name_of(cls.code)}\n\n{inspect.getdoc(cls)}\n"


def diagnose(rule: Rule, span: Span | None, source_line: str | None = None, notes: Iterable[str] = ()) -> Diagnostic:
    """Make the diagnostic of a rule at a place.

    The source line is looked up where it is not given. One given without its indentation is looked up too, so that
    carets stand under the right characters.
    """
    if span is not None:
        whole = linecache.getline(span.file, span.line).rstrip()
        if whole and (source_line is None or source_line.strip() == whole.strip()):
            source_line = whole
    return Diagnostic(
        code=rule.code,
        rule=name_of(rule.code),
        message=rule.message(),
        span=span,
        hints=tuple(Hint(text) for text in rule.hints()),
        source_line=source_line,
        notes=tuple(notes),
    )


# What the names stand for that conversion makes, in words of the user's.
MADE = {
    "returned": "the returned value",
    "exception": "the exception that the `try` handles",
    "list": "the list that the comprehension makes",
    "subject": "the subject of the `match`",
    "value": "a value of the comparison",
}


def in_words(name: str) -> str:
    """A name as the user knows it.

    >>> in_words("gw_returned_1[0]"), in_words("total")
    ('the returned value[0]', 'total')
    """
    return re.sub(r"^gw_([a-z]+)_\d+", lambda made: MADE.get(made[1], made[0]), name)


def quoted(name: str) -> str:
    """A piece of code in backticks; a phrase such as "the returned value" as it is.

    >>> quoted("self.total"), quoted("gw_returned_1")
    ('`self.total`', 'the returned value')
    """
    name = in_words(name)
    return name if re.search(r"[A-Za-z] [a-z]", name) else f"`{name}`"
