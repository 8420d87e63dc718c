"""Tensors that a loop makes longer by `torch.cat`: appends to a list in disguise.

for row in rows:                       parts = []
    y = torch.cat([y, f(row)])    ->   for row in rows: parts.append(f(row))
                                       y = torch.cat([y, *parts])

Where a trip reads the tensor as well, it puts it together from the parts so far, which the loop then carries whole.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import torch
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable, ListVariable
from torch.fx import Node

from graphweld.capture import carries, list_operations
from graphweld.capture.carries import Carry
from graphweld.capture.data_numbers import proxy_variable
from graphweld.capture.effects import contents_of, is_same_contents
from graphweld.capture.frozen import freeze
from graphweld.capture.grown_lists import new
from graphweld.capture.refusal import refuse
from graphweld.capture.variables import State, Tx, constant, is_tensor, method, node_of
from graphweld.diagnostics import rules

T = TypeVar("T")


class Growing(VariableTracker):
    """In the body of the loop: the tensor, to which `parts` was appended; the latest one while nothing was since."""

    _nonvar_fields = {"name", "dim", *VariableTracker._nonvar_fields}

    def __init__(self, parts: VariableTracker, dim: int, name: str, **kw: Any) -> None:
        super().__init__(**kw)
        self.parts, self.dim, self.name, self.held = parts, dim, name, contents_of(parts)

    def is_latest(self) -> bool:
        return is_same_contents(self.held, contents_of(self.parts))

    def give_up(self, *_: Any, **__: Any) -> NoReturn:
        from graphweld.capture.dynamo import current_tx

        refuse(current_tx(), rules.CarryChanges(self.name, "one size", "a larger one", "size"))

    python_type = as_proxy = var_getattr = call_method = reconstruct = give_up  # type: ignore[assignment]


def find(types: list[Carry], inputs: State, after: State, are_read: bool) -> dict[int, int]:
    """Carries that a trip appends to, and along which dimension; with `are_read`, those that it reads as well."""
    found: dict[int, int] = {}
    leaf = 0
    for k, carry in enumerate(types):
        vt = after[k].realize()
        if isinstance(carry, carries.Tensor) and is_tensor(vt):
            appended = _appended(node_of(inputs[leaf]), node_of(vt), are_read)
            found |= {} if appended is None else {k: appended[0]}
        leaf += len(carries.leaves(carry))
    return found


def is_longer(given: Node, after: VariableTracker) -> bool:
    """Whether a value is a tensor of the trip's beginning, and more."""
    return is_tensor(after) and node_of(after) is not given and _appended(given, node_of(after), True) is not None


def _appended(given: Node, node: Node, is_read: bool) -> tuple[int, list[Node]] | None:
    """The chain of `torch.cat` that leads from one node to another, and to nothing else unless `is_read`.

    Told as the dimension, and what is appended in all.
    """
    dims, parts = set(), list[Node]()
    while node is not given:
        if node.op != "call_function" or node.target is not torch.cat or not node.args or not node.args[0]:
            return None
        dims.add(node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0))
        first, *rest = node.args[0]  # type: ignore[misc]
        if not isinstance(first, Node) or not (is_read or list(first.users) == [node]):
            return None
        parts = [*rest, *parts]  # type: ignore[list-item]
        node = first
    return (dims.pop(), parts) if len(dims) == 1 and all(isinstance(dim, int) for dim in dims) else None  # type: ignore[return-value]


def cat(tx: Tx, fn: Any, args: State, kwargs: dict[str, VariableTracker]) -> VariableTracker | None:
    """`torch.cat` that appends to such a tensor; None for any other call."""
    parts = args[0].realize() if args else None
    if fn is not torch.cat or not isinstance(parts, BaseListVariable) or not parts.items:
        return None
    growing = parts.items[0].realize()
    if not isinstance(growing, Growing):
        return None
    dim = args[1] if len(args) > 1 else kwargs.get("dim", constant(0))
    if not (isinstance(dim, ConstantVariable) and dim.value == growing.dim and growing.is_latest()):
        growing.give_up()
    for part in parts.items[1:]:
        method(tx, growing.parts, "append", part)
    return Growing(growing.parts, growing.dim, growing.name)


class Appends:
    """The loop without these tensors among its carries, and with a list for each."""

    def __init__(
        self,
        tx: Tx,
        types: list[Carry],
        inputs: State,
        after: State,
        state: State,
        names: tuple[str, ...],
        are_read: bool = False,
    ) -> None:
        self.tx, self.state, self.names, self.are_read = tx, state, names, are_read
        self.dims = find(types, inputs, after, are_read)
        self.parts = {k: ListVariable([], mutation_type=ValueMutationNew()) for k in self.dims}

    def without(self, values: Sequence[T]) -> tuple[T, ...]:
        return tuple(value for k, value in enumerate(values) if k not in self.dims)

    def step(self, step: Callable[[State], tuple[State, VariableTracker]]) -> Any:
        """A trip of the loop that is left."""

        def run_reading(values: State) -> tuple[State, VariableTracker]:
            wholes = {k: self._made(k) for k in self.parts}
            after, goes_on = step(self._with(values, wholes))
            for k, whole in wholes.items():
                self._append(k, whole, after[k].realize())
            return list(self.without(after)), goes_on

        def run(values: State) -> tuple[State, VariableTracker]:
            growing = {k: Growing(parts, self.dims[k], self.names[k]) for k, parts in self.parts.items()}
            after, goes_on = step(self._with(values, growing))
            for k, before in growing.items():
                vt = after[k].realize()
                if not (isinstance(vt, Growing) and vt.parts is self.parts[k] and vt.is_latest()):
                    before.give_up()
            return list(self.without(after)), goes_on

        return run_reading if self.are_read else run

    def behind(self, values: State) -> State:
        """The state behind the loop, whose other values are these."""
        return self._with(values, {k: self._whole(k) for k in self.dims})

    def _with(self, values: State, others: Mapping[int, VariableTracker]) -> State:
        rest = iter(values)
        return [others[k] if k in others else next(rest) for k in range(len(self.state))]

    def _whole(self, k: int) -> VariableTracker:
        start, made = self.state[k], self._made(k)
        freeze(self.tx, [start, made], "a loop", None, self.names[k])  # with no trip, they are one tensor in Python
        return made

    def _made(self, k: int) -> VariableTracker:
        """The tensor, of what it starts as and what was appended so far."""
        return list_operations.cat(self.tx, new([self.state[k], *self.parts[k].items]), constant(self.dims[k]))

    def _append(self, k: int, whole: VariableTracker, after: VariableTracker) -> None:
        """Note what a trip has made longer."""
        found = _appended(node_of(whole), node_of(after), True) if is_tensor(after) else None
        if found is None or found[0] != self.dims[k]:
            refuse(self.tx, rules.CarryChanges(self.names[k], "one size", "a larger one", "size"))
        freeze(self.tx, [whole], "a loop", None, self.names[k])
        for node in found[1]:
            method(self.tx, self.parts[k], "append", proxy_variable(self.tx, node))
