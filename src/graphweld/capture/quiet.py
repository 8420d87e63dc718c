"""Silence for what torch and its exporters log of their own steps: what stops them is told as an error, once."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet(*names: str, below: int = logging.CRITICAL) -> Iterator[None]:
    """Without what these loggers say at a lower level."""
    logs = [(log, log.level) for log in map(logging.getLogger, names)]
    try:
        for log, _ in logs:
            log.setLevel(below)
        yield
    finally:
        for log, level in logs:
            log.setLevel(level)
