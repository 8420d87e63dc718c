"""The report of a run for people: a line for each compiled function, then the sites and breaks of each."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from graphweld.report.model import Phase
from graphweld.report.render.terminal import as_text, counted, details, short_path
from graphweld.report.run_model import Compiled, RunReport


def plain(report: RunReport, width: int | None = None) -> str:
    """The report as text without colors."""
    return as_text(render(report), width)


def render(report: RunReport) -> RenderableType:
    """The report as a rich renderable."""
    parts: list[RenderableType] = [Text(headline(report), style="bold")]
    if report.compiled:
        parts += [Text(), _table(report)]
    for compiled in report.compiled:
        below = details(compiled.before, compiled.after, compiled.sites, compiled.diagnostics)
        if below:
            parts += [Text(), Text(f"{compiled.function} ({_where(compiled)})", style="bold"), *below]
    return Group(*parts)


def headline(report: RunReport) -> str:
    """`train.py: 3 functions compiled, 3 whole (exit code 0, 12.3 s, torch 2.13.0)`."""
    many = counted(sum(compiled.calls > 0 for compiled in report.compiled), "function")
    ended = f"({report.ended}, {report.seconds:.1f} s, torch {report.torch_version})"
    if not report.compiled:
        return f"{short_path(report.script)}: nothing was compiled {ended}"
    if not report.welded:
        return f"{short_path(report.script)}: {many} compiled by torch alone {ended}"
    whole = sum(compiled.is_whole for compiled in report.compiled)
    return f"{short_path(report.script)}: {many} compiled, {whole} without a break {ended}"


def in_words(phase: Phase | None) -> str:
    """`2 graphs, 1 break`."""
    if phase is None:
        return "not measured"
    if phase.error is not None and phase.graphs == 0:
        return "no graph"
    return f"{counted(phase.graphs, 'graph')}, {counted(len(phase.breaks), 'break')}"


def seconds(compiled: Compiled) -> str:
    """`1.2 s + 3.4 s`: tracing and converting, and the backend."""
    return f"{max(compiled.seconds - compiled.backend_seconds, 0.0):.1f} s + {compiled.backend_seconds:.1f} s"


def _table(report: RunReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("function", "where", "calls", "before", *(("after",) if report.welded else ())):
        table.add_column(name, no_wrap=name in ("function", "calls"), overflow="fold")
    table.add_column("recompiled", no_wrap=True)
    table.add_column("tracing + backend", no_wrap=True)
    for compiled in report.compiled:
        if compiled.calls:
            after = [Text(in_words(compiled.after), style="green" if compiled.is_whole else "yellow")]
            before = in_words(compiled.before)
        else:
            before, after = "never called", [Text("")]
        table.add_row(
            compiled.function,
            _where(compiled),
            str(compiled.calls),
            before,
            *(after if report.welded else []),
            str(compiled.recompiles),
            seconds(compiled),
        )
    return table


def _where(compiled: Compiled) -> str:
    place = f"{short_path(compiled.file)}:{compiled.line}"
    return place if compiled.how == "torch.compile" else f"{place}, {compiled.how}"
