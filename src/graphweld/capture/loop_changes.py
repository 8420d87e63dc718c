"""Carried tensors that the body of a loop changes in place.

    y = x                             the first trip changes x itself, the ones after it a tensor of the trip before:
    for _ in range(n):                carried are y, and what x holds; behind the loop, x gets that
        y.add_(1)
        y = y * 2

The body works on a copy of what enters a trip. While two names stand for one such tensor it is refused, as each carry
has memory of its own.
"""

from typing import Any, NoReturn

import torch
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture import carries
from graphweld.capture.carries import Carry, Fixed, Tensor
from graphweld.capture.frozen import refuse_change_of
from graphweld.capture.loop_identity import storages_of
from graphweld.capture.operands import work_on_copy
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region, changed_placeholders
from graphweld.capture.selects import emit_select
from graphweld.capture.variables import State, Tx, call, constant, example, is_tensor, method, proxies_in, storage_key
from graphweld.diagnostics import rules

RETURNED = "gw_returned"  # names of what a `return` in the loop returns
Flags = dict[int, tuple[VariableTracker, VariableTracker]]


class Changes:
    """Which of a body's inputs it changes in place, and what becomes of the tensors they start as."""

    def __init__(self, tx: Tx, region: Region, inputs: State, kinds: list[Carry], names: tuple[str, ...]) -> None:
        self.tx, self.region, self.inputs, self.kinds, self.names = tx, region, inputs, kinds, names
        self.owners = [k for k, carry in enumerate(kinds) for _ in carries.leaves(carry)]  # the value of each input
        changed = changed_placeholders(region)
        self.indices = [k for k, vt in enumerate(inputs) if vt.as_proxy().node in changed]
        self.originals: dict[int, VariableTracker] = {}  # a carry for the start's own memory, where it is left

    def refuse_aliases(
        self, starts: State, began: list[Any], after: State, rows: State, objects: list[Any], left: State
    ) -> None:
        """Refuse where a changed tensor is known by another name as well.

        `began` and `objects` are the program's own tensors among what is carried into the first trip and out of each,
        `left` all that a trip leaves.
        """
        pairs = zip(self.kinds, left, strict=True)
        held = [set() if isinstance(carry, Fixed) else _memory_in(vt) for carry, vt in pairs]  # a Fixed is itself
        operands = [outer.node.meta["example_value"] for outer in self.region.operands()]
        inner = [proxy.node.meta["example_value"] for proxy in self.region.operands().values()]
        outside = {storage_key(fake) for fake in operands if isinstance(fake, torch.Tensor)}
        for k in self.indices:
            others_began = map(storages_of, [*began[:k], *began[k + 1 :]])
            if k < len(began) and storages_of(began[k]) & outside.union(*others_began):
                self._refuse()
            for own, others in (
                (starts, [*starts[:k], *starts[k + 1 :]]),
                (after, [*after[:k], *after[k + 1 :], *rows]),
            ):
                fakes = [*map(example, others), *(operands if own is starts else inner)]
                self._refuse_shared([own[k]], fakes)
            names = {storage_key(example(vt)) for vt in [*self.inputs[:k], *self.inputs[k + 1 :]]}
            if k < len(objects) and storages_of(objects[k]) & names:  # which the next trip changes under this name
                self._refuse()
            if k < len(objects) and self._is_kept_elsewhere(k, objects[k], held):
                self._refuse()
        for outer, placeholder in self.region.mutated.items():
            self._refuse_shared(starts, [outer.node.meta["example_value"]])
            if storage_key(outer.node.meta["example_value"]) in set[Any]().union(*map(storages_of, began)):
                self._refuse()  # one of two tensors that a name may stand for
            self._refuse_shared([*after, *rows], [placeholder.node.meta["example_value"]])
            memory = storage_key(placeholder.node.meta["example_value"])
            refuse_change_of(self.tx, memory)
            if memory in set[Any]().union(*held):
                self._refuse()

    def _is_kept_elsewhere(self, k: int, now: Any, held: list[set[Any]]) -> bool:
        """Whether a tensor that the next trip may change is known by another name then; no trip follows a `return`."""
        memory = storage_key(example(self.inputs[k]))
        returned = [j for j, name in enumerate(self.names) if name.startswith(RETURNED)]
        others = [keys for j, keys in enumerate(held) if j != self.owners[k] and j not in returned]
        return any(memory in keys for keys in others) and (now is None or memory in storages_of(now))

    def _refuse_shared(self, values: State, fakes: list[Any]) -> None:
        keys = {storage_key(fake) for fake in fakes if isinstance(fake, torch.Tensor)}
        if any(storage_key(example(vt)) in keys for vt in values):
            self._refuse()

    def _refuse(self) -> NoReturn:
        refuse(self.tx, rules.RegionMutates("a tensor that is used under two names", "a loop"))

    def leave(self, kept: dict[int, Any], flags: Flags) -> State:
        """In the body: what it gives out for the tensors that it may have left behind. Adds to `flags`."""
        outs = []
        for k in self.indices:
            same = kept.get(k, constant(False))
            if not is_tensor(same) and same.value:
                continue
            if k not in flags:
                was = carries.placeholder(self.tx, carries.leaves(carries.Number(bool))[0], "carry_same")
                flags[k] = (was, call(self.tx, torch.full, (), False))
            fake = example(self.inputs[k])
            self.originals[k] = carries.placeholder(self.tx, Tensor(fake, fake.requires_grad), "carry_start")
            outs.append(emit_select(self.tx, flags[k][0], self.inputs[k], self.originals[k]))
        return outs

    def close(self) -> None:
        """Have the body work on copies; what it gives out is settled."""
        for k in self.indices:
            work_on_copy(self.region, self.inputs[k].as_proxy().node)

    def write_back(self, began: list[Any], results: State, originals: State) -> None:
        """Behind the loop: the tensors that its carries started as hold what the trips made of them."""
        left = dict(zip(self.originals, originals, strict=True))
        for k in self.indices:
            if began[k] is None:
                refuse(self.tx, rules.RegionMutates("a value that is a tensor on some trips only", "a loop"))
            method(self.tx, began[k], "copy_", left.get(k, results[k]))


def _memory_in(vt: VariableTracker) -> set[Any]:
    """The memory of all tensors that a value holds."""
    fakes = [proxy.node.meta.get("example_value") for proxy in proxies_in(vt)]
    return {storage_key(fake) for fake in fakes if isinstance(fake, torch.Tensor)}
