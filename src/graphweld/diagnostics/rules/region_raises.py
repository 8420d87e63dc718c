"""GW105."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class RegionRaises(Rule):
    """Whether an exception is raised depends on tensor values.

    ## What it does
    Points at the `raise`, and names the exception.

    ## Why
    A graph gives outputs; it has no way to leave half-way with an exception of the user's own type. Going on past the
    `raise` would give a result where plain Python gives none.

    ## Example
    ```python
    def f(x):
        if x.isnan().any():
            raise ValueError("x has NaNs")
        return x * 2
    ```

    ## Use instead
    ```python
    def f(x):
        return x * 2, x.isnan().any()  # and raise where the result is used
    ```

    ## See also
    GW104, GW106.
    """

    code: ClassVar[str] = "GW105"
    exception: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{quoted(self.exception)} is raised or not as tensor values decide"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "test the inputs before the compiled function is called, or its results afterwards",
            "or return the condition beside the result, and raise where the result is used",
        )
