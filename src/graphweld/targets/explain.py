"""`gw.explain`: one run under torch alone, one under graphweld, told side by side."""

import copy
import linecache
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch

from graphweld import convert, syntax
from graphweld.capture import sites
from graphweld.capture.breaks import Break, Counter, Measured, break_from, first_obstacle, measure
from graphweld.capture.program import diagnostics_of, guarded, trampoline
from graphweld.diagnostics import ConversionError, Diagnostic, GraphweldError, UsageError
from graphweld.report.model import BreakReport, Phase, Report, SiteReport, SourceReport
from graphweld.targets.pictures import picture_of


def explain(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None) -> Report:
    """Run `fn` compiled by torch and by graphweld, each on copies of its arguments, and report both."""
    given = args, dict(kwargs or {})
    before, told = run_alone(fn, *given)
    if before.error is not None and not isinstance(before.error, RuntimeError):
        raise before.error
    after, trace = run_welded(fn, *given)
    found = _diagnostics(after.error)
    code = convert.code_of(fn)
    listed = tuple(site_reports(trace, found))
    phases = phase_of(before, told, fn), phase_of(after, tuple(map(break_from, found)), fn)
    return Report(
        function=getattr(fn, "__qualname__", type(fn).__qualname__),
        file=code.co_filename,
        line=code.co_firstlineno,
        before=phases[0],
        after=phases[1],
        sites=listed,
        diagnostics=found,
        torch_version=torch.__version__,
        sources=source_reports(trace, listed, [*phases[0].breaks, *phases[1].breaks]),
    )


def run_alone(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Measured, tuple[Break, ...]]:
    """What `torch.compile` makes of a call, and why it gave up where it captured nothing and broke nowhere."""
    torch.compiler.reset()
    counter = Counter()
    measured = measure(torch.compile(_own(fn), backend=counter), *copy.deepcopy((args, kwargs)), counter)
    torch.compiler.reset()
    if measured.breaks or measured.graphs == 1 or measured.error is not None:
        return measured, ()
    whole = torch.compile(_own(fn), fullgraph=True, backend="eager")
    obstacle = first_obstacle(whole, *copy.deepcopy((args, kwargs)))
    torch.compiler.reset()
    return measured, () if obstacle is None else (obstacle,)


def run_welded(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Measured, sites.Trace]:
    """What graphweld makes of a call, and the record of the trace."""
    torch.compiler.reset()
    counter, subject = Counter(), _own(fn)
    start, trace = trampoline(subject)
    compiled = guarded(torch.compile(start, fullgraph=True, backend=counter), subject)
    measured = measure(compiled, *copy.deepcopy((args, kwargs)), counter)
    torch.compiler.reset()
    return measured, trace


def _own(fn: Any) -> Any:
    """A copy of a module, so that its state after the run is its state before; functions as they are."""
    return copy.deepcopy(fn) if isinstance(fn, torch.nn.Module) else fn


def phase_of(measured: Measured, told: tuple[Break, ...], fn: Callable[..., Any]) -> Phase:
    """One way of compiling; what it broke at is `told` where torch itself reported no break."""
    error = measured.error
    if isinstance(error, UsageError):
        raise error
    return Phase(
        graphs=measured.graphs,
        breaks=tuple(map(break_report, measured.breaks or told)),
        nodes=measured.nodes,
        error=None if error is None else f"{type(error).__name__}: {str(error).strip().splitlines()[0]}",
        seconds=measured.seconds,
        picture=None if error is not None else picture_of(measured, told, fn),
    )


def break_report(found: Break) -> BreakReport:
    """A break as reports have it."""
    return BreakReport(found.file, found.line, found.source_line, found.reason, found.torch_code)


def _diagnostics(error: Exception | None) -> tuple[Diagnostic, ...]:
    if isinstance(error, GraphweldError):
        return error.diagnostics
    return tuple(diagnostics_of(error) or ()) if error is not None else ()


def site_reports(trace: sites.Trace, found: tuple[Diagnostic, ...]) -> list[SiteReport]:
    """Every site of every function the trace reached, with what became of it."""
    reports: dict[tuple[str, int, int], SiteReport] = {}
    for outcome in trace.outcomes:
        info = outcome.site
        reports.setdefault(
            (outcome.filename, info.line, info.column),
            _site(outcome.filename, info, "welded", outcome.node, outcome.reason, outcome.code),
        )
    for diagnostic in found:
        if diagnostic.span is not None and not diagnostic.code.startswith("GW12"):
            _mark_refused(reports, diagnostic, trace)
    for code in trace.reached:
        for info in _user_sites(code):
            reports.setdefault(
                (code.co_filename, info.line, info.column), _site(code.co_filename, info, "left", None, None, None)
            )
    return sorted(reports.values(), key=lambda s: (s.verdict == "left", s.file, s.line, s.column))


def source_reports(
    trace: sites.Trace, listed: Iterable[SiteReport], breaks: Iterable[BreakReport]
) -> tuple[SourceReport, ...]:
    """The functions that hold a break, or a site that was not left."""
    places = {(site.file, site.line) for site in listed if site.verdict != "left"}
    places |= {(found.file, found.line) for found in breaks}
    files = {file for file, _ in places}
    reports: dict[tuple[str, int], SourceReport] = {}
    for code in trace.reached:
        if code.co_filename not in files:
            continue
        try:
            twin = convert.twin_of(code)
            original = syntax.source_text(code) if twin is None else twin.original
        except (ConversionError, syntax.SourceUnavailable):
            continue
        first, file = code.co_firstlineno, code.co_filename
        if any((file, line) in places for line in range(first, first + original.count("\n") + 1)):
            raw = linecache.getline(file, first)
            name = code.co_name if twin is None else twin.name
            converted = None if twin is None else twin.source
            indent = len(raw) - len(raw.lstrip())
            reports[file, first] = SourceReport(file, first, name, indent, original, converted)
    return tuple(reports[place] for place in sorted(reports))


def _mark_refused(reports: Any, diagnostic: Diagnostic, trace: sites.Trace) -> None:
    span = diagnostic.span
    assert span is not None
    for code in trace.reached:
        for info in _user_sites(code) if code.co_filename == span.file else ():
            if info.line <= span.line <= info.end_line:
                key = (code.co_filename, info.line, info.column)
                reports[key] = _site(code.co_filename, info, "refused", None, diagnostic.message, diagnostic.code)
                return


def _user_sites(code: types.CodeType) -> tuple[syntax.SiteInfo, ...]:
    if "/torch/" in code.co_filename or "/graphweld/runtime/" in code.co_filename or code.co_filename.startswith("<"):
        return ()
    try:
        return syntax.sites(code) if convert.has_sites(code) else ()
    except syntax.SourceUnavailable:
        return ()


def _site(
    file: str, info: syntax.SiteInfo, verdict: Any, node: str | None, reason: str | None, code: str | None
) -> SiteReport:
    return SiteReport(
        file,
        info.line,
        info.column + 1,
        info.text,
        info.function,
        info.construct,
        verdict,
        node,
        reason,
        code,
        info.end_line,
        info.end_column + 1,
    )
