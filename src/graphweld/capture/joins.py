"""The two sides of a branch become one set of graph outputs.

`Join` decides, value by value, how what the then side computed and what the else side computed come out of the node:

    the same object on both sides                nothing comes out; it is the object
    tensors of one type                          one output
    numbers of one Python type                   one 0-d output, a Python number again behind the node
    bools                                        one 0-d bool output, a merge of True and False behind it
    tuples, lists, dicts, objects of one shape   piece by piece
    merges                                       alternatives of one kind as one (merged_kinds.py)
    anything else                                both alternatives, each with a filler on the other side, as a merge

Outputs are copied where they would alias an operand or each other, which the operator does not allow.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._dynamo.current_scope_id import current_scope_id
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import BaseListVariable, TupleVariable
from torch._dynamo.variables.misc import ExceptionVariable, StringFormatVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable
from torch.fx import Node

from graphweld.capture import merged_kinds
from graphweld.capture.aliases import alias_of
from graphweld.capture.data_numbers import number_tensor
from graphweld.capture.fillers import filler, is_static
from graphweld.capture.frozen import freeze, hand_on
from graphweld.capture.merge_variable import MergeVariable, is_bool_like, kind_of
from graphweld.capture.pieces import new_attributes, rebuilt_dict, rebuilt_sequence
from graphweld.capture.predicates import truth
from graphweld.capture.raises import with_arguments
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region, decided, reopened
from graphweld.capture.size_facts import bounded
from graphweld.capture.tensor_types import is_sized_by_data, same_type, unflatten
from graphweld.capture.variables import (
    DecidedByData,
    Thunk,
    Tx,
    as_array,
    call,
    constant,
    example,
    existing,
    is_array,
    is_dense,
    is_number,
    is_tensor,
    is_undefined,
    method,
    same_size,
    storage_key,
)
from graphweld.diagnostics import rules

NEVER_READ_UNBOUND = "gw_"  # names graphweld made: read only where they are bound


class Join:
    """Collects the outputs of the two regions of one branch. `outputs` are set once the node is made."""

    def __init__(self, tx: Tx, pred: VariableTracker, then: Region, orelse: Region) -> None:
        self.tx, self.pred, self.then, self.orelse = tx, pred, then, orelse
        self.slots: list[tuple[VariableTracker, VariableTracker]] = []
        self.outputs: list[VariableTracker] = []
        self.decisions: dict[Any, Thunk] = {}
        self.tensors: dict[tuple[Node | VariableTracker, ...], Any] = {}
        self.sides: list[tuple[Region, VariableTracker, int]] = []  # values of which this output may be one
        self.lost: list[tuple[Region, VariableTracker, int]] = []  # values that only a copy of comes out as this output

    def merge(self, a: VariableTracker, b: VariableTracker, name: str) -> Thunk:
        """How to get at the merged value behind the node; adds the outputs it needs."""
        a, b = decided(a.realize(), self.pred, True), decided(b.realize(), self.pred, False)
        if a is b or _equal_constants(a, b):
            return lambda: a
        if name.startswith(NEVER_READ_UNBOUND) and (is_undefined(a) or is_undefined(b)):
            return self.export(self.orelse, b) if is_undefined(a) else self.export(self.then, a)
        if is_bool_like(a) and is_bool_like(b):
            return self._merge_bools(a, b, name)
        if is_number(a) and is_number(b) and a.python_type() is b.python_type():
            return self._merge_numbers(a, b)
        if _is_one_tensor(a) and _is_one_tensor(b):
            joined = self._once((a, b), lambda: self._merge_tensors(a, b, name))
            if joined is not None:
                return joined
        merged = self._merge_pieces(a, b, name) or merged_kinds.merge(self, a, b, name)
        if merged is not None:
            return merged
        then, orelse = self.export(self.then, a), self.export(self.orelse, b)
        return lambda: MergeVariable(self.pred, then(), orelse(), name)

    def export(self, region: Region, vt: VariableTracker) -> Thunk:
        """How to get at a value of one side only; the other side gives a filler nobody reads."""
        vt = vt.realize()
        if isinstance(vt, MergeVariable):
            if not region.owns(vt):
                return lambda: vt
            if vt.joined is not None:
                return self._export_tensor(region, self._plain(region, vt), filter(is_tensor, vt.alternatives()))
            pred, then, orelse = (self.export(region, part) for part in (vt.pred, vt.then, vt.orelse))
            return lambda: MergeVariable(pred(), then(), orelse(), vt.name)
        if is_array(vt):
            tensor = self.export(region, existing(self.tx, vt.as_proxy()))
            return (lambda: as_array(self.tx, tensor())) if region.owns(vt) else (lambda: vt)
        if is_tensor(vt):
            return self._once((vt,), lambda: alias_of(self.tx, region, vt) or self._export_tensor(region, vt))
        if isinstance(vt, SymNodeVariable):
            if not region.owns(vt):
                return lambda: vt
            kind = vt.python_type()
            return self._numbers(kind, *self._sides(region, self._as_tensor(region, vt, kind)))
        if isinstance(vt, DecidedByData):
            return vt.export(self, region)
        pieces = self._export_pieces(region, vt)
        if pieces is not None:
            return pieces
        if region.owns(vt):
            refuse(self.tx, rules.BranchesDisagree("the result", kind_of(vt), "something else", "it cannot leave"))
        return lambda: vt

    def decision(self, a: VariableTracker, b: VariableTracker) -> Thunk:
        """A predicate of one side or of the other; the same object for the same two."""
        key = tuple(v.value if isinstance(v, ConstantVariable) else v.as_proxy().node for v in (a, b))
        if key not in self.decisions:
            self.decisions[key] = self._slot(*map(self._as_tensor, (self.then, self.orelse), (a, b), (bool, bool)))
        return self.decisions[key]

    def _once(self, sides: tuple[VariableTracker, ...], make: Callable[[], Any]) -> Any:
        """One output for two names of one tensor, which are two names of one behind the branch."""
        key = tuple(vt if isinstance(vt, MergeVariable) else vt.as_proxy().node for vt in sides)
        if key not in self.tensors:
            self.tensors[key] = make()
        return self.tensors[key]

    # -- single values ----------------------------------------------------------------------------------------------

    def _merge_bools(self, a: VariableTracker, b: VariableTracker, name: str) -> Thunk:
        if isinstance(a, ConstantVariable) and isinstance(b, ConstantVariable):
            return lambda: MergeVariable(self.pred, a, b, name)
        output = self._slot(self._as_tensor(self.then, a, bool), self._as_tensor(self.orelse, b, bool))
        return lambda: MergeVariable(output(), constant(True), constant(False), name)

    def _merge_numbers(self, a: VariableTracker, b: VariableTracker) -> Thunk:
        kind = a.python_type()
        choices = [v if isinstance(v, ConstantVariable) else getattr(v, "gw_choice", None) for v in (a, b)]
        number = self._numbers(kind, self._as_tensor(self.then, a, kind), self._as_tensor(self.orelse, b, kind))
        if None in choices or any(self.then.owns(v) or self.orelse.owns(v) for v in choices if v is not None):
            return number

        def chosen() -> VariableTracker:
            made = number()
            made.gw_choice = MergeVariable(self.pred, *choices)  # type: ignore[attr-defined,arg-type]
            return made

        return chosen

    def _numbers(self, kind: type, a: VariableTracker, b: VariableTracker) -> Thunk:
        output = self._slot(a, b)
        if kind is bool:
            return lambda: MergeVariable(output(), constant(True), constant(False))
        made: list[VariableTracker] = []

        def number() -> VariableTracker:
            if not made:
                made.append(method(self.tx, output(), "item"))
            return made[0]

        return number

    def _as_tensor(self, region: Region, vt: VariableTracker, kind: type) -> VariableTracker:
        with reopened(self.tx, region):
            made = truth(self.tx, vt) if kind is bool else vt
            if not is_tensor(made):
                made = number_tensor(self.tx, made, kind)
        return self._owned(region, made)

    def _merge_tensors(self, a: VariableTracker, b: VariableTracker, name: str) -> Thunk | None:
        left, right = self._alias(self.then, a), self._alias(self.orelse, b)
        new = self._is_new(self.then, a), self._is_new(self.orelse, b)
        a, b = self._plain(self.then, a), self._plain(self.orelse, b)
        if not torch.is_grad_enabled() and any(
            side is not None and example(v).requires_grad for side, v in ((left, a), (right, b))
        ):
            return None  # the copy would not carry the gradient that the tensor itself has
        own_a, own_b = self._owned(self.then, a), self._owned(self.orelse, b)
        grads = [torch.is_grad_enabled() and example(v).requires_grad for v in (a, b)]
        if is_sized_by_data(example(own_a)) or is_sized_by_data(example(own_b)):
            sized = self._sized_by_data(own_a, own_b)
            if sized is None:
                return None
            self.lost += [(self.then, a, len(self.slots) - 1), (self.orelse, b, len(self.slots) - 1)]
            output, left, right, lost = sized, None, None, False
        elif same_type(example(own_a), example(own_b)):
            own_b = self._with_strides(self.orelse, own_b, example(own_a))
            copied = [
                (region, v, len(self.slots))
                for region, is_new, own, v in ((self.then, new[0], own_a, a), (self.orelse, new[1], own_b, b))
                if is_new and own is not v
            ]
            self.lost += copied
            output, lost = self._slot(own_a, own_b), bool(copied)
        else:
            return None

        def merged() -> VariableTracker:
            joined = output()
            if lost and not is_dense_copy(a, own_a) and not is_dense_copy(b, own_b):
                joined.gw_lost_alias = name  # type: ignore[attr-defined]
            if left is None and right is None and grads[0] == grads[1]:
                return joined
            differ = grads[0] != grads[1]
            own = [self._plain_copy(joined) if differ and not grad else joined for grad in grads]
            then, orelse = (
                mine if side is None else side(joined) for side, mine in zip((left, right), own, strict=True)
            )
            return MergeVariable(self.pred, then, orelse, name, joined=joined, shows_gradient=differ)

        return merged

    def _with_strides(self, region: Region, vt: VariableTracker, like: torch.Tensor) -> VariableTracker:
        """A tensor with the very strides of another of its type: those of a dimension of size 1 may differ."""
        fake = example(vt)
        if fake.layout is not torch.strided or fake.stride() == like.stride() or not is_static(like):
            return vt
        with reopened(self.tx, region):
            return method(self.tx, vt, "as_strided", tuple(like.shape), tuple(like.stride()))

    def _plain_copy(self, joined: VariableTracker) -> VariableTracker:
        """The side of a tensor that requires grad on the other side only, which the caller can see."""
        return method(self.tx, joined, "detach")

    def _plain(self, region: Region, vt: VariableTracker) -> VariableTracker:
        """A tensor, as one value of the region."""
        if not isinstance(vt, MergeVariable):
            return vt
        with reopened(self.tx, region):
            return vt.tensor(self.tx)

    def _alias(self, region: Region, vt: VariableTracker) -> Callable[[VariableTracker], VariableTracker] | None:
        """How to get at the tensor outside that a value is, given the output that stands for it otherwise."""
        if isinstance(vt, MergeVariable):
            then, orelse = (
                self._alias(region, side) or self._without_gradient(vt, side) for side in (vt.then, vt.orelse)
            )
            if then is None and orelse is None:
                return None
            pred = self.export(region, vt.pred)
            return lambda output: MergeVariable(
                pred(),
                output if then is None else then(output),
                output if orelse is None else orelse(output),
                vt.name,
                joined=output,
                shows_gradient=vt.shows_gradient,
            )
        outside = alias_of(self.tx, region, vt)
        return None if outside is None else lambda _: outside()

    def _is_new(self, region: Region, vt: VariableTracker) -> bool:
        """Whether a value may be a tensor that the region makes."""
        if isinstance(vt, MergeVariable):
            return self._is_new(region, vt.then) or self._is_new(region, vt.orelse)
        return alias_of(self.tx, region, vt) is None

    def _without_gradient(self, vt: MergeVariable, side: VariableTracker) -> Callable[..., VariableTracker] | None:
        """How to get at a side that shows that it needs no gradient, which the output does."""
        shows = vt.shows_gradient and is_tensor(side) and not example(side).requires_grad
        return self._plain_copy if shows else None

    def _sized_by_data(self, a: VariableTracker, b: VariableTracker) -> Thunk | None:
        """Tensors of one rank and dtype whose sizes the data decides: flat outputs, and their sizes as numbers."""
        left, right = example(a), example(b)
        if left.dtype is not right.dtype or left.device != right.device or left.dim() != right.dim():
            return None
        fixed = [isinstance(m, int) and same_size(m, n) for m, n in zip(left.shape, right.shape, strict=True)]
        sizes = [
            None
            if fixed[d]
            else bounded(
                self.tx,
                (left.shape[d], right.shape[d]),
                self._numbers(int, self._size(self.then, a, d), self._size(self.orelse, b, d)),
            )
            for d in range(left.dim())
        ]
        flat = self._slot(self._flat(self.then, a), self._flat(self.orelse, b))
        return lambda: self._unflatten(
            flat(), [n if size is None else size() for n, size in zip(left.shape, sizes, strict=True)]
        )

    def _size(self, region: Region, vt: VariableTracker, dim: int) -> VariableTracker:
        with reopened(self.tx, region):
            return call(self.tx, torch.full, (), method(self.tx, vt, "size", dim), dtype=torch.int64)

    def _flat(self, region: Region, vt: VariableTracker) -> VariableTracker:
        with reopened(self.tx, region):
            return method(self.tx, method(self.tx, vt, "reshape", -1), "clone")

    def _unflatten(self, flat: VariableTracker, sizes: list[Any]) -> VariableTracker:
        return call(self.tx, unflatten, flat, *sizes)

    def _export_tensor(self, region: Region, vt: VariableTracker, sides: Iterable[VariableTracker] = ()) -> Thunk:
        """A tensor as an output; `sides` are tensors of which it may be one."""
        side = 0 if region is self.then else 1
        nodes = [slot[side].as_proxy().node for slot in self.slots]
        if vt.as_proxy().node in nodes:  # another name of it comes out already
            index = nodes.index(vt.as_proxy().node)
            made: Thunk = lambda: self.outputs[index]  # noqa: E731
        else:
            own = self._owned(region, vt)
            made = self._new_output(region, own)
            index = len(self.slots) - 1
            if own is not vt:
                self.lost.append((region, vt, index))
        self.sides += [(region, side, index) for side in sides]
        return made

    def _new_output(self, region: Region, vt: VariableTracker) -> Thunk:
        fake = example(vt)
        if not is_sized_by_data(fake):
            return self._slot(*self._sides(region, vt))
        sizes = [
            n if isinstance(n, int) else self._numbers(int, *self._sides(region, self._size(region, vt, d)))
            for d, n in enumerate(fake.shape)
        ]
        values = self._flat(region, vt)
        with example(values).fake_mode:  # type: ignore[attr-defined]
            none = fake.new_empty((0,))  # on the other side, where the sizes are 0
        flat = self._slot(*self._sides(region, values, none))
        return lambda: self._unflatten(flat(), [n() if callable(n) else n for n in sizes])

    def _sides(
        self, region: Region, vt: VariableTracker, like: torch.Tensor | None = None
    ) -> tuple[VariableTracker, VariableTracker]:
        """An output of one region, and what the other one gives in its place."""
        with reopened(self.tx, self.orelse if region is self.then else self.then):
            unread = filler(self.tx, example(vt) if like is None else like)
        return (vt, unread) if region is self.then else (unread, vt)

    def _owned(self, region: Region, vt: VariableTracker) -> VariableTracker:
        """The value itself, or a copy where it aliases an operand or an output of the region."""
        side = 0 if region is self.then else 1
        taken = {storage_key(example(slot[side])) for slot in self.slots}
        taken |= {
            storage_key(inner.node.meta["example_value"])
            for inner in region.operands().values()
            if isinstance(inner.node.meta["example_value"], torch.Tensor)
        }
        is_own = vt.as_proxy().tracer is region.tracer and storage_key(example(vt)) not in taken
        if is_own and is_dense(example(vt)):
            return vt
        with reopened(self.tx, region):
            return method(self.tx, vt, "clone")

    def _slot(self, then: VariableTracker, orelse: VariableTracker) -> Thunk:
        index = len(self.slots)
        self.slots.append((then, orelse))
        return lambda: self.outputs[index]

    def freeze_lost(self, site: int | None) -> None:
        """Behind the node: refuse later changes of what shares memory in Python with what came out as a copy."""
        for side, region in enumerate((self.then, self.orelse)):
            lost = {index: vt for of, vt, index in self.lost if of is region}
            inside = [lost.get(k, slot[side]) for k, slot in enumerate(self.slots)]
            parties = [(example(vt), out) for vt, out in zip(inside, self.outputs, strict=True)]
            parties += [(i.node.meta["example_value"], existing(self.tx, o)) for o, i in region.operands().items()]
            copied = {*lost, *range(len(parties), len(parties) + len(self.sides))}
            parties += [(example(vt), self.outputs[k]) for of, vt, k in self.sides if of is region]
            keys = [storage_key(fake) if isinstance(fake, torch.Tensor) else None for fake, _ in parties]
            shared = {key for k, key in enumerate(keys) if k in copied and keys.count(key) > 1}
            freeze(self.tx, [vt for key, (_, vt) in zip(keys, parties, strict=True) if key in shared], "a branch", site)
            hand_on(self.tx, [{key} for key in keys[: len(self.outputs)]], self.outputs)

    # -- containers -------------------------------------------------------------------------------------------------

    def _merge_pieces(self, a: VariableTracker, b: VariableTracker, name: str) -> Thunk | None:
        if type(a) is not type(b):
            return None
        if isinstance(a, BaseListVariable) and isinstance(b, BaseListVariable):
            if len(a.items) != len(b.items) or _is_old(a) or _is_old(b):
                return None
            parts = [self.merge(x, y, f"{name}[{i}]") for i, (x, y) in enumerate(zip(a.items, b.items, strict=True))]
            return rebuilt_sequence(a, parts)
        if type(a) is ConstDictVariable and isinstance(b, ConstDictVariable):
            if list(a.items) != list(b.items) or _is_old(a) or _is_old(b):
                return None
            keyed = {key: self.merge(value, b.items[key], f"{name}[{key_text(key)}]") for key, value in a.items.items()}
            return rebuilt_dict(a, keyed)
        if isinstance(a, UserDefinedObjectVariable) and isinstance(b, UserDefinedObjectVariable):
            return self._merge_objects(a, b, name)
        return None

    def _merge_objects(self, a: UserDefinedObjectVariable, b: UserDefinedObjectVariable, name: str) -> Thunk | None:
        left, right = new_attributes(self.tx, a), new_attributes(self.tx, b)
        if left is None or right is None or a.value.__class__ is not b.value.__class__ or list(left) != list(right):
            return None
        base_a, base_b = getattr(a, "_base_vt", None), getattr(b, "_base_vt", None)
        base = self._merge_pieces(base_a, base_b, name) if base_a is not None and base_b is not None else None
        if (base_a is not None or base_b is not None) and base is None:
            return None
        parts = {attr: self.merge(value, right[attr], f"{name}.{attr}") for attr, value in left.items()}
        given = [self.merge(x, y, name) for x, y in zip(_init_args(a), _init_args(b), strict=True)]
        return self._rebuild_object(a, parts, base, given)

    def _export_pieces(self, region: Region, vt: VariableTracker) -> Thunk | None:
        if isinstance(vt, BaseListVariable) and not _is_old(vt):
            return rebuilt_sequence(vt, [self.export(region, item) for item in vt.items])
        if type(vt) is ConstDictVariable and not _is_old(vt):
            return rebuilt_dict(vt, {key: self.export(region, value) for key, value in vt.items.items()})
        if isinstance(vt, StringFormatVariable):
            args = [self.export(region, arg) for arg in vt.sym_args]
            named = {key: self.export(region, arg) for key, arg in vt.sym_kwargs.items()}
            return lambda: StringFormatVariable(
                vt.format_string, [arg() for arg in args], {key: arg() for key, arg in named.items()}
            )
        if isinstance(vt, ExceptionVariable):
            given = [self.export(region, arg) for arg in vt.args]
            return lambda: with_arguments(vt, [arg() for arg in given])
        if isinstance(vt, UserDefinedObjectVariable):
            attributes = new_attributes(self.tx, vt)
            if attributes is not None:
                base_vt = getattr(vt, "_base_vt", None)
                base = self._export_pieces(region, base_vt) if base_vt is not None else None
                parts = {k: self.export(region, v) for k, v in attributes.items()}
                return self._rebuild_object(vt, parts, base, [self.export(region, v) for v in _init_args(vt)])
        return None

    def _rebuild_object(
        self, vt: VariableTracker, parts: dict[str, Thunk], base: Thunk | None, given: list[Thunk]
    ) -> Thunk:
        """The object of one side, from now on the enclosing region's, with merged attributes."""

        def rebuild() -> VariableTracker:
            vt.mutation_type.scope = current_scope_id()  # type: ignore[union-attr]
            if base is not None:
                vt._base_vt = base()  # type: ignore[attr-defined]
            vt.init_args = [vt._base_vt] if _is_tuple(vt) else [arg() for arg in given]  # type: ignore[attr-defined]
            kinds = self.tx.output.side_effects.attr_mutation_kinds.get(vt, {})
            for attr, part in parts.items():
                self.tx.output.side_effects.store_attr(vt, attr, part(), kinds[attr])
            return vt

        return rebuild


def _is_one_tensor(vt: VariableTracker) -> bool:
    return (is_tensor(vt) and not is_array(vt)) or (isinstance(vt, MergeVariable) and vt.joined is not None)


def key_text(key: Any) -> str:
    vt = getattr(key, "vt", key)
    return repr(vt.as_python_constant()) if vt.is_python_constant() else "..."


def _equal_constants(a: VariableTracker, b: VariableTracker) -> bool:
    if not (isinstance(a, ConstantVariable) and isinstance(b, ConstantVariable)):
        return False
    return (
        type(a.value) is type(b.value) and (a.value == b.value or a.value is b.value) and repr(a.value) == repr(b.value)
    )


def is_dense_copy(vt: VariableTracker, own: VariableTracker) -> bool:
    """Whether a value was copied only because the operators return dense tensors."""
    return own is not vt and not is_dense(example(vt))


def _is_old(vt: VariableTracker) -> bool:
    """Whether a container was there before the region: it has an identity that a rebuilt one would lose."""
    if isinstance(vt, TupleVariable):
        return False
    made_in = getattr(vt.mutation_type, "scope", None)
    return vt.source is not None or (made_in is not None and made_in <= current_scope_id())


def _init_args(vt: VariableTracker) -> list[VariableTracker]:
    """What the object's `__new__` gets. `object.__new__` looks at none of it, and `tuple.__new__` gets its items."""
    if type(vt.value).__new__ is object.__new__ or _is_tuple(vt):  # type: ignore[attr-defined]
        return []
    return list(getattr(vt, "init_args", None) or ())


def _is_tuple(vt: VariableTracker) -> bool:
    return isinstance(getattr(vt, "_base_vt", None), TupleVariable)
