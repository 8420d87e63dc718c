"""Settings that every test shares, and a limit of time for each."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seeds", default="0:60", metavar="FROM:TO", help="the random programs of tests/unit/syntax (default: 0:60)"
    )


LIMIT = 120  # seconds for one test, which takes a few; a `slow` one may take five times as long


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test that hangs fails. Where not even a signal stops it, its process ends, and pytest-xdist says so."""
    limit = LIMIT * (5 if item.get_closest_marker("slow") else 1)

    def too_long(*_: object) -> None:
        # No `Exception`: torch turns those into its own, or swallows them. So it comes again, until the test is over.
        raise pytest.fail.Exception(f"over {limit} s", pytrace=True)

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, limit, 5)
    faulthandler.dump_traceback_later(limit + 60, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
