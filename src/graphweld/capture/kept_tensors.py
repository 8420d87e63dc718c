"""What a program keeps in its own objects that is None in one call and a tensor, or a number, in another.

    if self.cache is None or far(x, self.cache):        one graph, for the first call and for all later ones
        self.cache = x * 2

`counters` finds such places. Each is two inputs of the graph: whether there is a tensor; and the tensor, or zeros that
nobody reads. A guard holds the place to None and what is of one kind.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.guards import GuardManagerType, install_guard
from torch._dynamo.source import ChainedSource
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import GraphArg, VariableBuilder, wrap_to_fake_tensor_and_record
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import Node

from graphweld.capture.merge_variable import MergeVariable, is_none
from graphweld.capture.raises import changed_inputs
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import (
    Tx,
    constant,
    example,
    existing,
    in_outermost_graph,
    is_number,
    is_tensor,
    method,
    node_of,
)
from graphweld.runtime import kept


@dataclass(frozen=True)
class Kind:
    """What the tensors of one place have in common, or the numbers: `number` is their type."""

    shape: tuple[int, ...] = (1,)  # of a number as well: torch takes what has none for a size, and guards on it
    stride: tuple[int, ...] = (1,)
    dtype: torch.dtype = torch.float64
    device: str = "cpu"
    number: type | None = None

    def holds(self, value: object) -> bool:
        return kind_of(value) == self

    def allows(self, value: object) -> bool:
        return value is None or self.holds(value)


_DTYPES: dict[type, torch.dtype] = {bool: torch.bool, int: torch.int64, float: torch.float64}
NUMBERS = {kind: Kind(dtype=dtype, number=kind) for kind, dtype in _DTYPES.items()}


def kind_of(value: object) -> Kind | None:
    """The kind of a number, or of a plain tensor of known sizes that needs no gradient."""
    if type(value) in NUMBERS:
        return NUMBERS[type(value)] if isinstance(value, float) or -(2**63) <= value < 2**63 else None  # type: ignore[operator]
    is_plain = type(value) in (torch.Tensor, FakeTensor)
    if not is_plain or value.requires_grad or value.layout is not torch.strided:  # type: ignore[attr-defined]
        return None
    shape, stride = tuple(value.shape), tuple(value.stride())  # type: ignore[attr-defined]
    if not all(type(n) is int for n in (*shape, *stride)):
        return None
    return Kind(shape, stride, value.dtype, str(value.device))  # type: ignore[attr-defined]


def kept_kind(before: object, after: VariableTracker) -> Kind | None:
    """The kind of what is in a place where a trace found `before` and left `after`: None is among the two."""
    left = after.alternatives() if isinstance(after, MergeVariable) else [after]
    there = [vt for vt in left if not is_none(vt)]
    if before is not None and len(there) == len(left):
        return None
    kinds = {_kind_of_variable(vt) for vt in there} | ({kind_of(before)} if before is not None else set())
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of_variable(vt: VariableTracker) -> Kind | None:
    if is_number(vt):
        return NUMBERS.get(vt.python_type())
    return kind_of(example(vt)) if is_tensor(vt) else None


@dataclass(frozen=True)
class _Kept(ChainedSource):
    """What the graph is given for a place: `function` of `runtime.kept`, called with what is there."""

    function: str
    kind: Kind

    @property
    def _name_template(self) -> str:
        return f"{self.function}({{0}})"

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from(kept.__name__, self.function))
        codegen(self.base)
        codegen.append_output(codegen.create_load_const_unchecked(self.kind))
        codegen.extend_output(create_call_function(2, False))


def none_or_kept(builder: VariableBuilder, value: Any, kind: Kind) -> VariableTracker:
    """What is in a place, as a value that is None or not as each call has it."""
    tx, source = builder.tx, builder.source
    install_guard(source.make_guard(functools.partial(_guard, kind=kind, allows=kind.allows)))
    there = _input(builder, kept.is_there, kind, value)
    found = _input(builder, kept.tensor_or_zeros, kind, value)
    if kind.number:
        found = _item(tx, found)
    else:
        found.source = source
        if value is not None:
            found = tx.output.side_effects.track_object_existing(value, found)
    part = getattr(source, "member", getattr(source, "index", ""))
    return MergeVariable(there, found, constant(None), str(part))


def number_input(builder: VariableBuilder, value: float) -> VariableTracker:
    """A number as an input, and of the data. Torch's own is a constant if it is infinite, or for AOTAutograd."""
    known: dict[str, Any] = builder.tx.output.unspec_variable_map
    if builder.name not in known:
        kind = NUMBERS[type(value)]
        install_guard(builder.source.make_guard(functools.partial(_guard, kind=kind, allows=kind.holds)))
        known[builder.name] = _item(builder.tx, _input(builder, kept.tensor_or_zeros, kind, value))
    return known[builder.name]  # type: ignore[no-any-return]


def _item(tx: Tx, tensor: VariableTracker) -> VariableTracker:
    with in_outermost_graph(tx):
        return method(tx, tensor, "item")


def note_test(tx: Tx, pred: VariableTracker | None = None) -> None:
    """Remember that a site, with the test `pred` if it has one, asks for more than whether a place has a tensor."""
    trace = trace_of(tx)
    if trace is not None and (pred is None or not _is_presence(node_of(pred))):
        trace.tests_data = True


def _is_presence(node: Node) -> bool:
    fake = node.meta["example_value"]
    if node.target in (torch.logical_not, torch.logical_and, torch.logical_or, "reshape"):
        fake.gw_presence = all(_is_presence(arg) for arg in node.all_input_nodes)
    return getattr(fake, "gw_presence", False)


def _input(builder: VariableBuilder, function: Callable[..., torch.Tensor], kind: Kind, value: Any) -> VariableTracker:
    tx, tensor = builder.tx, function(value, kind)
    source = _Kept(builder.source, function.__name__, kind)
    fake = wrap_to_fake_tensor_and_record(tensor, tx=tx, is_tensor=False, source=source)
    name = re.sub(r"\W+", "_", f"{builder.name}_{function.__name__}")
    proxy = tx.output.root_tracer.create_graph_input(name, torch.Tensor, fake, source=source)
    proxy.node.meta["grapharg"] = GraphArg(
        source, tensor, pass_arg_as_tensor=False, fake_tensor=fake, is_tensor=False, example_strong_ref=tensor
    )
    fake.gw_presence = fake.dtype is torch.bool  # a flag of the program's, too, may only say which call this is
    made = existing(tx, proxy)
    made.source = None
    return made


def _guard(builder: Any, guard: Any, kind: Kind, allows: Callable[[object], bool]) -> None:
    """Hold a place to its kind, and a tensor that may be changed to be no other one that the program is given."""
    name, manager = builder.arg_ref(guard), builder.get_guard_manager(guard)
    manager.add_lambda_guard(allows, [f"{name} is {kind}, or None"], guard.user_stack)
    if kind.number or not _is_identity_seen(builder.check_fn_manager.output_graph):
        return
    nothing = object()
    either = manager.lambda_manager(
        python_lambda=lambda value: nothing if value is None else value,
        source=f"{name} or nothing",
        example_value=None,
        guard_manager_enum=GuardManagerType.GUARD_MANAGER,
    )
    builder.no_tensor_aliasing_names.append(name)
    builder.no_tensor_aliasing_guard_managers.append(either)


def _is_identity_seen(output: Any) -> bool:
    """Whether the program can tell if two tensors that it is given are one: it changes one, or asks."""
    return bool(changed_inputs(output)) or getattr(output, "gw_asks_identity", False)
