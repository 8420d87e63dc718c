"""Containers that hold a tensor which a loop makes longer: their parts are carried by themselves.

    kw = {"mask": mask}                                       mask_1 = mask
    while ...:                                        ->      while ...:
        kw["mask"] = cat([kw["mask"], one], -1)                   mask_1 = cat([mask_1, one], -1)

So are attributes and entries that trips change. `growing_tensors` does the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphweld.capture import carries, outer_state
from graphweld.capture.carries import Carry, Pieces
from graphweld.capture.growing_tensors import is_longer
from graphweld.capture.pieces import pieces_of
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region
from graphweld.capture.variables import State, Tx, is_tensor, node_of
from graphweld.diagnostics import rules

Step = Callable[[State], tuple[State, Any]]


@dataclass(frozen=True, slots=True)
class Opened:
    """The loop with these parts among its carries: of `containers`, by their place, and at the `keys` of objects."""

    tx: Tx
    old_state: State
    old_names: tuple[str, ...]
    containers: dict[int, Pieces]
    keys: list[outer_state.Key]

    @classmethod
    def of(
        cls,
        tx: Tx,
        types: list[Carry],
        inputs: State,
        after: State,
        region: Region,
        state: State,
        names: tuple[str, ...],
    ) -> "Opened | None":
        containers, leaf = {}, 0
        for k, carry in enumerate(types):
            if isinstance(carry, Pieces) and _holds_longer(carry, inputs[leaf:], after[k].realize()):
                containers[k] = carry
            leaf += len(carries.leaves(carry))
        keys = [key for key in outer_state.changed_keys(tx, region) if _is_longer(tx, region, key)]
        return cls(tx, state, names, containers, keys) if containers or keys else None

    @property
    def state(self) -> State:
        parts = [part for k in self.containers for part in pieces_of(self.old_state[k].realize()) or ()]
        return [*self._others(self.old_state), *parts, *(outer_state.before(self.tx, key) for key in self.keys)]

    @property
    def names(self) -> tuple[str, ...]:
        parts = [f"{self.old_names[k]}[{i}]" for k, c in self.containers.items() for i, _ in enumerate(c.parts)]
        return (*self._others(self.old_names), *parts, *map(outer_state.name_of, self.keys))

    def step(self, step: Step) -> Step:
        def run(values: State) -> tuple[State, Any]:
            entered = [outer_state.before(self.tx, key) for key in self.keys]
            after, goes_on = step(self.behind(values))
            left = [
                *self._others(after),
                *(part for k in self.containers for part in self._parts(k, after[k].realize())),
            ]
            for key, was in zip(self.keys, entered, strict=True):
                left.append(outer_state.before(self.tx, key))
                outer_state.write(self.tx, key, was)
            return left, goes_on

        return run

    def behind(self, values: State) -> State:
        """The state of the loop, put together and written where it belongs."""
        rest = iter(values)
        others = [next(rest) for _ in range(len(self.old_state) - len(self.containers))]
        made = {k: carries.rebuilt(self.tx, c.like, [next(rest) for _ in c.parts]) for k, c in self.containers.items()}
        for key in self.keys:
            outer_state.write(self.tx, key, next(rest))
        left = iter(others)
        return [made[k] if k in made else next(left) for k in range(len(self.old_state))]

    def _others(self, values: Any) -> list[Any]:
        return [value for k, value in enumerate(values) if k not in self.containers]

    def _parts(self, k: int, vt: Any) -> list[Any]:
        if not carries.conforms_in_shape(self.containers[k], vt):
            refuse(self.tx, rules.CarryChanges(self.old_names[k], "one set of parts", "another", "structure"))
        return pieces_of(vt) or []


def _holds_longer(carry: Pieces, inputs: State, vt: Any) -> bool:
    if not carries.conforms_in_shape(carry, vt):
        return False
    leaf = 0
    for part, after in zip(carry.parts, pieces_of(vt) or (), strict=True):
        given, after = inputs[leaf:], after.realize()
        if isinstance(part, carries.Tensor) and is_longer(node_of(given[0]), after):
            return True
        if isinstance(part, Pieces) and _holds_longer(part, given, after):
            return True
        leaf += len(carries.leaves(part))
    return False


def _is_longer(tx: Tx, region: Region, key: outer_state.Key) -> bool:
    start = outer_state.before(tx, key).realize()
    inside = {outer.node: inner.node for outer, inner in region.operands().items()}
    given = inside.get(node_of(start)) if is_tensor(start) else None
    return given is not None and is_longer(given, outer_state.after(tx, region, key).realize())
