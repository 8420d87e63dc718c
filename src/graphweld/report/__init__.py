"""What `explain` and `run` found, as data and as text. Imports no torch."""

from graphweld.report.model import BreakReport, Phase, Report, SiteReport, SourceReport
from graphweld.report.run_model import Compiled, RunReport

__all__ = ["BreakReport", "Compiled", "Phase", "Report", "RunReport", "SiteReport", "SourceReport"]
