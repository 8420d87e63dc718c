"""Why a function could not be converted. The caller maps these to diagnostics.

ConversionError
├── SourceUnavailable   no source text, or text that is not the code's
├── UnsupportedSyntax   a construct that cannot be moved into a region
└── TwinMismatch        a defect of graphweld: the twin does not fit the original
"""

from __future__ import annotations


class ConversionError(Exception):
    """Root of what `convert` and `sites` raise on purpose."""


class SourceUnavailable(ConversionError):
    """The source text of a code object cannot be had."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnsupportedSyntax(ConversionError):
    """A construct stands where a region is needed, and cannot be moved into one."""

    def __init__(self, construct: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}: {construct}: {reason}")
        self.construct = construct
        self.line = line
        self.column = column
        self.reason = reason


class TwinMismatch(ConversionError):
    """The compiled twin has other parameters or free variables than the original."""

    def __init__(self, what: str, original: tuple[str, ...], twin: tuple[str, ...]) -> None:
        super().__init__(f"{what}: {original} became {twin}")
        self.what = what
        self.original = original
        self.twin = twin
