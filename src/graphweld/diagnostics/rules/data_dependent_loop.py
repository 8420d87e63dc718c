"""GW202."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class DataDependentLoop(Rule):
    """A loop that runs as often as tensor values say: torch.compile breaks the graph here.

    ## What it does
    Found by `graphweld check` in the source: a `while` whose test asks for tensor values, or a `for` or comprehension
    over something whose length they decide, such as `range(int(n))` or the rows of `nonzero()`.

    ## Why
    The tracer cannot know how often to unroll it. `graphweld.compile` makes a Loop node of it.

    ## Example
    ```python
    def f(x):
        while x.abs().max() > 1:
            x = x / 2
        return x
    ```

    ## Use instead
    Nothing, under `graphweld.compile`. By hand, where a bound is known: a loop of fixed length with a mask.
    ```python
    def f(x):
        for _ in range(8):
            x = torch.where(x.abs().max() > 1, x / 2, x)
        return x
    ```

    ## See also
    GW201 for branches, GW110 and GW111 for loops that cannot be welded.
    """

    code: ClassVar[str] = "GW202"
    construct: str
    subject: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"tensor values decide how often this `{self.construct}` runs: `{self.subject}`"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "compile with `graphweld.compile`, which makes a Loop node of it",
            "run it a fixed number of times, and choose with `torch.where` what each trip changes",
        )
