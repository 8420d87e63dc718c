"""`item in items`, `items.index(item)`, `items.count(item)` where an item came out of a tensor, or is one or another.

Dynamo compares a constant with the constants in a list alone, and so would not find 1.0 in `x.tolist()`. Here it is
Python's rule: found is what is the same object as an item, or equal to one.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable

from graphweld import runtime
from graphweld.capture import sites
from graphweld.capture.data_sets import hook_sets
from graphweld.capture.grown_lists import raise_if
from graphweld.capture.predicates import as_bool, either, is_data_dependent
from graphweld.capture.variables import Tx, call, constant, is_tensor


def hook_membership() -> None:
    """Put the hook in place, once a process."""
    look = BaseListVariable.sq_contains

    def sq_contains(self: Any, tx: Any, item: VariableTracker) -> VariableTracker:
        if sites.trace_of(tx) is not None and any(map(is_data_dependent, (item, *self.items))):
            return found_among(tx, item, self.items)
        return look(self, tx, item)

    call_method = BaseListVariable.call_method

    @functools.wraps(call_method)
    def places(self: Any, tx: Any, name: str, args: list[VariableTracker], kwargs: Any) -> VariableTracker:
        if name in PLACES and args and not kwargs and sites.trace_of(tx) is not None:
            if any(is_data_dependent(vt.realize()) for vt in (*args, *self.items)):
                return PLACES[name](tx, self, *args)
        return call_method(self, tx, name, args, kwargs)

    BaseListVariable.sq_contains = sq_contains  # type: ignore[method-assign]
    BaseListVariable.call_method = places  # type: ignore[method-assign]
    hook_sets()


def index(tx: Tx, receiver: Any, item: VariableTracker, *bounds: VariableTracker) -> VariableTracker:
    """`receiver.index(item)`, or with a start, or a start and an end."""
    found = call(tx, index_of, receiver, item, *(_place(tx, receiver, bound) for bound in bounds))
    raise_if(tx, call(tx, operator.lt, found, 0), ValueError, "this is not in the list")
    return found


def _place(tx: Tx, receiver: Any, bound: VariableTracker) -> VariableTracker:
    if bound.is_python_constant() and bound.as_python_constant() >= 0:
        return bound
    return call(tx, _from_start, bound, call(tx, len, receiver))


def _from_start(bound: int, length: int) -> int:
    return runtime.if_exp(bound < 0, lambda: bound + length, lambda: bound, -1)  # type: ignore[no-any-return]


def index_of(items: Any, value: Any, *bounds: int) -> int:
    """The place of the first item between bounds that equals a value, or -1; as a loop. Traced."""

    def is_sought(at: int, found: int) -> Any:
        sought = found < 0
        for k, bound in enumerate(bounds):  # the start and the end
            sought = runtime.and_(sought, lambda k=k, bound=bound: at < bound if k else at >= bound, -1)
        return sought

    def look(item: Any, at: int, found: int) -> Any:
        is_first = runtime.and_(is_sought(at, found), lambda: item == value, -1)
        return at + 1, runtime.if_exp(is_first, lambda: at, lambda: found, -1)

    return runtime.for_stmt(items, look, (0, -1), ("at", "found"), -1, None)[1]  # type: ignore[no-any-return]


def count_of(items: Any, value: Any) -> int:
    """How many items equal a value; as a loop. Traced."""

    def look(item: Any, total: int) -> Any:
        return (runtime.if_exp(item == value, lambda: total + 1, lambda: total, -1),)

    return runtime.for_stmt(items, look, (0,), ("total",), -1, None)[0]  # type: ignore[no-any-return]


PLACES: dict[str, Callable[..., VariableTracker]] = {
    "index": index,
    "count": lambda tx, receiver, item: call(tx, count_of, receiver, item),
}


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
