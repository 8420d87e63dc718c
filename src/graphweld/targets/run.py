"""`graphweld run`: everything that a script compiles, welded and measured while the script runs as it would.

`torch.compile` and the exporters are exchanged for ones that keep a record. What torch alone makes of a function is
measured in a child process made at the function's first call, so that nothing the function changes is changed twice.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule

from graphweld import convert
from graphweld.capture import sites
from graphweld.capture.exporter import welded
from graphweld.capture.meter import Meter, Work
from graphweld.diagnostics import Diagnostic, GraphweldError
from graphweld.report.model import Phase, SiteReport
from graphweld.report.run_model import Compiled
from graphweld.targets.apart import measured_apart
from graphweld.targets.compile import compile_target
from graphweld.targets.explain import break_report, site_reports, source_reports
from graphweld.targets.pictures import input_names
from graphweld.view.from_fx import graph_of, graph_of_program
from graphweld.view.model import Graph

_EXPORTERS = ((torch.export, "export"), (torch.onnx, "export"))


@dataclass(eq=False)
class _Entry:
    """One call of torch.compile or of an exporter."""

    how: str
    target: Any
    roots: set[Any] = field(default_factory=set)
    calls: int = 0
    work: Work = field(default_factory=Work)
    before: Phase | None = None
    error: Exception | None = None
    picture: Graph | None = None  # of the first graph

    def show(self, module: GraphModule) -> None:
        """Draw a graph as soon as it is finished: a backend changes it."""
        if self.picture is None:
            name = getattr(self.target, "__qualname__", type(self.target).__qualname__)
            self.picture = graph_of(module, name, input_names(module, self.target))


class Recorder:
    """The record of one run."""

    def __init__(self, *, weld: bool) -> None:
        self._weld = weld
        self._entries: list[_Entry] = []
        self._meter = Meter()
        self._running: list[_Entry] = []

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Keep a record of what is compiled or exported inside, and weld it, if so asked."""
        plain = torch.compile
        exporters = [(holder, name, getattr(holder, name)) for holder, name in _EXPORTERS]
        torch.compile = self._compiler(plain)
        for holder, name, export in exporters:
            setattr(holder, name, self._exporter(f"{holder.__name__}.{name}", export))
        try:
            with welded() if self._weld else nullcontext():
                yield
        finally:
            torch.compile = plain
            for holder, name, export in exporters:
                setattr(holder, name, export)

    def compiled(self) -> tuple[Compiled, ...]:
        """What was recorded, in the order of the script."""
        return tuple(_report(entry, welded=self._weld) for entry in self._entries)

    def _compiler(self, plain: Callable[..., Any]) -> Any:
        @functools.wraps(plain)
        def compile_(model: Any = None, *, disable: bool = False, **how: Any) -> Any:
            if model is None:
                return lambda fn: compile_(fn, disable=disable, **how)
            if disable:
                return plain(model, disable=True, **how)
            model = getattr(model, "_graphweld_target", model)  # what is compiled twice is compiled once
            entry = _Entry("torch.compile", model)
            self._entries.append(entry)
            before = sites.roots()
            made = compile_target(model, **{"fullgraph": False, **how}) if self._weld else plain(model, **how)
            entry.roots = sites.roots() - before
            for root in entry.roots:
                sites.trace_at(root).show = entry.show
            if isinstance(model, torch.nn.Module):
                made.forward = self._recorded(entry, made.forward, plain, how)
                return made
            return self._recorded(entry, made, plain, how)

        return compile_

    def _recorded(
        self, entry: _Entry, made: Callable[..., Any], plain: Callable[..., Any], how: dict[str, Any]
    ) -> Callable[..., Any]:
        """A compiled function whose calls are counted."""

        @functools.wraps(made, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            if torch.compiler.is_compiling():
                return made(*args, **kwargs)  # part of a program further out
            if entry.calls == 0 and self._weld:
                entry.before = measured_apart(entry.target, args, kwargs, plain, how.get("dynamic"))
                self._meter.read()
            entry.calls += 1
            with self._counting(entry):
                return made(*args, **kwargs)

        call._graphweld_target = entry.target  # type: ignore[attr-defined]
        return call

    def _exporter(self, how: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plain)
        def export(target: Any, *args: Any, **kwargs: Any) -> Any:
            entry = _Entry(how, target, calls=1)
            self._entries.append(entry)
            start = time.perf_counter()
            with self._counting(entry):
                made = plain(target, *args, **kwargs)
            program = getattr(made, "exported_program", made)  # of an ONNX model, what it was made from
            if isinstance(program, torch.export.ExportedProgram):
                entry.picture = graph_of_program(program, how)
            if not entry.work.graphs:  # of an exporter torch keeps no record
                nodes = sum(n.op.startswith("call") for n in made.graph.nodes) if hasattr(made, "graph") else 0
                entry.work += Work(graphs=1, nodes=nodes, seconds=time.perf_counter() - start)
            return made

        return export

    @contextmanager
    def _counting(self, entry: _Entry) -> Iterator[None]:
        """What is compiled inside is the entry's, but for what an entry further in has of it."""
        self._give()
        self._running.append(entry)
        try:
            yield
        except Exception as error:
            entry.error = error
            raise
        finally:
            self._give()
            self._running.pop()

    def _give(self) -> None:
        done = self._meter.read()
        if self._running:
            self._running[-1].work += done


def _report(entry: _Entry, *, welded: bool) -> Compiled:
    code = convert.code_of(entry.target)
    found = entry.error.diagnostics if isinstance(entry.error, GraphweldError) else ()
    phase = _phase(entry)
    listed = tuple(_sites(entry, found))
    breaks = [b for one in (entry.before, phase) if one is not None for b in one.breaks]
    traces = map(sites.trace_at, entry.roots)
    return Compiled(
        how=entry.how,
        function=getattr(entry.target, "__qualname__", type(entry.target).__qualname__),
        file=code.co_filename,
        line=code.co_firstlineno,
        calls=entry.calls,
        before=entry.before if welded else phase,
        after=phase if welded else None,
        recompiles=entry.work.recompiles,
        seconds=entry.work.seconds,
        backend_seconds=entry.work.backend_seconds,
        sites=listed,
        diagnostics=found,
        sources=tuple(source for trace in traces for source in source_reports(trace, listed, breaks)),
    )


def _phase(entry: _Entry) -> Phase | None:
    if not entry.calls:
        return None
    error = entry.error
    return Phase(
        graphs=entry.work.graphs,
        breaks=tuple(map(break_report, entry.work.breaks)),
        nodes=entry.work.nodes,
        error=None if error is None else f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}",
        seconds=entry.work.seconds,
        picture=None if entry.work.breaks else entry.picture,
    )


def _sites(entry: _Entry, found: tuple[Diagnostic, ...]) -> Iterator[SiteReport]:
    seen: set[tuple[str, int, int]] = set()
    for root in entry.roots:
        for site in site_reports(sites.trace_at(root), found):
            place = (site.file, site.line, site.column)
            if place not in seen:
                seen.add(place)
                yield _broken(site, entry)


def _broken(site: SiteReport, entry: _Entry) -> SiteReport:
    """The site, refused where the graph broke at it all the same."""
    for found in entry.work.breaks:
        if site.verdict == "left" and (found.file, found.line) == (site.file, site.line):
            return dataclasses.replace(site, verdict="refused", reason=found.reason, code="GW120")
    return site
