"""The data of a report: frozen, plain, and made once by `targets.explain`. Renderers are in `render/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from graphweld.diagnostics import Diagnostic
from graphweld.diagnostics.torch_breaks import Cause, cause_of
from graphweld.view.model import Graph

if TYPE_CHECKING:
    from rich.console import RenderableType

Verdict = Literal["welded", "left", "refused"]


@dataclass(frozen=True, slots=True)
class SiteReport:
    """A place where tensor values may steer Python, and what became of it.

    `verdict` is "welded" (it became a node, and `node` says which), "left" (it did not depend on tensor values, and
    runs as Python), or "refused" (`code` and `reason` say why). `construct` is the Python word, such as "if" or "and".
    The end is that of the construct's header; 0 where it is not known.
    """

    file: str
    line: int
    column: int
    source_line: str
    function: str
    construct: str
    verdict: Verdict
    node: str | None = None
    reason: str | None = None
    code: str | None = None
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class BreakReport:
    """One graph break, as torch reports it; `torch_code` is torch's own code for the kind, such as "GB0170"."""

    file: str
    line: int
    source_line: str
    reason: str
    torch_code: str | None = None

    @property
    def cause(self) -> Cause | None:
        """The kind of cause, with advice; None for one that graphweld does not know."""
        return cause_of(self.reason)


@dataclass(frozen=True, slots=True)
class SourceReport:
    """A function with something to show: its own source, and the converted one, None where it was not converted.

    `original` is without the function's indentation, `indent` characters on each line.
    """

    file: str
    first_line: int
    function: str
    indent: int
    original: str
    converted: str | None


@dataclass(frozen=True, slots=True)
class Phase:
    """What one way of compiling gave: how many graphs, the breaks between them, the operators in them.

    `error` is set where tracing ended with an error instead of a graph; `seconds` is the time of the first call;
    `picture` shows the graphs, and what Python runs between them.
    """

    graphs: int
    breaks: tuple[BreakReport, ...]
    nodes: int
    error: str | None = None
    seconds: float = 0.0
    picture: Graph | None = None

    @property
    def is_whole(self) -> bool:
        """One graph, no break, no error. (No graph at all is not whole: torch then gave the function up.)"""
        return self.graphs == 1 and not self.breaks and self.error is None


@dataclass(frozen=True, slots=True)
class Report:
    """A function under `torch.compile` (`before`) and under graphweld (`after`).

    `str(report)` is a plain text for any terminal; with rich, `print(report)` has colors.
    """

    function: str
    file: str
    line: int
    before: Phase
    after: Phase
    sites: tuple[SiteReport, ...]
    diagnostics: tuple[Diagnostic, ...]
    torch_version: str
    sources: tuple[SourceReport, ...] = ()

    @property
    def breaks(self) -> tuple[BreakReport, ...]:
        """The breaks that are left after welding."""
        return self.after.breaks

    @property
    def graphs(self) -> int:
        """The number of graphs after welding."""
        return self.after.graphs

    @property
    def is_whole(self) -> bool:
        """Whether the function is one graph after welding."""
        return self.after.is_whole

    def sites_with(self, verdict: Verdict) -> tuple[SiteReport, ...]:
        """The sites that ended with this verdict."""
        return tuple(site for site in self.sites if site.verdict == verdict)

    def to_dict(self) -> Mapping[str, Any]:
        """Plain data, with the name and version of its schema under "schema"."""
        from graphweld.report.render.json import to_dict

        return to_dict(self)

    def to_html(self) -> str:
        """The same as one HTML page that needs nothing else."""
        from graphweld.report.render.html import page

        return page(self)

    def to_json(self) -> str:
        """The same as JSON text."""
        from graphweld.report.render.json import to_json

        return to_json(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page, in a frame, so that its style stays its own."""
        from graphweld.view.draw.page import framed

        return framed(self.to_html())

    def __str__(self) -> str:
        from graphweld.report.render.terminal import plain

        return plain(self)

    def __rich__(self) -> RenderableType:
        from graphweld.report.render.terminal import render

        return render(self)
