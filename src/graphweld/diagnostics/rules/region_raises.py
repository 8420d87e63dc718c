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
    branch. An argument that needs a gradient cannot be put back with its history; an exported program has neither plain
    Python to run, nor handlers outside of it; and where the graph breaks further out, plain Python has run already.

    ## Example
    ```python
    def f(x):  # x is part of a computation that gradients flow through
        x += 1
        if x.isnan().any():
            raise ValueError("x has NaNs")
        return x
    ```

    ## Use instead
    ```python
    def f(x):
        if (x + 1).isnan().any():
            raise ValueError("x has NaNs")
        x += 1
        return x
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
            "return the condition beside the result, and raise where the result is used",
            "or test before anything is changed; in an export, outside of `try` and `with` as well",
        )
