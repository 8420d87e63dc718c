"""What the static check finds: a diagnostic, with what is known about its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from graphweld.diagnostics.record import Diagnostic

Expected = Literal["welds", "refused"]


@dataclass(frozen=True, slots=True)
class Finding(Diagnostic):
    """A place where a graph would break, read off the source.

    `construct` is the Python word or call, `function` the qualified name of the function it stands in. `expected`
    says what graphweld makes of it: "welds", or "refused" with the reason in `notes`. Where `is_sure` is False, that a
    tensor comes here is a guess from names; only the strict check shows those.
    """

    construct: str = ""
    function: str = ""
    expected: Expected = "welds"
    is_sure: bool = True

    def to_dict(self) -> Mapping[str, Any]:
        """Plain data for JSON."""
        return {
            **Diagnostic.to_dict(self),
            "construct": self.construct,
            "function": self.function,
            "expected": self.expected,
            "is_sure": self.is_sure,
        }
