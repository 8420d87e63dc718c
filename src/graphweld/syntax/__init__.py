"""Python in, Python out: functions whose control flow may depend on data, converted to calls of `graphweld.runtime`.

Imports no torch. Where a twin, run on plain Python values, can be told from the original:

- The truth of an operand may be asked twice: by `and_`, `or_` or `not_`, and by the `if` around it.
- A name that a nested function or comprehension reads, too, and that is unbound: NameError in a region says "free
  variable", UnboundLocalError in the function says "local variable".
- Exceptions from a region come through frames of the runtime and of the region's functions, on the user's lines.

Left as plain Python: regions that suspend (`yield`, `await`) or leave a `finally`, statements of class bodies, set and
dict comprehensions and generator expressions, and lazy parts that bind names inside a lambda or comprehension.
"""

from graphweld.syntax.analysis.sites import SiteInfo
from graphweld.syntax.conversion import Conversion, convert, sites, source_text
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
    "source_text",
]
