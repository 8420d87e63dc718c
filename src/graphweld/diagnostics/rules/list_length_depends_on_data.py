"""GW112."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class ListLengthDependsOnData(Rule):
    """A list whose length tensor values decide is used in a way that needs to know it.

    ## What it does
    Says what is done with the list.

    ## Why
    Items that a loop or a branch appends are rows of one tensor in the graph, of which there are as many as the data
    says: all items are of one type and size. Such a list can be measured, indexed, iterated over, changed, stacked,
    concatenated and returned. What wants each of its items as a variable of its own, it cannot do.

    ## Example
    ```python
    def f(x):
        out = [x]
        for i in range(int(x.sum())):
            out[len(out):] = [x * i]
        return torch.stack(out)
    ```

    ## Use instead
    ```python
    def f(x):
        out = [x]
        for i in range(int(x.sum())):
            out.append(x * i)
        return torch.stack(out)
    ```

    ## See also
    GW110, GW111.
    """

    code: ClassVar[str] = "GW112"
    use: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"the length of this list depends on tensor values, and {self.use}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "append items of one type and size, and use `torch.stack` or `torch.cat` behind the loop",
            "or write into a tensor of the greatest length with `out[i] = value`, and slice it afterwards",
        )
