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
    A converted branch is a function of its own. Code that looks at the names of its own frame, such as `locals()`,
    would see the wrong ones there; other statements hand control to someone outside of the graph.

    ## Example
    ```python
    def f(x):
        y = x + 1 if x.sum() > 0 else x
        return y, sorted(locals())
    ```

    ## Use instead
    ```python
    def f(x):
        y = x + 1 if x.sum() > 0 else x
        return y, ["x", "y"]
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
