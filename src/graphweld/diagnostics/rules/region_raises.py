"""GW105."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class RegionRaises(Rule):
    """Tensor values decide whether an exception is raised, at a place where plain Python's effects cannot be kept.

    ## What it does
    Points at the `raise`, and names the exception.

    ## Why
    Elsewhere such a `raise` is welded: the graph stops there, arguments that it has changed are put back, and the
    function runs once more as plain Python, which raises the exception. To a handler of the same function it is a
    branch. An argument that needs a gradient cannot be put back with its history; and an exported program has neither
    plain Python to run, nor handlers outside of it.

    ## Example
    ```python
    def accumulate(total, x):  # total is part of a computation that gradients flow through
        total += x
        if total.isnan().any():
            raise ValueError("x has NaNs")
        return total
    ```

    ## Use instead
    ```python
    def accumulate(total, x):
        if (total + x).isnan().any():
            raise ValueError("x has NaNs")
        total += x
        return total
    ```

    ## See also
    GW104, GW106.
    """

    code: ClassVar[str] = "GW105"
    exception: str
    reason: str = "after a change of an argument that needs a gradient"

    def message(self) -> str:
        """The finding in one sentence."""
        return f"tensor values decide whether {quoted(self.exception)} is raised here, {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "test before anything is changed",
            "or return the condition beside the result, and raise where the result is used",
        )
