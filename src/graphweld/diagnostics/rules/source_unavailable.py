"""GW001."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class SourceUnavailable(Rule):
    """A function that would have to be converted has no source to read.

    ## What it does
    Names a function in which tensor values steer Python control flow, but whose source Python cannot find.

    ## Why
    graphweld converts source. A function typed into some prompts, built by `exec`, or compiled to C has none, so its
    branches stay as they are and the graph breaks there.

    ## Example
    ```python
    namespace = {}
    exec("def pick(x): return x if x.sum() > 0 else -x", namespace)
    gw.compile(namespace["pick"])(x)
    ```

    ## Use instead
    ```python
    def pick(x):  # in a file
        return x if x.sum() > 0 else -x
    ```

    ## See also
    GW002, for source that is there but cannot be converted.
    """

    code: ClassVar[str] = "GW001"
    function: str
    reason: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"the source of {quoted(self.function)} cannot be read: {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            f"define {quoted(self.function)} in a Python file",
            "or write its branch with `torch.where` or `torch.cond`",
        )
