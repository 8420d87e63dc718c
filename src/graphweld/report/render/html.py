"""A report as one HTML page that needs nothing else: summary, the source with each site marked, the converted source.

The page is read with the keyboard too: `n` and `p` go from site to site. It follows the reader's light or dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import jinja2
import markupsafe

from graphweld.diagnostics import Diagnostic
from graphweld.report.model import Phase, Report, SiteReport, SourceReport
from graphweld.report.render import run as run_text
from graphweld.report.render import terminal
from graphweld.report.run_model import Compiled, RunReport
from graphweld.view.draw import page as drawn


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a source line: plain, or (the whole construct) of a site."""

    text: str
    site: SiteReport | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    """`before`: the breaks here under torch alone; `left`: those that are left."""

    number: int
    pieces: tuple[_Piece, ...]
    before: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Function:
    """One compiled function, as the template shows it. `anchor` tells its sites from those of others on the page."""

    anchor: str
    name: str
    where: str
    facts: tuple[tuple[str, str], ...]
    before: Phase | None
    after: Phase | None
    is_whole: bool
    sites: tuple[SiteReport, ...]
    left_out: int
    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[tuple[SourceReport, tuple[_Line, ...]], ...]
    pictures: tuple[tuple[str, markupsafe.Markup], ...]

    @property
    def marked(self) -> set[int]:
        """The numbers of the sites that the source view shows."""
        return {piece.number for _, lines in self.sources for line in lines for piece in line.pieces}


def page(report: Report) -> str:
    """The page of `explain`."""
    function = _function(
        "f1",
        report.function,
        f"{terminal.short_path(report.file)}:{report.line}",
        (("before", run_text.in_words(report.before)), ("after", run_text.in_words(report.after))),
        report.before,
        report.after,
        report.is_whole,
        report.sites,
        report.diagnostics,
        report.sources,
    )
    head = terminal.headline(report), f"{terminal.answer(report)} (torch {report.torch_version})"
    return _render(*head, [function])


def run_page(report: RunReport) -> str:
    """The page of `run`: a section for each function that was called."""
    functions = [
        _of_compiled(f"f{number}", compiled, report.welded)
        for number, compiled in enumerate(report.compiled, 1)
        if compiled.calls
    ]
    return _render(run_text.headline(report), "", functions)


def _of_compiled(anchor: str, compiled: Compiled, welded: bool) -> _Function:
    facts = [("call", compiled.how), ("calls", str(compiled.calls)), ("before", run_text.in_words(compiled.before))]
    if welded:
        facts.append(("after", run_text.in_words(compiled.after)))
    facts += [("recompiled", str(compiled.recompiles)), ("tracing + backend", run_text.seconds(compiled))]
    return _function(
        anchor,
        compiled.function,
        f"{terminal.short_path(compiled.file)}:{compiled.line}",
        tuple(facts),
        compiled.before,
        compiled.after,
        compiled.is_whole,
        compiled.sites,
        compiled.diagnostics,
        compiled.sources,
    )


def _function(
    anchor: str,
    name: str,
    where: str,
    facts: tuple[tuple[str, str], ...],
    before: Phase | None,
    after: Phase | None,
    is_whole: bool,
    sites: tuple[SiteReport, ...],
    diagnostics: tuple[Diagnostic, ...],
    sources: tuple[SourceReport, ...],
) -> _Function:
    listed, left_out = terminal.worth_listing(sites)
    shown = tuple((source, tuple(_lines(source, sites, listed, before, after))) for source in sources)
    pictures = tuple(_pictures(before, after))
    return _Function(
        anchor, name, where, facts, before, after, is_whole, tuple(listed), left_out, diagnostics, shown, pictures
    )


def _pictures(before: Phase | None, after: Phase | None) -> Iterator[tuple[str, markupsafe.Markup]]:
    """What torch alone made of it, and what welding did; one picture where that is the same."""
    shown = before.picture if before is not None else None
    if shown is not None and not (before is not None and before.is_whole and after is not None and after.picture):
        yield "Graphs before", drawn.picture(shown)
    if after is not None and after.picture is not None:
        yield "Graph after", drawn.picture(after.picture)


def _lines(
    source: SourceReport,
    sites: Sequence[SiteReport],
    listed: Sequence[SiteReport],
    before: Phase | None,
    after: Phase | None,
) -> Iterator[_Line]:
    for number, text in enumerate(source.original.splitlines(), source.first_line):
        here = [site for site in sites if (site.file, site.line) == (source.file, number)]
        broken = (_breaks_at(phase, source.file, number) for phase in (before, after))
        yield _Line(number, tuple(_pieces(text, source.indent, here, listed)), *broken)


def _breaks_at(phase: Phase | None, file: str, line: int) -> tuple[str, ...]:
    found = () if phase is None else phase.breaks
    return tuple(sorted({f"{b.torch_code or 'break'}: {b.reason}" for b in found if (b.file, b.line) == (file, line)}))


def _pieces(text: str, indent: int, here: Sequence[SiteReport], listed: Sequence[SiteReport]) -> Iterator[_Piece]:
    """A line cut at its sites; of sites inside of each other the outermost is marked."""
    at = 0
    for site in sorted(here, key=lambda site: (site.column, -site.end_column)):
        start = max(site.column - 1 - indent, 0)
        end = site.end_column - 1 - indent if site.end_line == site.line else len(text)
        if start < at or end <= start:
            continue
        number = listed.index(site) + 1 if site in listed else 0
        yield _Piece(text[at:start])
        yield _Piece(text[start:end], site, number)
        at = end
    yield _Piece(text[at:])


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("graphweld.report.render", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["short"] = terminal.short_path
    return environment.get_template("page.html")


def _render(title: str, answer: str, functions: Sequence[_Function]) -> str:
    is_drawn = any(function.pictures for function in functions)
    style, script = (drawn.style(), drawn.script()) if is_drawn else ("", "")
    return _template().render(title=title, answer=answer, functions=functions, style=style, script=script) + "\n"
