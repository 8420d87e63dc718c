"""What torch's tracer has done between two moments of a program that runs: graphs, breaks, recompiles, time.

torch keeps a record of each frame it compiles; nothing here changes how it compiles.
"""

from dataclasses import dataclass
from typing import Any

from torch._dynamo.utils import (
    counters,
    get_compilation_metrics,
    graph_break_reasons,
    set_compilation_metrics_limit,
)

from graphweld.capture.breaks import Break, break_of

_MOST_RECORDS = 100_000


@dataclass(frozen=True, slots=True)
class Work:
    """What was done. Seconds are those of whole frames, `backend_seconds` the part of them that the backend took."""

    graphs: int = 0
    nodes: int = 0
    recompiles: int = 0
    seconds: float = 0.0
    backend_seconds: float = 0.0
    breaks: tuple[Break, ...] = ()

    def __add__(self, other: "Work") -> "Work":
        return Work(
            self.graphs + other.graphs,
            self.nodes + other.nodes,
            self.recompiles + other.recompiles,
            self.seconds + other.seconds,
            self.backend_seconds + other.backend_seconds,
            (*self.breaks, *other.breaks),
        )


class Meter:
    """Reads what was done since it was last read."""

    def __init__(self) -> None:
        set_compilation_metrics_limit(_MOST_RECORDS)
        self.at: tuple[int, int, int] = _counts()

    def read(self) -> Work:
        """What was done since; the next reading starts here."""
        before, self.at = self.at, _counts()
        if self.at == before:
            return Work()
        # One that is less than it was has been cleared in between.
        graphs, breaks, records = (then if now >= then else 0 for now, then in zip(self.at, before, strict=True))
        frames = [frame for frame in get_compilation_metrics()[records:] if frame.is_forward is not False]
        return Work(
            graphs=self.at[0] - graphs,
            nodes=sum(frame.graph_op_count or 0 for frame in frames),
            recompiles=sum(bool(frame.cache_size) and bool(frame.has_guarded_code) for frame in frames),
            seconds=_seconds(frames, "entire_frame_compile_time_s"),
            backend_seconds=_seconds(frames, "backend_compile_time_s"),
            breaks=tuple(break_of(reason) for reason in graph_break_reasons[breaks:] if reason.graph_break),
        )


def _counts() -> tuple[int, int, int]:
    return counters["stats"]["unique_graphs"], len(graph_break_reasons), len(get_compilation_metrics())


def _seconds(frames: list[Any], name: str) -> float:
    return sum(getattr(frame, name) or 0.0 for frame in frames)
