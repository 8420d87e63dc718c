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
    Elsewhere such a `raise` is welded: the graph stops there, and the function runs once more as plain Python, which
    raises the exception. Behind a change of an argument that second run would make the change twice; inside a `try`
    the program goes on after the exception, and a graph that has stopped does not.

    ## Example
    ```python
    def f(x):
        x.add_(1)
        if x.isnan().any():
            raise ValueError("x has NaNs")
        return x * 2
    ```

    ## Use instead
    ```python
    def f(x):
        if x.isnan().any():
            raise ValueError("x has NaNs")
        x.add_(1)
        return x * 2
    ```

    ## See also
    GW104, GW106.
    """

    code: ClassVar[str] = "GW105"
    exception: str
    reason: str = "inside a `try` or after a change of an argument"

    def message(self) -> str:
        """The finding in one sentence."""
        return f"tensor values decide whether {quoted(self.exception)} is raised here, {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "test before anything is changed, and outside of `try`",
            "or return the condition beside the result, and raise where the result is used",
        )
