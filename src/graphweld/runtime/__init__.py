"""What converted code calls, one operator for each Python construct.

Every operator is ordinary Python with the meaning of the statement it stands for, so converted source can be read, and
run without a tracer. Under a trace, `capture` answers the same calls itself where the value that steers is a tensor or
a number that came out of one; with any other value the tracer simply follows the Python below.
"""

from graphweld.runtime.conditionals import if_exp, if_stmt
from graphweld.runtime.exceptions import catches, raised
from graphweld.runtime.logic import and_, contains, is_, is_builtin, is_not, is_self, not_, not_contains, or_
from graphweld.runtime.loops import empty_set, for_stmt, while_stmt
from graphweld.runtime.undefined import UNDEFINED, Undefined, bound

__all__ = [
    "UNDEFINED",
    "Undefined",
    "and_",
    "bound",
    "catches",
    "contains",
    "empty_set",
    "for_stmt",
    "if_exp",
    "if_stmt",
    "is_",
    "is_builtin",
    "is_not",
    "is_self",
    "not_",
    "not_contains",
    "or_",
    "raised",
    "while_stmt",
]
