"""GW111."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class CarryChanges(Rule):
    """A loop-carried value comes out of the loop body as another kind of value than it went in.

    ## What it does
    Names the value, says what about it changes (dtype, shape, device, type), and from what to what.

    ## Why
    In a graph the value that enters an iteration and the one that leaves it are the same loop variable. It may be one
    of a few types, as tensor values decide; a value of a new type in each iteration, or one that lives only inside the
    body, such as an iterator that was started there, has no place in it.

    ## Example
    ```python
    def f(x):
        rows = None
        for i in range(int(x.sum())):
            rows = iter([x, x + i])
        return rows
    ```

    ## Use instead
    ```python
    def f(x):
        rows = [x, x]
        for i in range(int(x.sum())):
            rows = [x, x + i]
        return rows
    ```

    ## See also
    GW101, the same for branches; GW110.
    """

    code: ClassVar[str] = "GW111"
    name: str
    before: str
    after: str
    what: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"the loop changes the {self.what} of {quoted(self.name)}: {self.before} before, {self.after} after"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (f"give {quoted(self.name)} the same type before the loop and at the end of its body",)
