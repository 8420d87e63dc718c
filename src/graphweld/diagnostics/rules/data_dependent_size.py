"""GW204."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class DataDependentSize(Rule):
    """A result whose size tensor values decide: torch.compile breaks the graph here.

    ## What it does
    Found by `graphweld check` in the source: `nonzero`, `unique`, `masked_select`, `torch.where` with one argument,
    `x[mask]`, and `repeat_interleave` with counts in a tensor.

    ## Why
    Memory has to be planned for a size that is not known. As torch.compile is set up, the graph breaks here;
    `graphweld.compile` gives the size a symbol.

    ## Example
    ```python
    def f(x):
        positive = x[x > 0]
        return positive.sum()
    ```

    ## Use instead
    ```python
    def f(x):
        return torch.where(x > 0, x, 0).sum()
    ```

    ## See also
    GW203 for numbers.
    """

    code: ClassVar[str] = "GW204"
    construct: str
    subject: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"tensor values decide the size of `{self.subject}`"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "keep the size: `torch.where(mask, x, 0)` in place of `x[mask]`",
            "compile with `graphweld.compile`, which gives the size a symbol",
        )
