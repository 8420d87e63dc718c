"""GW121."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class BackendFails(Rule):
    """The function became one graph, and the backend that should compile the graph gave up.

    ## What it does
    Gives the backend's own reason. torch's error stands behind this one, as its cause.

    ## Why
    A backend traces the graph again, and takes fewer programs than the trace of Python does: gradients of some
    operators, sizes that only the data knows, layouts in memory.

    ## Example
    ```python
    def backend(graph, inputs):
        raise NotImplementedError("no such operator here")

    gw.compile(f, backend=backend)(x)
    ```

    ## Use instead
    Another backend: `backend="eager"` runs the graph as it is, and tells whether the graph or the backend is at fault.

    ## See also
    GW120, where torch cannot trace the function in the first place.
    """

    code: ClassVar[str] = "GW121"
    backend: str
    reason: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"backend {self.backend} cannot compile the graph of this: {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            'try `backend="eager"`, which runs the graph as it is',
            "or write this step with other operators, and report it: the graph may be at fault",
        )
