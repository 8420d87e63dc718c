"""What `explain` found, as data and as text. Imports no torch."""

from graphweld.report.model import BreakReport, Phase, Report, SiteReport

__all__ = ["BreakReport", "Phase", "Report", "SiteReport"]
