"""GW101."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class BranchesDisagree(Rule):
    """The two sides of a branch give a name values that one graph output cannot stand for.

    ## What it does
    Names the value and says what each side gives it. Where several values disagree, each has a finding of its own.

    ## Why
    In one graph the name is a single output of an If node, which has one type, rank, dtype and device. Casting one
    side quietly would change what plain Python shows, so graphweld does not.

    ## Example
    ```python
    def f(x):
        if x.sum() > 0:
            y = x                     # on x's device
        else:
            y = torch.zeros(3, device="cuda")
        return y
    ```

    ## Use instead
    ```python
    def f(x):
        if x.sum() > 0:
            y = x
        else:
            y = torch.zeros(3, device=x.device)
        return y
    ```

    ## See also
    GW102 for a name that one side does not set at all, GW103 for None, strings and numbers.
    """

    code: ClassVar[str] = "GW101"
    name: str
    then: str
    orelse: str
    reason: str

    def message(self) -> str:
        """The finding in one sentence."""
        return (
            f"the two sides of this branch disagree about {quoted(self.name)}: {self.then} if the test holds, "
            f"{self.orelse} if not ({self.reason})"
        )

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            f"give {quoted(self.name)} the same kind of value on both sides",
            "or return from inside the branch, so that the two values never meet under one name",
        )
