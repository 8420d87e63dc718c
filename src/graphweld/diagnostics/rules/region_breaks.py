"""GW106."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class RegionBreaks(Rule):
    """Inside a branch or a loop body stands something that torch itself cannot trace.

    ## What it does
    Gives torch's own reason, with torch's code for it, for the branch or body that would otherwise have been welded.

    ## Why
    A branch becomes a sub-graph, and a sub-graph cannot be broken in two. Outside of branches the same code would be
    one graph break; inside, it keeps the whole branch from being welded.

    ## Example
    ```python
    def f(x):
        if x.sum() > 0:
            x = torch.from_numpy(scipy.ndimage.gaussian_filter(x.numpy(), 1.0))
        return x
    ```

    ## Use instead
    A PyTorch operator with the same meaning, or the call moved out of the branch.

    ## See also
    GW120, the same outside of branches and loops.
    """

    code: ClassVar[str] = "GW106"
    region: str
    reason: str
    torch_code: str | None = None

    def message(self) -> str:
        """The finding in one sentence."""
        code = "" if self.torch_code is None else f" ({self.torch_code})"
        return f"torch cannot trace {self.region}: {self.reason}{code}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return ("move what torch cannot trace out of there, or use a PyTorch operator in its place",)
