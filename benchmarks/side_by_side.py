"""Subjects measured in one run, taking turns: what every report here is made of."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from typing import Any

Subject = Callable[..., Any]


def prepare(
    makers: dict[str, Callable[[], Subject]], check: Callable[[Subject], None], where: str
) -> dict[str, Subject]:
    """The subjects that run here and pass `check`, which also warms them up; the others are named on stderr."""
    import torch

    ready: dict[str, Subject] = {}
    for name, make in makers.items():
        torch.compiler.reset()
        try:
            fn = make()
            check(fn)
        except Exception as error:  # noqa: BLE001  (one subject failing must not hide the others)
            print(f"  {name} {where} left out: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            continue
        ready[name] = fn
    return ready


def medians(ready: dict[str, Subject], rounds: int, measure: Callable[[Subject], float]) -> dict[str, float]:
    """The median of what `measure` gives for each subject, one after the other in each round."""
    times: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, fn in ready.items():
            times[name].append(measure(fn))
    return {name: round(statistics.median(rows), 4) for name, rows in times.items()}
