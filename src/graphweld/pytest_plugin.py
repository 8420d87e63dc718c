"""The pytest plugin: a fixture `assert_whole`, and `--graphweld-report`.

Loaded with every run of pytest where graphweld is installed; it imports torch only when the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from graphweld.report import Report

_REPORTS = pytest.StashKey[list[tuple[str, "Report"]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option."""
    parser.getgroup("graphweld").addoption(
        "--graphweld-report",
        action="store_true",
        help="at the end, show for each function given to assert_whole what broke before and what each site became",
    )


def pytest_configure(config: pytest.Config) -> None:
    """A place for the reports."""
    config.stash[_REPORTS] = []


@pytest.fixture
def assert_whole(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`graphweld.testing.assert_whole`; with `--graphweld-report` each function is explained at the end."""

    def check(fn: Callable[..., Any], inputs: Iterable[Any], **how: Any) -> None:
        from graphweld import testing

        rows = list(inputs)
        try:
            testing.assert_whole(fn, rows, **how)
        finally:
            if request.config.getoption("--graphweld-report") and rows:
                from graphweld.api import explain

                first = rows[0] if isinstance(rows[0], tuple) else (rows[0],)
                request.config.stash[_REPORTS].append((request.node.nodeid, explain(fn, first)))

    return check


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The reports, below the results."""
    reports = config.stash.get(_REPORTS, [])
    if reports:
        terminalreporter.section("graphweld")
    for test, report in reports:
        terminalreporter.write_line(test, bold=True)
        terminalreporter.write_line(f"{report}\n")
