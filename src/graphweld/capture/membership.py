"""`item in items` where an item came out of a tensor, or is one thing or another.

Dynamo compares a constant with the constants in a list alone, and so would not find 1.0 in `x.tolist()`. Here it is
Python's rule: found is what is the same object as an item, or equal to one.
"""

import operator
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable

from graphweld.capture import sites
from graphweld.capture.predicates import as_bool, either, is_data_dependent
from graphweld.capture.variables import Tx, call, constant, is_tensor


def hook_membership() -> None:
    """Put the hook in place, once a process."""
    look = BaseListVariable.sq_contains

    def sq_contains(self: Any, tx: Any, item: VariableTracker) -> VariableTracker:
        if sites.trace_of(tx) is not None and any(map(is_data_dependent, (item, *self.items))):
            return found_among(tx, item, self.items)
        return look(self, tx, item)

    BaseListVariable.sq_contains = sq_contains  # type: ignore[method-assign]


def found_among(tx: Tx, item: VariableTracker, entries: list[VariableTracker]) -> VariableTracker:
    """Whether an item is among entries, as a Python bool."""
    item = item.realize()
    matches = [_is_or_equals(tx, entry.realize(), item) for entry in entries]
    if any(isinstance(match, ConstantVariable) and match.value is True for match in matches):
        return constant(True)
    return as_bool(either(tx, *matches))


def _is_or_equals(tx: Tx, entry: VariableTracker, item: VariableTracker) -> VariableTracker:
    if entry is item or (is_tensor(entry) and is_tensor(item) and entry.as_proxy().node is item.as_proxy().node):
        return constant(True)
    return call(tx, operator.eq, entry, item)
