"""GW120."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule
from graphweld.diagnostics.torch_breaks import cause_of


@dataclass(frozen=True, slots=True)
class TorchBreak(Rule):
    """The graph breaks for a reason that has nothing to do with tensor-steered control flow.

    ## What it does
    Gives torch's own reason, and torch's code for it.

    ## Why
    graphweld welds branches and loops. A call that torch cannot trace, such as a C extension or file access, breaks
    the graph with graphweld as without it.

    ## Example
    ```python
    def f(x):
        y = x * 2
        return y + my_c_extension.scale(y)
    ```

    ## Use instead
    A PyTorch operator, a `torch.library.custom_op` around the call, or `fullgraph=False` where a break is acceptable.

    ## See also
    GW106, the same inside a branch or loop.
    """

    code: ClassVar[str] = "GW120"
    reason: str
    torch_code: str | None = None

    def message(self) -> str:
        """The finding in one sentence."""
        code = "" if self.torch_code is None else f" ({self.torch_code})"
        return f"torch cannot trace this: {self.reason}{code}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        cause = cause_of(self.reason)
        if cause is not None:
            return (cause.advice, "or compile with `fullgraph=False`, and let torch break the graph here")
        return (
            "use a PyTorch operator in its place, or wrap the call in `torch.library.custom_op`",
            "or compile with `fullgraph=False`, and let torch break the graph here",
        )
