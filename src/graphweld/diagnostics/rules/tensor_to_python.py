"""GW203."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class TensorToPython(Rule):
    """A tensor is read into a Python value: torch.compile breaks the graph here.

    ## What it does
    Found by `graphweld check` in the source: `.item()`, `.tolist()`, `int()`, `float()`, `bool()` of a tensor, a
    tensor given as a size or a slice's end, and `any()` or `all()` over tensors.

    ## Why
    Python has to wait for the value. As torch.compile is set up, the graph breaks here; `graphweld.compile` keeps
    numbers in the graph.

    ## Example
    ```python
    def f(x):
        scale = float(x.abs().max())
        return x / scale
    ```

    ## Use instead
    ```python
    def f(x):
        scale = x.abs().max()
        return x / scale
    ```

    ## See also
    GW201 for a branch on such a number.
    """

    code: ClassVar[str] = "GW203"
    construct: str
    subject: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"`{self.construct}` reads tensor values into Python: `{self.subject}`"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "keep it a tensor of no dimensions, where it only takes part in arithmetic",
            "compile with `graphweld.compile`, which keeps such numbers in the graph",
        )
