"""Loops over known objects, trip by trip: each behind a guard where the data may have ended the loop before."""

import math
import operator
from collections.abc import Iterable
from typing import Any

import torch
from torch._dynamo import exc
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable

from graphweld.capture import iteration
from graphweld.capture.absence import settled
from graphweld.capture.conditionals import stage_if
from graphweld.capture.grown_lists import Conditional, GrownList
from graphweld.capture.predicates import select_bool, truth
from graphweld.capture.regions import assume, known
from graphweld.capture.sequences import DynamicSequence
from graphweld.capture.sites import record
from graphweld.capture.variables import State, Thunk, Tx, build, call, constant

MOST_GUARDED = 4  # trips


def unrolled(
    tx: Tx,
    iterable: VariableTracker,
    body: VariableTracker,
    state: State,
    names: Any,
    site: int,
    test: VariableTracker | None,
) -> State:
    """A loop over known objects with an exit the data may decide: each trip behind a guard."""
    goes_through = iteration.in_turn(tx, iterable)
    state, guards = _trips(tx, goes_through, body, state, names, test)
    if guards:
        iteration.spend(iterable)
    welded = bool(guards) or isinstance(iterable, GrownList)
    record(tx, site, "welded" if welded else "left", "If" if welded else None)
    return state


def most_trips(tx: Tx, length: VariableTracker) -> float:
    """The most trips that a loop of a length that the data decides can take."""
    number = getattr(length, "sym_num", None)
    upper = tx.output.shape_env.bound_sympy(number.node.expr).upper if isinstance(number, torch.SymInt) else math.inf
    return int(upper) if upper < MOST_GUARDED + 1 else math.inf


def guarded_trips(
    tx: Tx,
    sequence: DynamicSequence,
    most: float,
    body: VariableTracker,
    state: State,
    names: Any,
    site: int,
    test: VariableTracker | None,
) -> State:
    """A loop of a few trips at most, each behind a test whether there is one."""
    for k in range(int(most)):
        goes_on = truth(tx, call(tx, operator.lt, k, sequence.length))
        if test is not None and k:
            goes_on = select_bool(tx, truth(tx, test.call_function(tx, list(state), {})), goes_on, constant(False))
        values = list(state)
        merged = stage_if(
            tx,
            goes_on,
            lambda k=k, v=values: body.call_function(tx, [sequence.item(tx, constant(k)), *v], {}),  # type: ignore[misc]
            lambda v=values: build(tx, v),  # type: ignore[misc]
            names=names,
            site=site,
        )
        state = list(merged.realize().unpack_var_sequence(tx))
    return state


def _trips(
    tx: Tx,
    items: Iterable[VariableTracker | Thunk],
    body: VariableTracker,
    state: State,
    names: Any,
    test: VariableTracker | None,
) -> tuple[State, list[VariableTracker]]:
    """One trip for each item, each behind what is to hold for the loop to get there; and those predicates."""
    guards: list[VariableTracker] = []
    has_ended = False

    def trip(item: VariableTracker | Thunk, values: State) -> VariableTracker:
        nonlocal has_ended
        for guard in guards:  # a trip comes only after all those before it
            assume(tx, guard, True)
        values = [settled(tx, v) for v in values]
        if not isinstance(item, VariableTracker):
            try:
                item = item()
            except exc.ObservedUserStopIteration:
                exc.handle_observed_exception(tx)
                has_ended = True
                return build(tx, values)
        if not isinstance(item, Conditional):
            return body.call_function(tx, [item, *values], {})
        sides = (
            lambda part=part: build(tx, _trips(tx, part, body, values, names, test)[0])
            for part in (item.then, item.orelse)
        )
        return stage_if(tx, item.pred, *sides, names=names)

    for item in items:
        if guards and known(tx, guards[-1]) is False:
            break
        values = list(state)
        if guards:
            merged = stage_if(
                tx, guards[-1], lambda i=item, v=values: trip(i, v), lambda v=values: build(tx, v), names=names
            )
        else:
            merged = trip(item, values)
        state = list(merged.realize().unpack_var_sequence(tx))
        if has_ended:
            break
        if test is None:
            continue
        guard = truth(tx, test.call_function(tx, list(state), {}))
        if not isinstance(guard, ConstantVariable):
            guards.append(guard)
        elif not guard.value:
            break
    return state, guards


def call_body(tx: Tx, fn: VariableTracker, values: State) -> State:
    """One trip: the values of the loop's names behind it."""
    return list(fn.call_function(tx, list(values), {}).realize().unpack_var_sequence(tx))
