"""GW130."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class UnsupportedTorch(Rule):
    """The installed PyTorch is one that graphweld was not checked with.

    ## What it does
    Names the version found and the versions that work. Nothing was compiled.

    ## Why
    graphweld works together with parts of torch.compile that torch may change from one release to the next. On a
    release where they were not checked, a wrong result would be possible; so it stops.

    ## Example
    ```
    $ graphweld doctor
    torch 2.9.1: not supported (2.13 and 2.14 are)
    ```

    ## Use instead
    ```
    pip install "torch>=2.13,<2.15"
    ```

    ## See also
    `graphweld doctor`, which lists each part of torch and whether it is as expected.
    """

    code: ClassVar[str] = "GW130"
    version: str
    supported: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"torch {self.version} is not supported by this version of graphweld ({self.supported} is)"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return (f"install torch{self.supported}, or a graphweld made for torch {self.version}",)
