"""The types of a loop's carried values, and how each enters the body, leaves it, and is widened.

    s = 0                    Fixed(0)            the same on every trip so far
    for i in range(n):
        s = s + x[i]         Merged(Tensor, Fixed(0)): after the first trip a tensor, with no trip the int

A type says which 0-d and larger tensors stand for a value. The loop is traced with the types of the start values; where
the body gives something else, the types are widened, and it is traced again, until they hold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import ListVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.data_numbers import NUMBER_DTYPES, number_tensor
from graphweld.capture.merge_variable import MergeVariable, is_bool_like, kind_of
from graphweld.capture.pieces import fields_of, is_exception, is_itself, is_namedtuple, pieces_of, remake
from graphweld.capture.predicates import truth
from graphweld.capture.ragged import Rows, filled_up, in_use, rows_for
from graphweld.capture.refusal import refuse
from graphweld.capture.selects import emit_select
from graphweld.capture.tensor_types import same_type
from graphweld.capture.variables import (
    State,
    Tx,
    call,
    constant,
    example,
    existing,
    is_array,
    is_dense,
    is_number,
    is_same_object,
    is_tensor,
    is_undefined,
    method,
    proxies_in,
    storage_key,
)
from graphweld.diagnostics import rules

MOST_ALTERNATIVES = 4


@dataclass(frozen=True, eq=False, slots=True)
class Fixed:
    """One known object on every trip."""

    value: VariableTracker


@dataclass(frozen=True, eq=False, slots=True)
class Tensor:
    """A tensor of one type; `like` is a fake tensor of it."""

    like: torch.Tensor
    requires_grad: bool


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A Python int, float or bool."""

    kind: type


@dataclass(frozen=True, eq=False, slots=True)
class Merged:
    """One type or another, as a flag tells."""

    then: "Carry"
    orelse: "Carry"


@dataclass(frozen=True, eq=False, slots=True)
class Pieces:
    """A tuple, list, dict or object of fixed shape; `like` is a variable of that shape."""

    like: VariableTracker
    parts: tuple["Carry", ...]


class Composite:
    """A type that another module knows how to carry."""

    def leaves(self) -> list[Tensor]:
        raise NotImplementedError

    def conforms(self, vt: VariableTracker) -> bool:
        raise NotImplementedError

    def unpack(self, tx: Tx, values: State) -> VariableTracker:
        raise NotImplementedError

    def pack(self, tx: Tx, vt: VariableTracker) -> State:
        raise NotImplementedError

    def template(self, of: Any) -> Any:
        raise NotImplementedError

    def describe(self) -> str:
        raise NotImplementedError


Carry = Fixed | Tensor | Rows | Number | Merged | Pieces | Composite


def carry_of(vt: VariableTracker) -> Carry:
    """The narrowest type of a start value."""
    vt = vt.realize()
    if isinstance(vt, MergeVariable):
        if vt.joined is not None:
            return carry_of(vt.joined)
        if is_bool_like(vt):
            return Number(bool)
        return Merged(carry_of(vt.then), carry_of(vt.orelse))
    if is_tensor(vt) and not is_array(vt):
        fake = example(vt)
        return rows_for(fake) or Tensor(fake, bool(fake.requires_grad))
    if isinstance(vt, SymNodeVariable):
        return Number(vt.python_type())
    parts = pieces_of(vt)
    if parts is not None:
        return Pieces(vt, tuple(carry_of(part) for part in parts))
    return Fixed(vt)


def conforms(carry: Carry, vt: VariableTracker) -> bool:
    """Whether a value is of a type already."""
    vt = vt.realize()
    if _is_choice(vt):
        return all(conforms(carry, side) for side in (vt.then, vt.orelse))  # type: ignore[attr-defined]
    if isinstance(carry, Merged):
        return conforms(carry.then, vt) or conforms(carry.orelse, vt)
    if isinstance(vt, MergeVariable) and vt.joined is not None:
        vt = vt.joined
    if isinstance(carry, Composite):
        return carry.conforms(vt)
    if isinstance(carry, Number):
        return (is_number(vt) and vt.python_type() is carry.kind) or (carry.kind is bool and is_bool_like(vt))
    if isinstance(carry, Tensor):
        if not is_tensor(vt) or isinstance(vt, MergeVariable):
            return False
        fake = example(vt)
        return same_type(carry.like, fake) and (carry.requires_grad or not fake.requires_grad)
    if isinstance(carry, Rows):
        if not is_tensor(vt) or isinstance(vt, MergeVariable):
            return False
        return carry.fits(example(vt)) and (carry.requires_grad or not example(vt).requires_grad)
    if isinstance(carry, Pieces):
        parts = pieces_of(vt)
        return (
            parts is not None
            and conforms_in_shape(carry, vt)
            and all(conforms(c, p) for c, p in zip(carry.parts, parts, strict=True))
        )
    if carry.value is vt or (is_tensor(carry.value) and is_tensor(vt) and is_same_object(carry.value, vt)):
        return True
    return (
        isinstance(carry.value, ConstantVariable)
        and isinstance(vt, ConstantVariable)
        and type(vt.value) is type(carry.value.value)
        and repr(vt.value) == repr(carry.value.value)
    )


def _is_choice(vt: VariableTracker) -> bool:
    """Whether a value is one of two that nothing stands for."""
    return isinstance(vt, MergeVariable) and vt.joined is None and not is_bool_like(vt)


def conforms_in_shape(carry: Pieces, vt: VariableTracker) -> bool:
    """Whether a container has the elements of a type, whatever they are."""
    like, parts = carry.like, pieces_of(vt)
    if type(vt) is not type(like) or parts is None or len(parts) != len(carry.parts):
        return False
    if isinstance(vt, ConstDictVariable):
        return list(vt.items) == list(like.items)
    if is_exception(vt):
        return vt.python_type() is like.python_type()
    if isinstance(vt, UserDefinedObjectVariable):
        return vt.python_type() is like.python_type() and list(fields_of(vt) or ()) == list(fields_of(like) or ())
    return True


def widen(tx: Tx, carry: Carry, vt: VariableTracker, name: str) -> Carry:
    """The narrowest type that holds what `carry` holds, and `vt`."""
    from graphweld.capture.carried_lists import widened_list

    vt = vt.realize()
    if conforms(carry, vt):
        return carry
    if _is_choice(vt):
        return widen(tx, widen(tx, carry, vt.then, name), vt.orelse, name)  # type: ignore[attr-defined]
    if isinstance(carry, Fixed):
        old = carry.value
        if is_number(old) and (is_number(vt) or is_bool_like(vt)) and vt.python_type() is old.python_type():
            return Number(old.python_type())
    lists = widened_list(tx, carry, vt)
    if lists is not None:
        return lists
    new = carry_of(vt)
    if isinstance(carry, Tensor) and isinstance(new, Tensor) and same_type(carry.like, new.like):
        return Tensor(carry.like, True)
    if isinstance(carry, (Tensor, Rows)) and isinstance(new, (Tensor, Rows)):
        rows = _more_rows(carry, new)
        if rows is not None:
            return rows
    if isinstance(carry, Pieces) and isinstance(new, Pieces) and conforms_in_shape(carry, vt):
        parts = pieces_of(vt) or []
        return Pieces(
            carry.like,
            tuple(widen(tx, c, p, f"{name}[{i}]") for i, (c, p) in enumerate(zip(carry.parts, parts, strict=True))),
        )
    if isinstance(carry, Merged):
        for side in ("then", "orelse"):
            wider = _widen_within(tx, getattr(carry, side), vt, name)
            if wider is not None:
                return Merged(wider, carry.orelse) if side == "then" else Merged(carry.then, wider)
    if (
        isinstance(new, Fixed)
        and isinstance(vt, UserDefinedObjectVariable)
        and vt.source is None
        and not is_undefined(vt)
        and not is_itself(vt)
    ):
        refuse(tx, rules.CarryChanges(name, describe(carry), kind_of(vt), "object"))
    is_of_a_trip = isinstance(new, Fixed) and any(p.tracer not in tx.output.tracers for p in proxies_in(vt))
    if alternatives(carry) >= MOST_ALTERNATIVES or is_of_a_trip:
        refuse(tx, rules.CarryChanges(name, describe(carry), kind_of(vt), "type"))
    return Merged(new, carry)


def _more_rows(carry: Tensor | Rows, new: Tensor | Rows) -> Rows | None:
    """Room for either, where one is rows already: sizes that are known may still be a change from trip to trip."""
    sized = next((c for c in (carry, new) if isinstance(c, Rows)), None)
    if sized is None:
        return None
    for larger, other in ((carry, new), (new, carry)):
        if isinstance(larger.like.shape[sized.dim], int) and larger.like.dim() == sized.like.dim():
            room = Rows(larger.like, carry.requires_grad or new.requires_grad, sized.dim)
            if room.fits(other.like):
                return room
    return None


def _widen_within(tx: Tx, carry: Carry, vt: VariableTracker, name: str) -> Carry | None:
    if isinstance(carry, Fixed) and is_number(carry.value) and is_number(vt):
        return widen(tx, carry, vt, name) if vt.python_type() is carry.value.python_type() else None
    if isinstance(carry, Tensor) and is_tensor(vt) and same_type(carry.like, example(vt)):
        return Tensor(carry.like, True)
    if isinstance(carry, Pieces) and conforms_in_shape(carry, vt):
        return widen(tx, carry, vt, name)
    return None


def alternatives(carry: Carry) -> int:
    return alternatives(carry.then) + alternatives(carry.orelse) if isinstance(carry, Merged) else 1


def describe(carry: Carry) -> str:
    if isinstance(carry, (Tensor, Rows)):
        return f"{str(carry.like.dtype).removeprefix('torch.')} tensor of shape {tuple(carry.like.shape)}"
    if isinstance(carry, Number):
        return carry.kind.__name__
    if isinstance(carry, Composite):
        return carry.describe()
    if isinstance(carry, Merged):
        kinds = f"{describe(carry.then)} or {describe(carry.orelse)}".split(" or ")
        return " or ".join(dict.fromkeys(kinds))
    return kind_of(carry.value if isinstance(carry, Fixed) else carry.like)


def leaves(carry: Carry) -> list[Tensor]:
    """The types of the tensors that stand for a value, in order."""
    if isinstance(carry, Tensor):
        return [carry]
    if isinstance(carry, Rows):
        return [Tensor(carry.like, carry.requires_grad), _scalar(torch.int64)]
    if isinstance(carry, Number):
        return [_scalar(NUMBER_DTYPES[carry.kind])]
    if isinstance(carry, Composite):
        return carry.leaves()
    if isinstance(carry, Merged):
        return [_scalar(torch.bool), *leaves(carry.then), *leaves(carry.orelse)]
    if isinstance(carry, Pieces):
        return [leaf for part in carry.parts for leaf in leaves(part)]
    return []


def _scalar(dtype: torch.dtype) -> Tensor:
    return Tensor(torch.empty((), dtype=dtype, device="meta"), False)


def unpack(tx: Tx, carry: Carry, values: list[VariableTracker], name: str) -> VariableTracker:
    """The value that tensors stand for. Takes its tensors off the front of `values`."""
    if isinstance(carry, Fixed):
        return carry.value
    if isinstance(carry, Tensor):
        return values.pop(0)
    if isinstance(carry, Rows):
        buffer, count = values.pop(0), values.pop(0)
        return call(tx, in_use, buffer, method(tx, count, "item"), carry.dim)
    if isinstance(carry, Number):
        tensor = values.pop(0)
        if carry.kind is bool:
            return MergeVariable(tensor, constant(True), constant(False), name)
        return method(tx, tensor, "item")
    if isinstance(carry, Composite):
        return carry.unpack(tx, values)
    if isinstance(carry, Merged):
        flag = values.pop(0)
        then = unpack(tx, carry.then, values, name)
        return MergeVariable(flag, then, unpack(tx, carry.orelse, values, name), name)
    return rebuilt(tx, carry.like, [unpack(tx, part, values, f"{name}[{i}]") for i, part in enumerate(carry.parts)])


def rebuilt(tx: Tx, like: VariableTracker, parts: list[VariableTracker]) -> VariableTracker:
    """A container or object like another one, of other parts."""
    if isinstance(like, ListVariable):
        return like.clone(items=parts, mutation_type=ValueMutationNew(), source=None)
    if isinstance(like, ConstDictVariable):
        keys = [getattr(key, "vt", key) for key in like.items]
        return ConstDictVariable(
            dict(zip(keys, parts, strict=True)), user_cls=like.user_cls, mutation_type=ValueMutationNew()
        )
    if is_exception(like):
        return call(tx, like.python_type(), *parts)
    if isinstance(like, UserDefinedObjectVariable):
        cls = call(tx, type, like)  # knows where it was found, and so its attributes
        fields = fields_of(like) or {}
        if is_namedtuple(like.python_type()):
            return cls.call_function(tx, parts, {})
        return call(tx, remake, cls, tuple(fields), *parts)
    return like.clone(items=parts, source=None)


def pack(tx: Tx, carry: Carry, vt: VariableTracker) -> list[VariableTracker]:
    """The tensors that stand for a value of the type."""
    vt = vt.realize()
    if _is_choice(vt) and not isinstance(carry, Tensor):
        then, orelse = pack(tx, carry, vt.then), pack(tx, carry, vt.orelse)  # type: ignore[attr-defined]
        if not torch.is_grad_enabled() and any(example(leaf).requires_grad for leaf in (*then, *orelse)):
            vt.give_up("a loop carries it where no gradients are kept", tx)  # type: ignore[attr-defined]
        return [emit_select(tx, vt.pred, a, b) for a, b in zip(then, orelse, strict=True)]  # type: ignore[attr-defined]
    if isinstance(carry, Merged):
        return _pack_merged(tx, carry, vt)
    if isinstance(carry, Fixed):
        return []
    if isinstance(vt, MergeVariable) and vt.joined is not None:
        vt = vt.tensor(tx)
    if isinstance(carry, Tensor):
        return [vt]
    if isinstance(carry, Rows):
        count = method(tx, vt, "size", carry.dim)
        return [call(tx, filled_up, vt, carry.most, carry.dim), call(tx, torch.full, (), count, dtype=torch.int64)]
    if isinstance(carry, Number):
        if carry.kind is bool:
            vt = truth(tx, vt)
            if is_tensor(vt):
                return [vt]
        return [number_tensor(tx, vt, carry.kind)]
    if isinstance(carry, Composite):
        return carry.pack(tx, vt)
    parts = pieces_of(vt) or []
    return [leaf for c, p in zip(carry.parts, parts, strict=True) for leaf in pack(tx, c, p)]


def tensors_in(
    carry: Carry, vt: VariableTracker, packed: Sequence[VariableTracker | None]
) -> list[VariableTracker | None]:
    """For each tensor that stands for a value: the program's own tensor that it is, or None where it is made for it.

    `packed` are those that stand for it, as `pack` gives them.
    """
    vt = vt.realize()
    if isinstance(carry, Tensor):
        return [vt]
    if not isinstance(carry, Pieces):
        return [None] * len(packed)
    if _is_choice(vt):
        then, orelse = tensors_in(carry, vt.then, packed), tensors_in(carry, vt.orelse, packed)  # type: ignore[attr-defined]
        return [
            a if a is b or None in (a, b) else MergeVariable(vt.pred, a, b, vt.name, joined=leaf)  # type: ignore[attr-defined,arg-type]
            for a, b, leaf in zip(then, orelse, packed, strict=True)
        ]
    found: list[VariableTracker | None] = []
    for c, part in zip(carry.parts, pieces_of(vt) or [], strict=True):
        found += tensors_in(c, part, packed[len(found) : len(found) + len(leaves(c))])
    return found


def packed_of(tx: Tx, kinds: list[Carry], values: State) -> tuple[State, list[VariableTracker | None]]:
    """The tensors that stand for values, and the program's own tensor that each is."""
    packed: State = []
    tensors: list[VariableTracker | None] = []
    for carry, vt in zip(kinds, values, strict=True):
        made = pack(tx, carry, vt)
        packed += made
        tensors += tensors_in(carry, vt, made)
    return packed, tensors


def _pack_merged(tx: Tx, carry: Merged, vt: VariableTracker) -> list[VariableTracker]:
    if conforms(carry.then, vt):
        flag = call(tx, torch.full, (), True, dtype=torch.bool)
        return [flag, *pack(tx, carry.then, vt), *fillers(tx, carry.orelse)]
    flag = call(tx, torch.full, (), False, dtype=torch.bool)
    return [flag, *fillers(tx, carry.then), *pack(tx, carry.orelse, vt)]


def fillers(tx: Tx, carry: Carry) -> list[VariableTracker]:
    """Tensors nobody reads, for an alternative that is not taken."""
    return [
        call(tx, torch.zeros, tuple(leaf.like.shape), dtype=leaf.like.dtype, device=device_of(leaf.like))
        for leaf in leaves(carry)
    ]


def device_of(fake: torch.Tensor) -> torch.device:
    """Where a value of a type like this is; the types of numbers have no device of their own."""
    return torch.device("cpu") if fake.device.type == "meta" else fake.device


def placeholder(tx: Tx, leaf: Tensor, name: str) -> VariableTracker:
    """A new input of the region being traced, of a leaf's type."""
    like = leaf.like
    if free_unbacked_symbols(like) - {s for t in tx.output.tracers for s in t.bound_symbols}:  # sizes of a trip's own
        refuse(tx, rules.CarryChanges(name.removeprefix("carry_"), "one size", "another one", "size"))
    with tx.fake_mode:  # type: ignore[union-attr]
        fake = torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=device_of(like))
        if leaf.requires_grad:
            fake = fake.requires_grad_().clone()  # no leaf, so that it can be changed in place
    proxy = tx.output.current_tracer.create_graph_input(re.sub(r"\W+", "_", name), torch.Tensor, fake)
    proxy.node.meta["gw_carry"] = True
    return existing(tx, proxy)


def own(tx: Tx, values: list[VariableTracker], taken: set[Any]) -> list[VariableTracker]:
    """The values, copied where they would alias an operand or one another."""
    made = []
    for vt in values:
        outside = vt.as_proxy().tracer is not tx.output.current_tracer
        if outside or storage_key(example(vt)) in taken or not is_dense(example(vt)):
            vt = method(tx, vt, "clone")
        taken.add(storage_key(example(vt)))
        made.append(vt)
    return made
