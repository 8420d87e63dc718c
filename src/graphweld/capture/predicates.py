"""From any value that steers to a predicate: a 0-d bool tensor in the graph.

    x.sum()                 ->  x.sum() != 0
    x.sum().item() > 3      ->  x.sum().to(float64) > 3          (exact: what Python compares is a double)
    n.item() // 3 > 2       ->  torch.full((), n.item() // 3 > 2)
    None or x, by the data  ->  the truth of each, selected

A number that came out of a tensor is Dynamo's symbolic number; `torch.full` brings it back into the graph. Comparisons
of such a number with a constant are taken back to the tensor it came from, which saves a synchronization and lets the
branch become a select.
"""

import operator
from typing import Any

import torch
from torch._dynamo.exc import raise_observed_exception
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch.fx import Node

from graphweld.capture.data_numbers import item_source, number_tensor, proxy_variable, tensor_of
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.size_facts import note_fact
from graphweld.capture.steady_tests import steady
from graphweld.capture.variables import (
    DecidedByData,
    Tx,
    call,
    constant,
    example,
    is_data_number,
    is_tensor,
    is_undefined,
    method,
    node_of,
)

COMPARISONS = (operator.gt, operator.ge, operator.lt, operator.le, operator.eq, operator.ne)
_EXACT_INT_IN_DOUBLE = 2**53


def is_data_dependent(vt: VariableTracker) -> bool:
    """Whether a value's truth is decided by the data."""
    vt = vt.realize()
    return is_tensor(vt) or is_data_number(vt) or isinstance(vt, (MergeVariable, DecidedByData))


def predicate(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """The truth of a data-dependent value as a 0-d bool tensor, or as a constant where it is known after all.

    Raises, inside the trace, Python's own RuntimeError for a tensor of more or less than one element.
    """
    vt = vt.realize()
    if isinstance(vt, DecidedByData):
        return vt.predicate(tx)
    if isinstance(vt, MergeVariable) and vt.joined is not None:
        vt = vt.tensor(tx)
    if isinstance(vt, MergeVariable):
        return select_bool(tx, vt.pred, truth(tx, vt.then), truth(tx, vt.orelse))
    if is_tensor(vt):
        return _of_tensor(tx, vt)
    if isinstance(vt, SymNodeVariable):
        found = _of_number(tx, vt)
        if is_tensor(found):
            note_fact(found, vt.sym_num)
        return found
    return truth(tx, vt)


def truth(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """`bool(vt)`: a constant, or a 0-d bool tensor."""
    if is_data_dependent(vt):
        return predicate(tx, vt)
    if isinstance(vt, SymNodeVariable) and isinstance(vt.sym_num, torch.SymBool):
        known = vt.sym_num.node.maybe_as_bool()  # n % 1 == 0, whatever n is
        if known is not None:
            return constant(known)
    if is_undefined(vt):
        return constant(False)  # reached only on a path on which the name is never read
    return call(tx, bool, vt) if not isinstance(vt, ConstantVariable) else constant(bool(vt.value))


def select_bool(tx: Tx, pred: VariableTracker, then: VariableTracker, orelse: VariableTracker) -> VariableTracker:
    """`then if pred else orelse` for truths, in as few nodes as it takes."""
    if isinstance(pred, ConstantVariable):
        return then if pred.value else orelse
    if then is orelse:
        return then
    t, e = (v.value if isinstance(v, ConstantVariable) else None for v in (then, orelse))
    if t is not None and t == e:
        return then
    if t is True and e is False:
        return pred
    if t is False and e is True:
        return negate(tx, pred)
    if t is True:
        return call(tx, torch.logical_or, pred, orelse)
    if e is False:
        return call(tx, torch.logical_and, pred, then)
    if t is False:
        return call(tx, torch.logical_and, negate(tx, pred), orelse)
    if e is True:
        return call(tx, torch.logical_or, negate(tx, pred), then)
    return call(tx, torch.where, pred, then, orelse)


def either(tx: Tx, *values: VariableTracker) -> VariableTracker:
    """Whether one of several values is true; a connection of numbers would be one that Inductor cannot write."""
    found: VariableTracker = constant(False)
    for value in values:
        found = select_bool(tx, truth(tx, value), constant(True), found)
    return found


def as_bool(pred: VariableTracker) -> VariableTracker:
    """A Python bool whose value is a predicate."""
    if isinstance(pred, ConstantVariable):
        return pred
    return MergeVariable(pred, constant(True), constant(False))


def negate(tx: Tx, pred: VariableTracker) -> VariableTracker:
    """`not pred`, which knows what it is the opposite of, so that double negations and path conditions meet."""
    if isinstance(pred, ConstantVariable):
        return constant(not pred.value)
    original = getattr(pred, "gw_negated", None)
    if original is not None:
        return original  # type: ignore[no-any-return]
    result = call(tx, torch.logical_not, pred)
    result.gw_negated = pred  # type: ignore[attr-defined]
    return result


def _of_tensor(tx: Tx, vt: VariableTracker) -> VariableTracker:
    fake = example(vt)
    count = fake.numel()
    if isinstance(count, int) and count != 1:
        how = "no values" if count == 0 else "more than one value"
        raise_observed_exception(RuntimeError, tx, args=[f"Boolean value of Tensor with {how} is ambiguous"])
    if fake.dim() > 0:
        vt = method(tx, vt, "reshape", ())
    return steady(tx, vt) if fake.dtype is torch.bool else call(tx, operator.ne, vt, 0)


def _of_number(tx: Tx, vt: Any) -> VariableTracker:
    made = _in_tensors(tx, node_of(vt))
    if made is not None:
        return made
    if not isinstance(vt.sym_num, torch.SymBool):
        vt = SymNodeVariable.create(tx, tx.output.create_proxy("call_function", operator.ne, (vt.as_proxy(), 0), {}))
        if isinstance(vt, ConstantVariable):
            return vt
    return call(tx, torch.full, (), vt, dtype=torch.bool)


def _in_tensors(tx: Tx, node: Node) -> VariableTracker | None:
    """The tensor expression equal to a symbolic bool, or None where there is no exact one."""
    source = item_source(node)
    if source is not None:
        value = proxy_variable(tx, source)
        return _of_tensor(tx, value)
    if node.op == "call_function" and node.target in COMPARISONS and len(node.args) == 2:
        return _compared(tx, node.target, *node.args)
    return None


def compare_floats(tx: Tx, operation: Any, left: VariableTracker, right: VariableTracker) -> VariableTracker:
    """A comparison of Python numbers of which one is a float out of a tensor, as a 0-d bool tensor.

    torch's symbolic numbers are real ones: it would know that `x == x`, which is false for a NaN.
    """
    sides = [vt.value if isinstance(vt, ConstantVariable) else vt.as_proxy().node for vt in (left, right)]
    made = _compared(tx, operation, *sides)
    if made is not None:
        return made
    numbers = [vt if isinstance(vt, ConstantVariable) else number_tensor(tx, vt, float) for vt in (left, right)]
    return call(tx, operation, *numbers)


def _compared(tx: Tx, operation: Any, left: Any, right: Any) -> VariableTracker | None:
    """A comparison of numbers, as nodes or themselves, on the tensors they came from; None where that is inexact."""
    flipped = not isinstance(left, Node)
    number, other = (right, left) if flipped else (left, right)
    source = item_source(number)
    if source is None or isinstance(other, bool) or not isinstance(other, (int, float)):
        return _comparison(tx, operation, left, right)
    fake = source.meta["example_value"]
    is_float = fake.dtype.is_floating_point
    if is_float:
        if isinstance(other, int) and abs(other) > _EXACT_INT_IN_DOUBLE:
            return None
    elif fake.dtype is torch.bool or not isinstance(other, int) or not -(2**63) <= other < 2**63:
        return None
    value = proxy_variable(tx, source)
    if is_float and not (fake.dtype is torch.float64 or _survives(other, fake.dtype)):
        value = method(tx, value, "to", torch.float64)
    elif not is_float and fake.dtype is not torch.int64:
        value = method(tx, value, "to", torch.int64)
    if fake.dim():
        value = method(tx, value, "reshape", ())
    args = (other, value) if flipped else (value, other)
    return call(tx, operation, *args)


def _comparison(tx: Tx, operation: Any, *sides: Any) -> VariableTracker | None:
    """A comparison of two numbers of one kind, in int64 or float64."""
    numbers = [a.meta.get("example_value") if isinstance(a, Node) else a for a in sides]
    for kind, symbolic in ((int, torch.SymInt), (float, torch.SymFloat)):
        if all(type(n) is kind or isinstance(n, symbolic) for n in numbers):
            parts = [tensor_of(tx, a, kind) if isinstance(a, Node) else a for a in sides]
            return None if any(p is None for p in parts) else call(tx, operation, *parts)
    return None


def _survives(number: float, dtype: torch.dtype) -> bool:
    """Whether a number is the same in a narrower float type, so that the comparison needs no cast."""
    return torch.tensor(number, dtype=dtype).item() == number
