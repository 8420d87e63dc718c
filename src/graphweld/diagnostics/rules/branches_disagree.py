"""GW101."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class BranchesDisagree(Rule):
    """The two sides of a branch give a name values that cannot be handed on as one.

    ## What it does
    Names the value and says what each side gives it. Where several values disagree, each has a finding of its own.

    ## Why
    Tensors, Python values, containers and plain objects can leave a branch, also where the two sides differ: the value
    is kept for each side, and the caller gets the one that plain Python gives. What lives only inside the branch, such
    as an iterator that has been started there, cannot.

    ## Example
    ```python
    def f(x):
        if x.sum() > 0:
            rows = iter([x * 2, x])
        else:
            rows = iter([x])
        return next(rows)
    ```

    ## Use instead
    ```python
    def f(x):
        if x.sum() > 0:
            first = x * 2
        else:
            first = x
        return first
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
            f"give {quoted(self.name)} a tensor, a Python value or a container on both sides",
            "or return from inside the branch, so that the two values never meet under one name",
        )
