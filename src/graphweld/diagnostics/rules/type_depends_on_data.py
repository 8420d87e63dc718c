"""GW103."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule, quoted


@dataclass(frozen=True, slots=True)
class TypeDependsOnData(Rule):
    """A value that is one Python type on one side of a branch and another type on the other is put to use.

    ## What it does
    Names the value, the types it may have, and the use that has to know which one it is.

    ## Why
    Such a value may be tested, passed on, stored and returned: the caller gets the true Python object. But tracing
    must know the type of a value to iterate over it or to unpack it, and here only the data decides.

    ## Example
    ```python
    def f(x):
        rows = (x, x) if x.sum() > 0 else (x,)
        return [row * 2 for row in rows]
    ```

    ## Use instead
    ```python
    def f(x):
        if x.sum() > 0:
            return [x * 2, x * 2]
        return [x * 2]
    ```

    ## See also
    GW101, GW102.
    """

    code: ClassVar[str] = "GW103"
    name: str
    kinds: str
    use: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{quoted(self.name)} may be {self.kinds} here, as tensor values decide: {self.use}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (
            f"give {quoted(self.name)} the same type on both sides of the branch",
            "or move this into the side of the branch that it belongs to",
        )
