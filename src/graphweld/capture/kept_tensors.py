"""What a program keeps in its own objects that is of one kind in one call and of another in the next.

    if self.cache is None or far(x, self.cache):        one graph, for the first call and for all later ones
        self.cache = x * 2
    self.drift = self.drift + x.mean().item() if near else 0

`counters` finds such places. For each kind that is not None they are two inputs of the graph: whether what is there is
of this kind; and the tensor or number, or zeros that nobody reads. A guard holds the place to these kinds.
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


@dataclass(frozen=True)
class Kinds:
    """The kinds of what one place may hold, and whether it may be None; these are two or more together."""

    each: tuple[Kind, ...]
    may_be_none: bool

    def allows(self, value: object) -> bool:
        return self.may_be_none if value is None else kind_of(value) in self.each

    def together_with(self, other: "Kinds") -> "Kinds | None":
        none = {None} if self.may_be_none or other.may_be_none else set()
        return _kinds({*self.each, *other.each, *none})


_DTYPES: dict[type, torch.dtype] = {bool: torch.bool, int: torch.int64, float: torch.float64}
NUMBERS = {kind: Kind(dtype=dtype, number=kind) for kind, dtype in _DTYPES.items()}
_OTHER = Kind(shape=())  # of what is no input of a graph


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


def kept_kinds(before: object, after: VariableTracker) -> Kinds | None:
    """The kinds of what is in a place where a trace found `before` and left `after`; None for one, and for others."""
    left = after.alternatives() if isinstance(after, MergeVariable) else [after]
    found = {None if is_none(vt) else _kind_of_variable(vt) or _OTHER for vt in left}
    return _kinds(found | {None if before is None else kind_of(before) or _OTHER})


def _kinds(found: set[Kind | None]) -> Kinds | None:
    if _OTHER in found or len(found) < 2 or sum(kind is not None and kind.number is None for kind in found) > 1:
        return None
    each = sorted((kind for kind in found if kind is not None), key=lambda kind: str(kind.number))
    return Kinds(tuple(each), None in found)


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


def one_of_kinds(builder: VariableBuilder, value: Any, kinds: Kinds) -> VariableTracker:
    """What is in a place, as a value whose kind is as each call has it."""
    source = builder.source
    install_guard(source.make_guard(functools.partial(_guard, kinds=kinds)))
    part = str(getattr(source, "member", getattr(source, "index", "")))
    *others, last = kinds.each
    found = _if_there(builder, last, value)
    if kinds.may_be_none:
        found = MergeVariable(_is_there(builder, last, value), found, constant(None), part)
    for kind in others:
        found = MergeVariable(_is_there(builder, kind, value), _if_there(builder, kind, value), found, part)
    return found


def _is_there(builder: VariableBuilder, kind: Kind, value: Any) -> VariableTracker:
    return _input(builder, kept.is_there, kind, value)


def _if_there(builder: VariableBuilder, kind: Kind, value: Any) -> VariableTracker:
    """What is in a place, for where it is of a kind."""
    found, side_effects = _input(builder, kept.tensor_or_zeros, kind, value), builder.tx.output.side_effects
    if kind.number:
        return _item(builder.tx, found)
    found.source = builder.source
    return side_effects.track_object_existing(value, found) if isinstance(value, torch.Tensor) else found


def number_input(builder: VariableBuilder, value: float) -> VariableTracker:
    """A number as an input, and of the data. Torch's own is a constant if it is infinite, or for AOTAutograd."""
    known: dict[str, Any] = builder.tx.output.unspec_variable_map
    if builder.name not in known:
        kind = NUMBERS[type(value)]
        install_guard(builder.source.make_guard(functools.partial(_guard, kinds=Kinds((kind,), False))))
        known[builder.name] = _item(builder.tx, _input(builder, kept.tensor_or_zeros, kind, value))
    return known[builder.name]  # type: ignore[no-any-return]


def _item(tx: Tx, tensor: VariableTracker) -> VariableTracker:
    with in_outermost_graph(tx):
        return method(tx, tensor, "item")


def note_test(tx: Tx, pred: VariableTracker | None = None) -> None:
    """Remember that a site, with the test `pred` if it has one, asks for more than what is kept: which call this is."""
    trace = trace_of(tx)
    if trace is not None and (pred is None or not _is_of_kept(node_of(pred))):
        trace.tests_data = True


def _is_of_kept(node: Node) -> bool:
    """Whether a value follows from numbers that the program keeps, and from what is there."""
    if not hasattr(fake := node.meta.get("example_value"), "gw_kept"):
        found = bool(node.all_input_nodes or node.target is torch.full) and all(map(_is_of_kept, node.all_input_nodes))
        if not isinstance(fake, torch.Tensor):
            return found
        fake.gw_kept = found  # type: ignore[attr-defined]
    return fake.gw_kept  # type: ignore[no-any-return,union-attr]


def _input(builder: VariableBuilder, function: Callable[..., torch.Tensor], kind: Kind, value: Any) -> VariableTracker:
    tx, tensor = builder.tx, function(value, kind)
    source = _Kept(builder.source, function.__name__, kind)
    fake = wrap_to_fake_tensor_and_record(tensor, tx=tx, is_tensor=False, source=source)
    name = re.sub(r"\W+", "_", f"{builder.name}_{function.__name__}_{getattr(kind.number, '__name__', 'tensor')}")
    proxy = tx.output.root_tracer.create_graph_input(name, torch.Tensor, fake, source=source)
    proxy.node.meta["grapharg"] = GraphArg(
        source, tensor, pass_arg_as_tensor=False, fake_tensor=fake, is_tensor=False, example_strong_ref=tensor
    )
    fake.gw_kept = function is kept.is_there or kind.number is not None
    made = existing(tx, proxy)
    made.source = None
    return made


def _guard(builder: Any, guard: Any, kinds: Kinds) -> None:
    """Hold a place to its kinds, and a tensor that may be changed to be no other one that the program is given."""
    name, manager = builder.arg_ref(guard), builder.get_guard_manager(guard)
    manager.add_lambda_guard(kinds.allows, [f"{name} is {kinds}"], guard.user_stack)
    has_numbers_only = all(kind.number for kind in kinds.each)
    if has_numbers_only or not _is_identity_seen(builder.check_fn_manager.output_graph):
        return
    nothing = object()
    either = manager.lambda_manager(
        python_lambda=lambda value: value if isinstance(value, torch.Tensor) else nothing,
        source=f"{name} or nothing",
        example_value=None,
        guard_manager_enum=GuardManagerType.GUARD_MANAGER,
    )
    builder.no_tensor_aliasing_names.append(name)
    builder.no_tensor_aliasing_guard_managers.append(either)


def _is_identity_seen(output: Any) -> bool:
    """Whether the program can tell if two tensors that it is given are one: it changes one, or asks."""
    return bool(changed_inputs(output)) or getattr(output, "gw_asks_identity", False)
