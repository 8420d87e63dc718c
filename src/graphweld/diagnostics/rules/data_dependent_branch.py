"""GW201."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class DataDependentBranch(Rule):
    """A branch that tensor values decide: torch.compile breaks the graph here.

    ## What it does
    Found by `graphweld check` in the source, without running it: an `if`, `assert`, `match`, `and`, `or`, `not` or
    conditional expression that asks for the truth of a tensor, or of a number read out of one.

    ## Why
    The tracer sees no values. torch.compile breaks the graph in two here, and torch.export stops. `graphweld.compile`
    makes an If node of it.

    ## Example
    ```python
    def f(x):
        if x.sum() > 0:
            return x + 1
        return x - 1
    ```

    ## Use instead
    Nothing, under `graphweld.compile`. By hand, where both sides are cheap and neither can fail:
    ```python
    def f(x):
        return torch.where(x.sum() > 0, x + 1, x - 1)
    ```

    ## See also
    GW202 for loops, GW101 to GW106 for branches that cannot be welded.
    """

    code: ClassVar[str] = "GW201"
    construct: str
    subject: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"tensor values decide this `{self.construct}`: `{self.subject}`"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "compile with `graphweld.compile`, which makes an If node of it",
            "compute both sides and choose with `torch.where`, where neither side can fail",
        )
