"""The exceptions graphweld raises on purpose.

    GraphweldError            root; carries `.diagnostics`
    ├── GraphBreakError       the function could not become one graph
    ├── ConversionError       a function's source could not be read or converted
    ├── ExportError           a graph could not be exported
    └── UsageError            wrong arguments, or an environment graphweld does not work in

Exceptions of the user's own program pass through with their own type.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphweld.diagnostics.record import Diagnostic
from graphweld.diagnostics.rule import diagnose
from graphweld.diagnostics.rules.wrong_usage import WrongUsage


class GraphweldError(Exception):
    """Root of every exception that graphweld raises on purpose.

    `diagnostics` lists every finding, in the order of the program; `headline` is the sentence above them.
    """

    default_headline = ""

    def __init__(self, diagnostics: Iterable[Diagnostic], headline: str | None = None) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        self.headline: str = self.default_headline if headline is None else headline
        super().__init__(self.diagnostics, self.headline)  # the arguments again, so that the exception can be pickled

    def __str__(self) -> str:
        parts = [self.headline] if self.headline else []
        parts += [diagnostic.text() for diagnostic in self.diagnostics]
        return "\n".join(parts)


class GraphBreakError(GraphweldError):
    """The function could not become one graph; each diagnostic names a place that stands in the way."""

    default_headline = "this function does not become one graph:"


class ConversionError(GraphweldError):
    """A function's source could not be read or converted."""

    default_headline = "this function cannot be converted:"


class ExportError(GraphweldError):
    """A graph could not be exported."""

    default_headline = "this graph cannot be exported:"


class UsageError(GraphweldError):
    """Arguments that graphweld cannot work with, or an environment it does not support."""

    @classmethod
    def because(cls, problem: str, *hints: str) -> UsageError:
        """The error for one problem, told in a sentence."""
        return cls([diagnose(WrongUsage(problem, hints), None)])
