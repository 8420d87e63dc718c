"""Findings in the user's words: one record, a stable code each, one file a rule. Imports no torch."""

from graphweld.diagnostics import rules
from graphweld.diagnostics.errors import ConversionError, ExportError, GraphBreakError, GraphweldError, UsageError
from graphweld.diagnostics.finding import Finding
from graphweld.diagnostics.record import Diagnostic, Hint, Span
from graphweld.diagnostics.rule import Rule, diagnose

__all__ = [
    "ConversionError",
    "Diagnostic",
    "ExportError",
    "Finding",
    "GraphBreakError",
    "GraphweldError",
    "Hint",
    "Rule",
    "Span",
    "UsageError",
    "diagnose",
    "rules",
]
