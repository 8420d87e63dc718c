"""Objects that must not be changed any more, because the graph holds a copy of them that stands for the same object.

    for i in range(n):
        out.append(x)        rows of the graph are copies of x
    x.add_(1)                in Python changes every item of `out`: refused

A change is seen at the end of the trace, by a tensor's version, or by what a container holds.
"""

from collections.abc import Iterable
from typing import Any

from torch._dynamo.variables.base import VariableTracker

from graphweld.capture.effects import contents_of
from graphweld.capture.refusal import Refusal, refusal
from graphweld.capture.variables import Tx, example, is_tensor, storage_key
from graphweld.diagnostics import rules


def freeze(
    tx: Tx,
    values: Iterable[VariableTracker],
    region: str,
    site: int | None,
    name: str = "a value",
    group: object = None,
) -> None:
    """Refuse the program if one of these tensors, lists or dicts is changed from here on. `name` is the user's.

    These may be one object, and so may those that are frozen with the same `group`.
    """
    if not hasattr(tx.output, "gw_frozen"):
        tx.output.gw_frozen = []  # type: ignore[attr-defined]
    frozen: list[tuple[VariableTracker, Any, Refusal]] = tx.output.gw_frozen  # type: ignore[attr-defined]
    reason = refusal(tx, rules.RegionMutates(name, region, is_copied=True), site)
    reason.gw_group = group or reason  # type: ignore[attr-defined]
    frozen.extend((vt, state_of(tx, vt), reason) for vt in values)


def hand_on(
    tx: Tx, inside: Iterable[set[Any]], outside: Iterable[VariableTracker], changed: Iterable[int] = ()
) -> None:
    """Freeze what stands outside of a region for what is frozen inside of it.

    `inside` are the storages of each value. At `changed` are those that the next trip of a loop changes in place.
    """
    frozen = getattr(tx.output, "gw_frozen", [])
    reasons = {storage_key(example(vt)): reason for vt, _, reason in frozen if is_tensor(vt)}
    for k, (keys, vt) in enumerate(zip(inside, outside, strict=True)):
        reason = next((reasons[key] for key in keys if key in reasons), None)
        if reason is None:
            continue
        if k in changed:
            raise reason
        frozen.append((vt, state_of(tx, vt), reason))


def refuse_change_of(tx: Tx, memory: Any) -> None:
    """Refuse where a tensor of this memory is frozen, which a further trip of a loop changes."""
    for vt, _, reason in getattr(tx.output, "gw_frozen", ()):
        if is_tensor(vt) and storage_key(example(vt)) == memory:
            raise reason


def are_copies(tx: Tx, left: VariableTracker, right: VariableTracker) -> bool:
    """Whether two tensors may be one in Python, of which the graph has copies."""
    groups: list[set[int]] = []
    for tensor in (left, right):
        memory, frozen = storage_key(example(tensor)), getattr(tx.output, "gw_frozen", ())
        of_it = [why for vt, _, why in frozen if is_tensor(vt) and storage_key(example(vt)) == memory]
        groups.append({id(why.gw_group) for why in of_it})
    return not groups[0].isdisjoint(groups[1])


def refuse_changes(tx: Tx) -> None:
    """Called at the end of a trace."""
    for vt, before, reason in getattr(tx.output, "gw_frozen", ()):
        if has_changed(tx, vt, before):
            raise reason


def has_changed(tx: Tx, vt: VariableTracker, before: Any) -> bool:
    """Whether a tensor or a container was changed in place since `state_of` it was `before`."""
    now = state_of(tx, vt)
    same = type(now) is type(before) and len(now) == len(before) and _items(now) == _items(before)
    return now is not before and not same


def state_of(tx: Tx, vt: VariableTracker) -> Any:
    """The version of a tensor, or what a container holds."""
    if is_tensor(vt):
        return [example(vt)._version]
    held = contents_of(vt)
    return dict(tx.output.side_effects.store_attr_mutations.get(vt, {})) if held is None else held


def _items(held: Any) -> list[Any]:
    values = held.items() if isinstance(held, dict) else enumerate(held)
    return [(key, value if isinstance(value, int) else id(value)) for key, value in values]
