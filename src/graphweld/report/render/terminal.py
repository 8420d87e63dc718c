"""A report for people: a head line, what broke before, what each site became, what is left to do."""

from __future__ import annotations

import io
import os
import shutil
from collections import Counter
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from graphweld.diagnostics import Diagnostic
from graphweld.report.model import BreakReport, Phase, Report, SiteReport, Verdict

_VERDICT_STYLE: dict[Verdict, str] = {"welded": "bold green", "left": "dim", "refused": "bold red"}
_LEAST_WIDTH, _WIDTH = 80, 120
_MOST_LEFT = 8


def plain(report: Report, width: int | None = None) -> str:
    """The report as text without colors, as wide as the terminal; where there is none, 120 columns."""
    return as_text(render(report), width)


def as_text(renderable: RenderableType, width: int | None = None) -> str:
    """Anything of rich's as text without colors or trailing spaces."""
    if width is None:
        width = max(_LEAST_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())


def render(report: Report) -> RenderableType:
    """The report as a rich renderable."""
    below = details(report.before, report.after, report.sites, report.diagnostics)
    return Group(_head(report), _answer(report), *below)


def details(
    before: Phase | None, after: Phase | None, sites: tuple[SiteReport, ...], diagnostics: tuple[Diagnostic, ...]
) -> list[RenderableType]:
    """The breaks before, the sites, and what is left to do."""
    parts: list[RenderableType] = []
    if before is not None and before.breaks:
        parts += [Text(), _breaks("Breaks before", before.breaks)]
    listed, left_out = worth_listing(sites)
    if listed:
        parts += [Text(), _sites(listed)]
    if left_out:
        parts += [Text(f"{counted(left_out, 'more site')} left: no tensor value steers them.", style="dim")]
    told = {diagnostic.message for diagnostic in diagnostics}
    left_over = [found for found in (after.breaks if after is not None else ()) if found.reason not in told]
    if left_over:
        parts += [Text(), _breaks("Breaks left", left_over, with_advice=True)]
    for diagnostic in diagnostics:
        parts += [Text(), _diagnostic(diagnostic)]
    return parts


def headline(report: Report) -> str:
    """`f: 2 graphs, 1 break before → 1 graph, 0 breaks after`."""
    return f"{report.function}: {_phase(report.before)} before → {_phase(report.after)} after"


def answer(report: Report) -> str:
    """The report in one sentence."""
    nodes = counted(report.after.nodes, "operator")
    welded = len(report.sites_with("welded"))
    if report.is_whole and report.before.is_whole and not welded:
        return f"Nothing breaks here: torch.compile takes it as it is, in one graph of {nodes}."
    if report.is_whole:
        return f"Whole: one graph of {nodes}, {counted(welded, 'site')} welded."
    if report.diagnostics:
        return f"Not whole: {counted(len(report.diagnostics), 'place')} in the way, told below."
    if report.after.error is not None:
        return f"Not whole: tracing ended with {report.after.error}"
    if report.after.graphs == 0:
        return "Not whole: torch gave this function up and captured no graph."
    if not report.after.breaks:
        return f"Not whole: {counted(report.after.graphs, 'graph')}, with Python between them."
    return f"Not whole: {counted(len(report.after.breaks), 'break')} left."


def counted(number: int, noun: str) -> str:
    """`1 graph`, `2 graphs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def short_path(path: str) -> str:
    """A path as a person would give it: from here if it is code below here, else its last two parts."""
    here = os.path.relpath(path) if os.path.isabs(path) else path
    if not here.startswith("..") and "site-packages" not in here:
        return here
    return os.sep.join(path.split(os.sep)[-2:])


def _phase(phase: Phase) -> str:
    if phase.error is not None and phase.graphs == 0:
        return "no graph"
    return f"{counted(phase.graphs, 'graph')}, {counted(len(phase.breaks), 'break')}"


def _head(report: Report) -> Text:
    text = Text(headline(report), style="bold")
    return text.append(
        f"   ({short_path(report.file)}:{report.line}, torch {report.torch_version})", style="not bold dim"
    )


def _answer(report: Report) -> Text:
    return Text(answer(report), style="green" if report.is_whole else "yellow")


def _breaks(title: str, breaks: Iterable[BreakReport], *, with_advice: bool = False) -> Table:
    table = _table(title)
    table.add_column("where", no_wrap=True)
    table.add_column("source line, and why", overflow="fold", ratio=1)
    table.add_column("torch", no_wrap=True)
    for item, times in Counter(breaks).items():  # a break in a layer comes again for each layer
        where = _where(item.file, item.line).append(f" x{times}" if times > 1 else "")
        told = _explained(item.source_line, item.reason)
        if with_advice and item.cause is not None:
            told.append(f"\n{item.cause.advice}", style="green")
        table.add_row(where, told, Text(item.torch_code or ""))
    return table


def _sites(sites: Iterable[SiteReport]) -> Table:
    table = _table("Sites")
    table.add_column("where", no_wrap=True)
    table.add_column("source line, and why", overflow="fold", ratio=1)
    table.add_column("construct", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for site in sites:
        node = f" ({site.node})" if site.node else ""
        table.add_row(
            _where(site.file, site.line, site.column),
            _explained(site.source_line, " ".join(part for part in (site.code, site.reason) if part)),
            Text(site.construct),
            Text(site.verdict + node, style=_VERDICT_STYLE[site.verdict]),
        )
    return table


def worth_listing(sites: tuple[SiteReport, ...]) -> tuple[list[SiteReport], int]:
    """The sites to list, and how many are not: in a big model hundreds are left, and nobody reads on."""
    left = [site for site in sites if site.verdict == "left"]
    if len(left) <= _MOST_LEFT:
        return list(sites), 0
    return [site for site in sites if site.verdict != "left"], len(left)


def _explained(source_line: str, reason: str) -> Text:
    text = Text(source_line.strip())
    return text.append("\n" + reason, style="dim italic") if reason else text


def _diagnostic(diagnostic: Diagnostic) -> Text:
    text = Text()
    for number, line in enumerate(diagnostic.text().splitlines()):
        is_help = line.startswith("  help: ")
        text.append(line + "\n", style="bold" if number == 0 else "green" if is_help else "")
    text.rstrip()
    return text


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))


def _where(file: str, *position: int) -> Text:
    return Text(":".join([short_path(file), *map(str, position)]))
