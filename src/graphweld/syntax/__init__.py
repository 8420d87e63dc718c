"""Python in, Python out: functions whose control flow may depend on data, converted to calls of `graphweld.runtime`.

Imports no torch.
"""

from graphweld.syntax.analysis.sites import SiteInfo
from graphweld.syntax.conversion import Conversion, convert, sites
from graphweld.syntax.errors import ConversionError, SourceUnavailable, TwinMismatch, UnsupportedSyntax

__all__ = [
    "Conversion",
    "ConversionError",
    "SiteInfo",
    "SourceUnavailable",
    "TwinMismatch",
    "UnsupportedSyntax",
    "convert",
    "sites",
]
