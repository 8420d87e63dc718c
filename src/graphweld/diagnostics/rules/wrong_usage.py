"""GW003."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class WrongUsage(Rule):
    """An argument, of a call or of the command line, that graphweld cannot work with.

    ## What it does
    Says which argument, and what is wrong with it. Nothing was run.

    ## Why
    A wrong argument found early is one clear line; found late it is a traceback from deep inside torch.

    ## Example
    ```
    graphweld explain model.py:Nett --inputs "torch.randn(3)"
    ```

    ## Use instead
    ```
    graphweld explain model.py:Net --inputs "torch.randn(3)"
    ```

    ## See also
    `graphweld --help`, GW130.
    """

    code: ClassVar[str] = "GW003"
    problem: str
    changes: tuple[str, ...] = ()

    def message(self) -> str:
        """The finding in one sentence."""
        return self.problem

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return self.changes
