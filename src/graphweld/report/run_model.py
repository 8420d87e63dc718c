"""The data of `graphweld run`: one report for everything that a script compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphweld.diagnostics import Diagnostic
from graphweld.report.model import Phase, SiteReport, SourceReport


@dataclass(frozen=True, slots=True)
class Compiled:
    """One function (or module) that the script gave to torch to compile or export.

    `how` is the call, such as "torch.compile". `before` is what torch alone makes of the first call, None where that
    could not be measured; `after` what was made in this run. `recompiles` counts frames that were compiled again.
    `seconds` is the time that compiling took in all, `backend_seconds` the part of it that the backend took; the rest
    is tracing and converting.
    """

    how: str
    function: str
    file: str
    line: int
    calls: int
    before: Phase | None
    after: Phase | None
    recompiles: int = 0
    seconds: float = 0.0
    backend_seconds: float = 0.0
    sites: tuple[SiteReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: tuple[SourceReport, ...] = ()

    @property
    def is_whole(self) -> bool:
        """One graph for each kind of inputs it was called with: compiled without a break."""
        return self.after is not None and not self.after.breaks and self.after.error is None and self.after.graphs > 0


@dataclass(frozen=True, slots=True)
class RunReport:
    """A script, and what became of everything that it compiled. `ended` says how the script ended."""

    script: str
    welded: bool
    compiled: tuple[Compiled, ...]
    seconds: float
    ended: str
    torch_version: str

    def to_dict(self) -> Mapping[str, Any]:
        """Plain data, with the name and version of its schema under "schema"."""
        from graphweld.report.render.json import run_to_dict

        return run_to_dict(self)

    def to_html(self) -> str:
        """The same as one HTML page that needs nothing else."""
        from graphweld.report.render.html import run_page

        return run_page(self)

    def __str__(self) -> str:
        from graphweld.report.render.run import plain

        return plain(self)
