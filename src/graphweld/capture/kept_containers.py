"""Lists, dicts and sets that a trip changes in place and assigns to their own name: no carries, but those objects.

    for i in range(n):                        for i in range(n):
        out += [x * i]              =             out.extend([x * i])

To Python an augmented assignment is an assignment, so the loop's state has the name.
"""

import dis
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import ListVariable
from torch._dynamo.variables.sets import SetVariable

from graphweld.capture.grown_lists import GrownList
from graphweld.capture.variables import State

T = TypeVar("T")
Step = Callable[[State], tuple[State, VariableTracker]]


class ReplacedError(Exception):
    """A trip puts another object in the place of a container that was to stay."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The containers of a loop's state that are taken for the same object on all trips, by their place."""

    places: dict[int, VariableTracker]

    @classmethod
    def of(cls, state: State, names: tuple[str, ...], body: VariableTracker) -> "Kept":
        code = getattr(body, "get_code", lambda: None)()
        changed = set(_augmented(code)) if code is not None else set()
        found = {k: vt.realize() for k, (vt, name) in enumerate(zip(state, names, strict=True)) if name in changed}
        kinds = (ListVariable, GrownList, ConstDictVariable, SetVariable)
        return cls({k: vt for k, vt in found.items() if isinstance(vt, kinds)})

    def without(self, values: Sequence[T]) -> list[T]:
        return [value for k, value in enumerate(values) if k not in self.places]

    def put_back(self, values: State) -> State:
        values = list(values)
        for k, vt in self.places.items():  # from the first
            values.insert(k, vt)
        return values

    def step(self, step: Step) -> Step:
        """The trip of a loop whose state is without them.

        Raises:
            ReplacedError: one of them is another object behind the trip.
        """

        def run(values: State) -> tuple[State, VariableTracker]:
            after, goes_on = step(self.put_back(values))
            if any(after[k].realize() is not vt for k, vt in self.places.items()):
                raise ReplacedError
            return self.without(after), goes_on

        return run


def _augmented(code: types.CodeType) -> Iterator[str]:
    """The names to which a function, or one in it, assigns what an operator such as `+=` gives."""
    before = ""
    for instruction in dis.get_instructions(code):
        if before and instruction.opname.startswith("STORE"):
            yield instruction.argval
        is_augmented = instruction.opname == "BINARY_OP" and instruction.argrepr.endswith("=")
        before = instruction.opname if is_augmented or instruction.opname.startswith("INPLACE") else ""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _augmented(inner)
