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
    In a graph the value that enters an iteration and the one that leaves it are the same loop variable, with one type.
    Casting it quietly would show in the result.

    ## Example
    ```python
    def f(x):
        total = 0
        while total < x.sum():
            total = total + x.mean()  # an int at first, a tensor from then on
        return total
    ```

    ## Use instead
    ```python
    def f(x):
        total = torch.zeros((), dtype=x.dtype)
        while total < x.sum():
            total = total + x.mean()
        return total
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
        return (f"start the loop with {quoted(self.name)} as {self.after}, or convert it back at the end of the body",)
