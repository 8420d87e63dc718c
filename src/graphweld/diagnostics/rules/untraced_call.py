"""GW205."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class UntracedCall(Rule):
    """A call that torch cannot trace: the graph breaks here, whatever the tensors hold.

    ## What it does
    Found by `graphweld check` in the source, in code that a compiled function or a module's `forward` reaches: `print`,
    logging and warnings (shown by `--strict`), `input`, `open`, debuggers, and functions that are switched off for the
    tracer.

    ## Why
    The tracer has no node for it. Under `graphweld.compile`, `print`, logging and warnings are kept; the others break.

    ## Example
    ```python
    def f(x):
        print("mean", x.mean())
        return x * 2
    ```

    ## Use instead
    ```python
    def f(x):
        return x * 2, x.mean()
    ```

    ## See also
    GW120, the same as torch tells it at run time.
    """

    code: ClassVar[str] = "GW205"
    construct: str
    subject: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"torch cannot trace `{self.subject}`"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            "move it out of what is compiled",
            "wrap it in `torch.library.custom_op`, where it computes something",
        )
