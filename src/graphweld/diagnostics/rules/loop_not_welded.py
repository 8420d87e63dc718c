"""GW110."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class LoopNotWelded(Rule):
    """Tensor values steer a loop in a way that does not become a Loop node.

    ## What it does
    Points at the loop, or at the exit from it, and says what about it depends on tensor values.

    ## Why
    How often the loop runs is known only when the data is. A graph needs a Loop node for that, and this loop is of a
    kind that graphweld does not turn into one.

    ## Example
    ```python
    def f(x):
        n = int(x.sum().item())
        for i in range(n):
            x = x + i
        return x
    ```

    ## Use instead
    Where a greatest count is known, a loop over it that leaves the value alone once it is done:
    ```python
    def f(x):
        n = x.sum().to(torch.int64)
        for i in range(8):
            x = torch.where(i < n, x + i, x)
        return x
    ```

    ## See also
    GW111, for a value that a loop changes in type or shape.
    """

    code: ClassVar[str] = "GW110"
    construct: str
    reason: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"this {quoted(self.construct)} is not welded: {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "loop a fixed number of times, and use `torch.where` to leave values alone once the loop would have ended",
            "or write the loop with `torch.while_loop`",
        )
