"""Reports of every kind, made by hand, for the tests of renderers and of the command line."""

from __future__ import annotations

from graphweld.diagnostics import Span, diagnose, rules
from graphweld.report import BreakReport, Phase, Report, SiteReport

IF_LINE = "    if x.sum().item() > 0:"
WHILE_LINE = "    while err > tol:"
BROKEN = BreakReport("model.py", 4, IF_LINE, "data-dependent branching", "GB0170")
AT_WHILE = BreakReport("model.py", 22, WHILE_LINE, "data-dependent branching", "GB0170")
ONE_GRAPH = Phase(1, (), 3, None, 0.5)

WELDED = Report(
    function="f",
    file="model.py",
    line=3,
    before=Phase(2, (BROKEN,), 3, None, 0.25),
    after=ONE_GRAPH,
    sites=(SiteReport("model.py", 4, 5, IF_LINE, "f", "if", "welded", "If"),),
    diagnostics=(),
    torch_version="2.13.0",
)

NOTHING_BREAKS = Report("g", "model.py", 9, ONE_GRAPH, ONE_GRAPH, (), (), "2.13.0")

REFUSED = Report(
    function="Solver.forward",
    file="model.py",
    line=20,
    before=Phase(2, (BROKEN, AT_WHILE), 7, None, 1.0),
    after=Phase(2, (AT_WHILE,), 7, None, 1.0),
    sites=(
        SiteReport("model.py", 4, 5, IF_LINE, "f", "if", "welded", "If"),
        SiteReport("model.py", 22, 5, WHILE_LINE, "Solver.forward", "while", "refused", None, "its test", "GW110"),
        SiteReport("model.py", 30, 9, "        if self.training:", "Solver.forward", "if", "left", None, "no tensor"),
    ),
    diagnostics=(
        diagnose(rules.LoopNotWelded("while", "its test is a tensor"), Span("model.py", 22, 11, 22, 20), WHILE_LINE),
    ),
    torch_version="2.13.0",
)

GIVEN_UP = Report("h", "model.py", 40, Phase(0, (), 0), Phase(0, (), 0), (), (), "2.13.0")

FAILED = Report("k", "model.py", 50, ONE_GRAPH, Phase(0, (), 0, "RuntimeError: no"), (), (), "2.13.0")

ALL = {"welded": WELDED, "nothing_breaks": NOTHING_BREAKS, "refused": REFUSED, "given_up": GIVEN_UP, "failed": FAILED}
