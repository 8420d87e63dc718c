"""Measuring what torch alone makes of a program: graphs, and the breaks between them."""

import linecache
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo import exc
from torch._dynamo.utils import graph_break_reasons

from graphweld.capture.program import chain, torch_break, torch_code_in
from graphweld.capture.sites import PACKAGE
from graphweld.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Break:
    """One graph break: where, why, and torch's own code for it."""

    file: str
    line: int
    source_line: str
    reason: str
    torch_code: str | None


@dataclass(frozen=True, slots=True)
class Captured:
    """A graph that was captured, and the tensors of its first run; None where a break came before any operator.

    `stop` is the break that it ended in.
    """

    module: torch.fx.GraphModule | None
    stop: Break | None
    inputs: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run under a compiler gave: `captured` in the order of the program, its arguments and its `result`."""

    graphs: int
    nodes: int
    breaks: tuple[Break, ...]
    seconds: float
    error: Exception | None
    captured: tuple[Captured, ...]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any


class Counter:
    """A backend that runs the graph as it is, counts, and keeps what went through each graph first."""

    def __init__(self) -> None:
        self.graphs = 0
        self.nodes = 0
        self.modules: list[torch.fx.GraphModule] = []
        self.noted: list[int] = []  # how many breaks torch had noted when each was compiled
        self.ran: dict[torch.fx.GraphModule, tuple[Any, Any]] = {}

    def __call__(self, module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        self.graphs += 1
        self.nodes += sum(n.op.startswith("call") for n in module.graph.nodes)
        self.modules.append(module)
        self.noted.append(len(graph_break_reasons))

        def run(*args: Any) -> Any:
            outputs = module(*args)
            self.ran.setdefault(module, (args, tuple(outputs)))
            return outputs

        return run

    def captured(self, start: int) -> Iterator[Captured]:
        """The graphs, and the breaks since the `start`th. torch notes a break before the graph that ends in it."""
        for module, noted in zip(self.modules, self.noted, strict=True):
            found = [break_of(reason) for reason in graph_break_reasons[start:noted] if reason.graph_break]
            start = noted
            own: Any = module.compile_subgraph_reason
            stop = found.pop() if own.graph_break and found else None
            yield from (Captured(None, stop) for stop in found)
            yield Captured(module, stop, *self.ran.get(module, ()))
        yield from (Captured(None, break_of(reason)) for reason in graph_break_reasons[start:] if reason.graph_break)


def measure(
    compiled: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], counter: Counter
) -> Measured:
    """Call what was compiled with the backend `counter`, and tell what was captured and where it broke."""
    before = len(graph_break_reasons)
    start = time.perf_counter()
    error = result = None
    try:
        result = compiled(*args, **kwargs)
    except Exception as caught:  # noqa: BLE001 - the program's own exceptions and the compiler's are both an answer here
        error = caught
    seconds = time.perf_counter() - start
    captured = tuple(counter.captured(before))
    breaks = tuple(found.stop for found in captured if found.stop is not None)
    return Measured(counter.graphs, counter.nodes, breaks, seconds, error, captured, args, kwargs, result)


def first_obstacle(whole: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Break | None:
    """Why torch gives a function up although it reports no break: the error of a full-graph trace."""
    try:
        whole(*args, **kwargs)
    except exc.TorchDynamoException as error:
        found = next((e for e in chain(error) if isinstance(e, (exc.Unsupported, exc.UserError))), error)
        return break_from(torch_break(found))
    except Exception:  # noqa: BLE001 - the program's own: a full-graph trace that succeeded has nothing to tell
        return None
    return None


def break_of(reason: Any) -> Break:
    """Torch's record of a break, at the user's line."""
    code, words = torch_code_in(reason.reason), _first_words(reason.reason)
    if words.startswith("generic_jump"):  # a branch that torch goes on behind is recorded without its code and words
        code, words = "GB0170", "Data-dependent branching: which way it goes is decided by the values of a tensor"
    frame = next((f for f in reversed(reason.user_stack) if not f.filename.startswith(PACKAGE)), None)
    if frame is None:
        return Break("<unknown>", 0, "", words, code)
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    return Break(frame.filename, frame.lineno or 0, line, words, code)


def break_from(diagnostic: Diagnostic) -> Break:
    """A finding as a break."""
    span = diagnostic.span
    code = next((w.strip("()") for w in diagnostic.message.split() if w.strip("()").startswith("GB")), None)
    return Break(
        span.file if span else "<unknown>",
        span.line if span else 0,
        diagnostic.source_line or "",
        diagnostic.message,
        code,
    )


def _first_words(text: str) -> str:
    """The kind of a break and torch's explanation of it, in one line."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    explanation = next((line.partition("Explanation: ")[2] for line in lines if "Explanation: " in line), "")
    head = lines[0] if lines else "unknown"
    return f"{head}: {explanation}" if explanation else head
