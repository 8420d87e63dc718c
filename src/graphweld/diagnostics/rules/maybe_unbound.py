"""GW102."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class MaybeUnbound(Rule):
    """A name is read that only one side of a branch has given a value.

    ## What it does
    Points at the read. Which side runs depends on tensor values, so whether the name has a value does too.

    ## Why
    Plain Python raises UnboundLocalError on one side and goes on with the other. Elsewhere so does the welded function:
    the graph stops, and the function runs once more as plain Python, which raises. Behind a change of an argument that
    needs a gradient that second run would not start where the first did; and an exported program has no such run.

    ## Example
    ```python
    def f(x):  # x is part of a computation that gradients flow through
        x += 1
        if x.sum() > 0:
            y = x * 2
        return y + 1
    ```

    ## Use instead
    ```python
    def f(x):
        x += 1
        y = x
        if x.sum() > 0:
            y = x * 2
        return y + 1
    ```

    ## See also
    GW101, GW103.
    """

    code: ClassVar[str] = "GW102"
    name: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{quoted(self.name)} may have no value here: only one side of a branch on tensor values sets it"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (f"give {quoted(self.name)} a value before the branch, or on its other side too",)
