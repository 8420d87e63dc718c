"""GW002."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class UnsupportedSyntax(Rule):
    """A statement that graphweld does not convert stands where tensor values steer the program.

    ## What it does
    Names the statement, and the function it is in. The function stays as it is.

    ## Why
    Some statements have no meaning inside a branch of a graph: `yield` hands control to a caller outside of it, `await`
    to an event loop, and `global` changes a name that other code may read at any time.

    ## Example
    ```python
    def halves(x):
        if x.sum() > 0:
            yield x / 2
        yield x
    ```

    ## Use instead
    ```python
    def halves(x):
        first = x / 2 if x.sum() > 0 else x
        return [first, x]
    ```

    ## See also
    GW001, GW104.
    """

    code: ClassVar[str] = "GW002"
    construct: str
    function: str
    reason: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{quoted(self.construct)} in {quoted(self.function)} cannot be converted: {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (f"move {quoted(self.construct)} out of the code that tensor values steer",)
