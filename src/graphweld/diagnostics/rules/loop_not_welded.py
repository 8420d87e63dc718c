"""GW110."""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class LoopNotWelded(Rule):
    """Tensor values steer a loop in a way that does not become a Loop node.

    ## What it does
    Points at the loop, or at the exit from it, and says what about it depends on tensor values.

    ## Why
    How often the loop runs is known only when the data is. A graph needs a Loop node for that, with a count or a test
    that it can work out for itself, and this loop is of a kind that graphweld does not turn into one.

    ## Example
    ```python
    def f(x):
        for i in range(0, 10, int(x.sum())):  # the step depends on the data
            x = x + i
        return x
    ```

    ## Use instead
    ```python
    def f(x):
        i, step = 0, int(x.sum())
        while i < 10:
            x = x + i
            i = i + step
        return x
    ```

    ## See also
    GW111, for a value that a loop changes in type or shape.
    """

    code: ClassVar[str] = "GW110"
    construct: str
    reason: str
    instead: str = ""  # what to write, where there is something better than a loop

    def message(self) -> str:
        """The finding in one sentence."""
        construct = f"`{self.construct}`" if keyword.iskeyword(self.construct) else self.construct
        return f"this {construct} is not welded: {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        if self.instead:
            return (self.instead,)
        return (
            "write it as a plain `while`, or as a `for` over a `range` or the rows of a tensor",
            "or loop a fixed number of times, and leave values alone with `torch.where` once the loop would have ended",
        )
