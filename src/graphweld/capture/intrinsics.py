"""The runtime's operators as the tracer answers them; None means: follow the Python."""

import builtins
import operator
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.lists import (
    RangeVariable,
)

from graphweld import runtime
from graphweld.capture import loops
from graphweld.capture.conditionals import bound, stage_if
from graphweld.capture.counters import note_tested
from graphweld.capture.data_dicts import DataDict
from graphweld.capture.data_sets import DataSet
from graphweld.capture.frozen import are_copies
from graphweld.capture.grown_lists import GrownList
from graphweld.capture.membership import found_among
from graphweld.capture.merge_variable import MergeVariable, is_bool_like
from graphweld.capture.predicates import as_bool, either, is_data_dependent, negate, predicate, select_bool
from graphweld.capture.raises import always_raises
from graphweld.capture.refusal import refuse
from graphweld.capture.sequences import (
    DynamicRange,
)
from graphweld.capture.surroundings import getenv
from graphweld.capture.variables import (
    Tx,
    build,
    call,
    constant,
    example,
    is_data_number,
    is_same_object,
    is_tensor,
    method,
)
from graphweld.diagnostics import rules

Args = list[VariableTracker]


def unpack(tx: Tx, vt: VariableTracker) -> Args:
    return list(vt.realize().unpack_var_sequence(tx))


def _decides(tx: Tx, test: VariableTracker) -> bool:
    """Whether tensor values decide a test."""
    if is_data_dependent(test):
        return True
    note_tested(tx, test)
    return False


def if_stmt(tx: Tx, args: Args) -> VariableTracker | None:
    test, then, orelse, state, names, site = args
    if not _decides(tx, test):
        return None
    values = unpack(tx, state)
    failing = tuple(side for side, fn in (("then", then), ("else", orelse)) if always_raises(fn))
    return stage_if(
        tx,
        predicate(tx, test),
        lambda: then.call_function(tx, list(values), {}),
        lambda: orelse.call_function(tx, list(values), {}),
        names=names.as_python_constant(),
        site=site.as_python_constant(),
        failing=failing,
    )


def if_exp(tx: Tx, args: Args) -> VariableTracker | None:
    test, then, orelse, site = args
    if not _decides(tx, test):
        return None
    return stage_if(
        tx,
        predicate(tx, test),
        lambda: then.call_function(tx, [], {}),
        lambda: orelse.call_function(tx, [], {}),
        site=site.as_python_constant(),
    )


def and_(tx: Tx, args: Args) -> VariableTracker | None:
    left, right, site = args
    if not _decides(tx, left):
        return None
    left = left.realize()
    return stage_if(
        tx,
        predicate(tx, left),
        lambda: right.call_function(tx, [], {}),
        lambda: constant(False) if is_bool_like(left) else left,  # so that `n > 1 and False` is False
        site=site.as_python_constant(),
    )


def or_(tx: Tx, args: Args) -> VariableTracker | None:
    left, right, site = args
    if not _decides(tx, left):
        return None
    left = left.realize()
    return stage_if(
        tx,
        predicate(tx, left),
        lambda: constant(True) if is_bool_like(left) else left,
        lambda: right.call_function(tx, [], {}),
        site=site.as_python_constant(),
    )


def not_(tx: Tx, args: Args) -> VariableTracker | None:
    value, _site = args
    if not _decides(tx, value):
        return None
    return as_bool(negate(tx, predicate(tx, value)))


def contains(tx: Tx, args: Args) -> VariableTracker | None:
    item, container, _site = (a.realize() for a in args)
    if is_tensor(container):
        return as_bool(predicate(tx, call(tx, torch.any, call(tx, operator.eq, container, item))))
    if isinstance(container, DynamicRange):
        return _in_range(tx, item, container.bounds)
    if isinstance(container, RangeVariable) and is_data_dependent(item):
        return _in_range(tx, item, container.items)
    if isinstance(container, MergeVariable):
        return container.each(tx, lambda side: call(tx, runtime.contains, item, side, _site))
    if isinstance(container, (GrownList, DataSet, DataDict)):
        return as_bool(predicate(tx, container.sq_contains(tx, item)))
    if not is_data_dependent(item):
        return None
    return found_among(tx, item, unpack(tx, container))


def _in_range(tx: Tx, item: VariableTracker, bounds: Sequence[VariableTracker]) -> VariableTracker:
    """`item in range(*bounds)`, for integers and floats; an integer tensor in a dtype that holds differences."""
    if is_tensor(item) and not example(item).is_floating_point():
        item = method(tx, item, "to", torch.int64)
    reasons = [call(tx, reason, item, *bounds) for reason in (_is_before, _is_behind, _is_between)]
    return as_bool(negate(tx, either(tx, *reasons)))


def _is_before(item: Any, start: Any, stop: Any, step: Any) -> Any:
    return not item >= (start if step > 0 else stop + 1)


def _is_behind(item: Any, start: Any, stop: Any, step: Any) -> Any:
    return not item < (stop if step > 0 else start + 1)


def _is_between(item: Any, start: Any, stop: Any, step: Any) -> Any:
    return (item - start) % step != 0


def not_contains(tx: Tx, args: Args) -> VariableTracker | None:
    answer = contains(tx, args)
    return None if answer is None else as_bool(negate(tx, predicate(tx, answer)))


def is_(tx: Tx, args: Args) -> VariableTracker | None:
    left, right = (a.realize() for a in args)
    return identity(tx, left, right, operator.is_)


def is_not(tx: Tx, args: Args) -> VariableTracker | None:
    left, right = (a.realize() for a in args)
    return identity(tx, left, right, operator.is_not)


def identity(tx: Tx, left: VariableTracker, right: VariableTracker, op: Callable[..., Any]) -> VariableTracker | None:
    if isinstance(left, MergeVariable):
        then, orelse = (predicate(tx, call(tx, op, side, right)) for side in (left.then, left.orelse))
        return as_bool(select_bool(tx, left.pred, then, orelse))
    if isinstance(right, MergeVariable):
        return identity(tx, right, left, op)
    for side, other in ((left, right), (right, left)):
        if is_data_number(side) and side.python_type() is bool:  # True and False are one object each
            return identity(tx, as_bool(predicate(tx, side)), other, op)
    if is_tensor(left) and is_tensor(right) and not is_same_object(left, right):
        tx.output.gw_asks_identity = True
        if _may_be_carried(left, right) or _may_be_carried(right, left):
            refuse(tx, rules.TypeDependsOnData("a tensor", "another one or not", "a trip of a loop asks whether it is"))
        if are_copies(tx, left, right):
            refuse(tx, rules.TypeDependsOnData("a tensor", "another one or not", "it is asked whether it is"))
    return None


def _may_be_carried(vt: VariableTracker, carry: VariableTracker) -> bool:
    """Whether a tensor may be what a loop carries: it is carried as well, or there was before the loop."""
    tensor, carried = vt.as_proxy(), carry.as_proxy()
    if "gw_carry" not in carried.node.meta:
        return False
    outside, tracers = carried.tracer.parent, []
    while outside is not None:
        tracers.append(outside)
        outside = outside.parent
    return tensor.node.op == "placeholder" or tensor.tracer in tracers


def is_builtin(tx: Tx, args: Args) -> VariableTracker | None:
    fn, name = args
    return constant(getattr(fn.realize(), "fn", None) is getattr(builtins, name.as_python_constant()))


def is_self(tx: Tx, args: Args) -> VariableTracker | None:
    fn, name, line = args
    code = getattr(fn.realize(), "get_code", lambda: None)()
    wanted = name.as_python_constant(), line.as_python_constant()
    return constant(code is not None and (code.co_name, code.co_firstlineno) == wanted)


def bound_(tx: Tx, args: Args) -> VariableTracker | None:
    return bound(tx, *args)


def while_stmt(tx: Tx, args: Args) -> VariableTracker | None:
    test, body, state, names, site = args
    after = loops.while_stmt(tx, test, body, unpack(tx, state), names.as_python_constant(), site.as_python_constant())
    return build(tx, after)


def for_stmt(tx: Tx, args: Args) -> VariableTracker | None:
    iterable, body, state, names, site, test = args
    after = loops.for_stmt(
        tx, iterable.realize(), body, unpack(tx, state), names.as_python_constant(), site.as_python_constant(), test
    )
    return None if after is None else build(tx, after)


HANDLERS: dict[Any, Callable[[Tx, Args], VariableTracker | None]] = {
    os.getenv: getenv,
    runtime.if_stmt: if_stmt,
    runtime.if_exp: if_exp,
    runtime.and_: and_,
    runtime.or_: or_,
    runtime.not_: not_,
    runtime.contains: contains,
    runtime.not_contains: not_contains,
    runtime.is_: is_,
    runtime.is_not: is_not,
    runtime.is_builtin: is_builtin,
    runtime.is_self: is_self,
    runtime.bound: bound_,
    runtime.while_stmt: while_stmt,
    runtime.for_stmt: for_stmt,
}
