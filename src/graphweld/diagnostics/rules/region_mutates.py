"""GW104."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class RegionMutates(Rule):
    """Code that tensor values steer changes something that lives outside of it.

    ## What it does
    Names what is changed, and the branch or loop body that changes it.

    ## Why
    Tracing visits every side, so a change made while tracing would happen whichever side the data takes. graphweld
    carries the changes it knows how to write back, and refuses the others rather than make them twice or never.

    ## Example
    ```python
    def f(x):
        steps = collections.deque([x * 2, x])
        while x.sum() > 0:
            x = x - steps.pop()
        return x
    ```

    ## Use instead
    ```python
    def f(x):
        steps = [x * 2, x]
        while x.sum() > 0:
            x = x - steps.pop()
        return x
    ```

    ## See also
    GW105, GW106.
    """

    code: ClassVar[str] = "GW104"
    target: str
    region: str
    is_copied: bool = False  # the change comes behind the region, which holds a copy of the target
    is_gone_through: bool = False  # the region is a trip of a loop over the target

    def message(self) -> str:
        """The finding in one sentence."""
        if self.is_copied:
            return f"{quoted(self.target)} is changed in place, and {self.region} holds a copy of it in the graph"
        if self.is_gone_through:
            return f"{self.region} changes {self.target} that the loop goes through, as tensor values decide"
        return f"{self.region} changes {quoted(self.target)}, which lives outside of it"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        if self.is_copied:
            return (
                "make a new value in place of changing this one: `y = y + 1` for `y += 1`",
                "or hand on a copy of your own, `y.clone()` or `list(y)`, if that is what is meant",
            )
        if self.is_gone_through:
            return ("go through a copy: `for item in list(items):`", "or make the changes behind the loop")
        return (
            f"compute the new value there, and store it in {quoted(self.target)} afterwards",
            f"or return the value, and change {quoted(self.target)} outside of the compiled function",
        )
