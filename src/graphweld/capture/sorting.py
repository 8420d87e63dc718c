"""`list.sort` and `sorted` where the data decides the order of a known number of items.

beams.sort(key=lambda beam: beam.score)     neighbours change places where their keys are in the wrong order

That is a stable sort, as Python's is. With a NaN among the keys the order is that of Python's own way of sorting, so
the call ends there, and runs as plain Python.
"""

import operator
from collections.abc import Sequence
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable

from graphweld import runtime
from graphweld.capture.grown_lists import new
from graphweld.capture.predicates import is_data_dependent, predicate
from graphweld.capture.raises import emit_raise
from graphweld.capture.variables import State, Tx, call, constant, example, is_tensor

MOST_ITEMS = 16  # the exchanges are half their square


def sort(tx: Tx, receiver: Any, kwargs: dict[str, VariableTracker]) -> bool:
    """Sort a list of Dynamo's; False where its keys are nothing that the data decides."""
    key, is_reversed = (kwargs.get(name, constant(default)) for name, default in (("key", None), ("reverse", False)))
    items = [item.realize() for item in receiver.items]
    has_key = not (isinstance(key, ConstantVariable) and key.value is None)
    if not set(kwargs) <= {"key", "reverse"} or not isinstance(is_reversed, ConstantVariable) or len(items) < 2:
        return False
    if len(items) > MOST_ITEMS or not (has_key or any(map(_is_of_data, items))):
        return False
    keys = [key.call_function(tx, [item], {}).realize() for item in items] if has_key else items
    if not any(map(_is_of_data, keys)) or not all(map(_is_number, keys)):
        return False  # a key that is called again changes nothing: torch sorts by constants, or stops
    for k in filter(_may_be_nan, keys):
        emit_raise(tx, predicate(tx, call(tx, operator.ne, k, k)), "an exception, for a NaN among what is sorted,")
    ordered = call(tx, in_order, new(items), new(keys), is_reversed)
    tx.output.side_effects.mutation(receiver)
    receiver.items[:] = ordered.items  # type: ignore[attr-defined]
    return True


def of_rows(tx: Tx, args: State, kwargs: dict[str, VariableTracker]) -> VariableTracker:
    """`sorted(tensor)`: its rows."""
    return BuiltinVariable(sorted).call_function(tx, [new(args[0].unpack_var_sequence(tx)), *args[1:]], kwargs)


def in_order(items: Sequence[Any], keys: Sequence[Any], is_reversed: bool) -> list[Any]:
    """The items, by their keys. Traced."""
    items, keys = list(items), list(keys)
    for i in range(1, len(items)):
        for j in range(i, 0, -1):
            a, b, x, y = keys[j - 1], keys[j], items[j - 1], items[j]
            is_wrong = a < b if is_reversed else b < a
            keys[j - 1], keys[j], items[j - 1], items[j] = runtime.if_exp(
                is_wrong,
                lambda: (b, a, y, x),  # noqa: B023 - called at once
                lambda: (a, b, x, y),  # noqa: B023
                -1,
            )
    return items


def _is_of_data(vt: VariableTracker) -> bool:
    return is_data_dependent(vt) or (is_tensor(vt) and all(isinstance(n, int) and n == 1 for n in example(vt).shape))


def _is_number(vt: VariableTracker) -> bool:
    return _is_of_data(vt) or (isinstance(vt, ConstantVariable) and type(vt.value) in (int, float, bool))


def _may_be_nan(vt: VariableTracker) -> bool:
    if is_tensor(vt):
        return example(vt).is_floating_point()
    return not isinstance(vt, ConstantVariable) and vt.python_type() is float
