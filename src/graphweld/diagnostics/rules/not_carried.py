"""GW140."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class NotCarried(Rule):
    """The program does something that its exported form has no way to do.

    ## What it does
    Names it, and the form that cannot carry it: an exported program, an ONNX file, a package.

    ## Why
    A compiled function still runs in Python, where results can be any object, attributes are written and text is
    printed. An exported program is a graph alone: tensors and numbers go in, tensors and numbers come out, buffers
    change. torch drops the rest without a word, and the exported program then does something else than yours.

    ## Example
    ```python
    def forward(self, x):
        self.calls += 1                     # a Python attribute: it would keep the value it has now
        return x * self.calls
    ```

    ## Use instead
    ```python
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls += 1                     # a buffer is part of the exported program
        return x * self.calls
    ```

    ## See also
    GW104 and GW105, for the same in a branch or loop that cannot be welded at all.
    """

    code: ClassVar[str] = "GW140"
    what: str
    target: str
    change: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{self.target} cannot {self.what}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (self.change,)
