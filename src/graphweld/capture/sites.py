"""What the tracer has learnt about one compiled program: conversions used, and what each site became.

A `Trace` belongs to the code object of one outermost frame. It is emptied whenever the tracer starts over, so that it
always tells of the trace that produced the graph.
"""

import linecache
import os
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule

from graphweld.diagnostics import Span
from graphweld.syntax import Conversion, SiteInfo

# Frames of graphweld's own that a user's stack may hold; the demo's programs are a user's.
_ROOT = os.path.dirname(os.path.dirname(__file__))
PACKAGE = tuple(os.path.join(_ROOT, part, "") for part in ("capture", "runtime"))
TORCH = os.path.join(os.path.dirname(torch.__file__), "")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one site, once: `node` is "If", "Select" or "Loop" where it was welded."""

    site: SiteInfo
    filename: str
    verdict: str
    node: str | None = None
    reason: str | None = None
    code: str | None = None


@dataclass(slots=True)
class Trace:
    """The record of one compiled program."""

    wanted: set[types.CodeType] = field(default_factory=set)
    reached: dict[types.CodeType, None] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    changing: dict[str, Any] = field(default_factory=dict)  # places that the program changes, and their kind: inputs
    constant: set[str] = field(default_factory=set)  # such places where an input was tried, and does not trace
    kept: dict[str, tuple[Any, object]] = field(default_factory=dict)  # places it read, and what was there
    sizes: dict[str, Any] = field(default_factory=dict)  # such ints, as torch has them: sizes, with guards
    tested: set[str] = field(default_factory=set)  # of these, what a test asks for: of the data from now on
    untested: set[str] = field(default_factory=set)  # where that was tried, and does not trace
    on_trial: bool = False  # whether there are sites is to be found out, with places that change as inputs
    was_on_trial: bool = False  # and none was found
    tests_data: bool = False  # a site's test is of other data than whether there is something in such a place
    follows_sizes: bool = False  # a loop over a size that changes became a node
    unrolls_sizes: bool = False  # which was tried, and does not trace
    lists_sets: bool = False  # the program puts values of the data into a set
    listed_dicts: set[Any] = field(default_factory=set)  # places of the program that make dicts with keys of the data
    copies_tests: bool = False  # the program changes in place what it has tested
    stalls: int = 0  # how often in a row converting a function did not help
    show: Callable[[GraphModule], None] | None = None  # takes each finished graph, before a backend changes it
    checkpoint: bool = False  # whether loops keep little for their backward
    gives_lists: bool = False  # whether what it is exported to has lists of unknown length as results
    asks_gradients: bool = False  # whether the program calls `torch.autograd.grad`, or `backward`

    def start_over(self) -> None:
        """Forget what the trace that is given up has seen."""
        self.outcomes.clear()
        self.reached.clear()
        self.kept.clear()
        self.sizes.clear()
        self.tests_data = self.asks_gradients = False

    def take_for_sizes(self) -> None:
        """Trace ints that change from call to call, and are tested, as torch does."""
        self.untested |= self.tested
        self.tested.clear()

    def take_for_constants(self) -> None:
        """Trace what changes from call to call as torch does."""
        if self.on_trial:
            self.on_trial, self.was_on_trial = False, True
            self.wanted.clear()
        else:
            self.constant |= self.changing.keys()
        self.changing.clear()


_traces: weakref.WeakKeyDictionary[types.CodeType, Trace] = weakref.WeakKeyDictionary()
_conversions: dict[tuple[types.CodeType, str], Conversion] = {}  # code that differs in its file only is equal
_lock = threading.Lock()
_running = threading.local()


def register_root(code: types.CodeType) -> Trace:
    """Mark a frame as one to weld, and return the record of its traces."""
    with _lock:
        return _traces.setdefault(code, Trace())


def roots() -> set[types.CodeType]:
    """Every frame that is welded now."""
    with _lock:
        return set(_traces)


def trace_at(root: types.CodeType) -> Trace:
    """The record of a frame that is welded."""
    return _traces[root]


def register_conversion(conversion: Conversion) -> None:
    """Make the sites of a twin findable from any code object inside it."""
    pending = [conversion.code]
    while pending:
        code = pending.pop()
        _conversions[code, code.co_filename] = conversion
        pending.extend(c for c in code.co_consts if isinstance(c, types.CodeType))


def trace_of(tx: Any) -> Trace | None:
    """The record of the trace `tx` belongs to, or None where the frame is not ours to weld."""
    output = tx.output
    if not hasattr(output, "gw_trace"):  # asked for every call that is traced, and hashing code objects is slow
        output.gw_trace = _traces.get(output.root_tx.f_code) or running()
    return output.gw_trace  # type: ignore[no-any-return]


def running() -> Trace | None:
    """The record of the program that this thread welds, whatever step of torch's it is at."""
    return getattr(_running, "trace", None)


def is_piece(tx: Any) -> bool:
    """Whether the graph is one of several of a program that breaks: plain Python has run before it."""
    return not tx.output.export and tx.output.root_tx.f_code not in _traces


@contextmanager
def welding(trace: Trace) -> Iterator[None]:
    """Weld every frame compiled inside: behind a graph break, torch compiles the pieces as frames of their own."""
    before, _running.trace = running(), trace
    try:
        yield
    finally:
        _running.trace = before


def record(tx: Any, site: int | None, verdict: str, node: str | None = None, reason: str | None = None) -> None:
    """Note what became of the site whose operator is being traced."""
    trace, conversion = trace_of(tx), conversion_of(tx.f_code)
    if trace is None or conversion is None or site is None:
        return
    trace.outcomes.append(Outcome(conversion.sites[site], conversion.filename, verdict, node, reason))


def conversion_of(code: types.CodeType) -> Conversion | None:
    return _conversions.get((code, code.co_filename))


def span_here(tx: Any, site: int | None = None) -> tuple[Span | None, str | None]:
    """The user's place that is being traced: the site's where one is given, else the current line."""
    conversion = conversion_of(tx.f_code)
    if conversion is not None and site is not None:
        info = conversion.sites[site]
        return Span(conversion.filename, info.line, info.column + 1, info.end_line, info.end_column + 1), info.text
    frame = tx
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.parent
    frame = frame or tx
    line = getattr(frame, "lineno", None) or frame.f_code.co_firstlineno
    positions = getattr(frame.current_instruction, "positions", None)
    column = (positions.col_offset or 0) + 1 if positions is not None else 1
    filename = frame.f_code.co_filename
    return Span.at(filename, line, column), linecache.getline(filename, line).strip() or None
