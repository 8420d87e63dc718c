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
    branch. Where another function may catch the exception, the program goes on after it, and a graph that has stopped
    does not; and an argument that needs a gradient cannot be put back with its history.

    ## Example
    ```python
    def check(x):
        if x.isnan().any():
            raise ValueError("x has NaNs")
        return x

    def f(x):
        try:
            return check(x) * 2
        except ValueError:
            return x.nan_to_num()
    ```

    ## Use instead
    ```python
    def f(x):
        try:
            if x.isnan().any():
                raise ValueError("x has NaNs")
            return x * 2
        except ValueError:
            return x.nan_to_num()
    ```

    ## See also
    GW104, GW106.
    """

    code: ClassVar[str] = "GW105"
    exception: str
    reason: str = "inside a `try` or after a change of an argument that needs a gradient"

    def message(self) -> str:
        """The finding in one sentence."""
        return f"tensor values decide whether {quoted(self.exception)} is raised here, {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "test before anything is changed, and outside of `try`",
            "or return the condition beside the result, and raise where the result is used",
        )
