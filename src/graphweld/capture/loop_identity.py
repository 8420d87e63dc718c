"""Which tensor a carry is behind a loop: the object it started as, a new one, or one that other names stand for too."""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch.fx import Proxy

from graphweld.capture import carries
from graphweld.capture.effects import contents_of
from graphweld.capture.frozen import freeze
from graphweld.capture.grown_lists import Conditional
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.pieces import pieces_of
from graphweld.capture.predicates import select_bool
from graphweld.capture.variables import (
    State,
    Tx,
    call,
    constant,
    example,
    is_same_object,
    is_tensor,
    storage_key,
)

Party = tuple[VariableTracker | Proxy | None, State, str]


def freeze_shared(tx: Tx, made: list[Party], operands: list[Party], site: int | None) -> None:
    """Refuse later changes of what shares memory in Python and does not in the graph.

    A party is a value inside of the body, what stands for it behind the loop, and the user's name for it. Operands that
    share memory with one another only are still the tensors that they were.
    """
    parties = [*made, *operands]
    places: dict[Any, list[int]] = {}
    for k, (inside, _, _) in enumerate(parties):
        for key in storages_of(inside):
            places.setdefault(key, []).append(k)
    shared = {k for ks in places.values() if len(ks) > 1 and ks[0] < len(made) for k in ks}
    group = object()
    for k in sorted(shared):
        freeze(tx, parties[k][1], "a loop", site, parties[k][2], group)


def copied_parties(
    kinds: list[carries.Carry], values: State, tensors: list[Any], behind: State, names: list[str]
) -> list[Party]:
    """The program's tensors in values that are carried as more than a tensor: None or one, a list of any length."""
    parties: list[Party] = []
    at = 0
    for carry, value, name in zip(kinds, values, names, strict=True):
        leaves = slice(at, at + len(carries.leaves(carry)))
        if None in tensors[leaves]:
            parties += [(tensor, behind[leaves], name) for tensor in tensors_within(value)]
        at = leaves.stop
    return parties


def tensors_within(vt: VariableTracker) -> State:
    """The program's tensors that a value is, or may be, or holds."""
    vt = vt.realize()
    if is_tensor(vt):
        return [vt]
    if isinstance(vt, (MergeVariable, Conditional)):
        parts = vt.alternatives() if isinstance(vt, MergeVariable) else [*vt.then, *vt.orelse]
    else:
        parts = pieces_of(vt) or contents_of(vt) or []
    parts = list(parts.values()) if isinstance(parts, dict) else parts
    return [tensor for part in parts for tensor in tensors_within(part)]


def stays(same: VariableTracker) -> bool:
    """Whether every trip leaves a carried tensor the object it was."""
    return isinstance(same, ConstantVariable) and bool(same.value)


def storages_of(value: VariableTracker | Proxy | None) -> set[Any]:
    if isinstance(value, MergeVariable):
        return set[Any]().union(*map(storages_of, value.alternatives()))
    if value is None or (isinstance(value, VariableTracker) and not is_tensor(value)):
        return set()
    fake = (value if isinstance(value, Proxy) else value.as_proxy()).node.meta["example_value"]
    return {storage_key(fake)} if isinstance(fake, torch.Tensor) else set()


def is_same(tx: Tx, vt: VariableTracker, before: VariableTracker) -> VariableTracker:
    """Whether a trip leaves a carried tensor the object it was: a predicate, or a constant."""
    if isinstance(vt, MergeVariable):
        return select_bool(tx, vt.pred, is_same(tx, vt.then, before), is_same(tx, vt.orelse, before))
    return constant(is_same_object(vt, before))


def flag_carry(tx: Tx, same: VariableTracker) -> tuple[VariableTracker, VariableTracker]:
    """A carry that tells whether every trip so far has left a tensor as it was: its input, and its next value."""
    was = carries.placeholder(tx, carries.leaves(carries.Number(bool))[0], "carry_same")
    return was, call(tx, torch.logical_and, was, same)


def or_start(same: Any, start: VariableTracker, after: VariableTracker, name: str) -> VariableTracker:
    """The tensor behind a loop, which is the start value's own object where no trip made a new one."""
    if same is True:
        return start
    if isinstance(same, ConstantVariable):
        return start if same.value else after
    differs = torch.is_grad_enabled() and example(start).requires_grad != example(after).requires_grad
    return MergeVariable(same, start, after, name, joined=after, shows_gradient=differs)
