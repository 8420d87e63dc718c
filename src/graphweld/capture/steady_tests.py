"""Tests that stay what they were when Python asked, whatever becomes of the memory that they were read from.

    if seen[u]:              the predicate is a view of `seen`
        out.append(u)        an item of the list where the predicate holds
    seen[u] = True           changes the predicate as well, which says later whether there is the item

What is tested is remembered. Where a trace ends having changed it in place, it starts over, and tests are copies.
"""

from typing import Any

from torch._dynamo.variables.base import VariableTracker

from graphweld.capture.sites import Trace, trace_of
from graphweld.capture.variables import Tx, example, method, node_of


def steady(tx: Tx, tested: VariableTracker) -> VariableTracker:
    """A 0-d bool tensor of the program that is tested here; or its copy, the same one for every test of one value."""
    trace = trace_of(tx)
    output: Any = tx.output
    if not hasattr(output, "gw_tests"):
        output.gw_tests, output.gw_copies = [], {}
    if trace is None or not trace.copies_tests:
        output.gw_tests.append((tested, example(tested)._version))
        return tested
    key = node_of(tested), example(tested)._version
    copy = output.gw_copies.get(key)
    if copy is None or copy.as_proxy().tracer not in output.tracers:
        copy = output.gw_copies[key] = method(tx, tested, "clone")
    return copy  # type: ignore[no-any-return]


def are_changed(tx: Tx, trace: Trace) -> bool:
    """Whether a finished trace has changed in place what it had tested."""
    tests = getattr(tx.output, "gw_tests", ())
    return not trace.copies_tests and any(example(vt)._version != version for vt, version in tests)
