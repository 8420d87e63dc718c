"""A value whose kind depends on the data: None or a tensor, one string or another, tensors of two dtypes.

    y = None if x.sum() > 0 else x          ->  Merge(x.sum() > 0, None, x)

The tracer holds both alternatives and the predicate. An operation on a merge is the same operation on either
alternative, as an `if` on the predicate; returning or storing one emits code that picks the true Python object. (The
name is the compiler's phi: a value that depends on the way control came.)

    if x.sum() > 0: y = x * 2
    else: y = x                             ->  Merge(x.sum() > 0, x * 2, x, joined=cond(...)[0])

Here both alternatives are tensors of one type, and the node has them as one output, `joined`, which operations use. But
on one side y *is* x, so what changes y in place must change x, and returning y must return x: that is what the
alternatives are still needed for.
"""

from typing import Any, NoReturn

import torch
from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.variables.base import AsPythonConstantNotImplementedError, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable, ListVariable, TupleVariable
from torch._dynamo.variables.misc import GetAttrVariable

from graphweld.capture.picked import picking
from graphweld.capture.refusal import refuse
from graphweld.capture.selects import emit_select
from graphweld.capture.variables import (
    Tx,
    call,
    example,
    is_array,
    is_data_number,
    is_number,
    is_tensor,
    is_undefined,
    storage_key,
)
from graphweld.diagnostics import rules

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "matmul")
IN_PLACE_OPERATORS = {"__setitem__", "setitem", "delitem", *(f"i{n}" for n in BINARY), *(f"__i{n}__" for n in BINARY)}


class MergeVariable(VariableTracker):
    """`then` where the 0-d bool tensor `pred` holds, else `orelse`."""

    _nonvar_fields = {"name", "versions", "shows_gradient", *VariableTracker._nonvar_fields}

    def __init__(
        self,
        pred: VariableTracker,
        then: VariableTracker,
        orelse: VariableTracker,
        name: str = "a value",
        joined: VariableTracker | None = None,
        shows_gradient: bool = False,
        **kw: Any,
    ) -> None:
        super().__init__(**kw)
        self.pred, self.then, self.orelse, self.name, self.joined = pred, then, orelse, name, joined
        self.shows_gradient = shows_gradient
        self.versions = self._versions()

    def __repr__(self) -> str:
        return f"Merge({self.then!r}, {self.orelse!r})"

    def alternatives(self) -> list[VariableTracker]:
        """The values it may be, merges of merges opened."""
        found: list[VariableTracker] = []
        for side in self._sides():
            found.extend(side.alternatives() if isinstance(side, MergeVariable) else [side])
        return found

    def bound_alternatives(self) -> list[VariableTracker]:
        return [side for side in self.alternatives() if not is_undefined(side)]

    def tensor(self, tx: Tx) -> VariableTracker:
        """The one tensor that stands for both alternatives, up to date with what was changed in place since."""
        if self.versions != self._versions():
            then, orelse = (side.tensor(tx) if isinstance(side, MergeVariable) else side for side in self._sides())
            joined = emit_select(tx, self.pred, then, orelse)
            if self.joined is None or self.joined.as_proxy().tracer is not tx.output.current_tracer:
                return joined  # a region's own, while the value lives outside of it
            self.joined, self.versions = joined, self._versions()
        assert self.joined is not None
        return self.joined

    def _sides(self) -> tuple[VariableTracker, VariableTracker]:
        return self.then, self.orelse

    def _versions(self) -> list[int]:
        if self.joined is None:
            return []
        found: list[int] = []
        for side in self._sides():
            if isinstance(side, MergeVariable):
                found.extend(side._versions())
            elif is_tensor(side):
                found.append(example(side)._version)
        return found

    def is_visible(self) -> bool:
        """Whether a caller can tell which alternative it is: a kind of its own, or a tensor the caller holds."""
        if self.joined is None or self.shows_gradient or self.versions != self._versions():
            return True
        return any(
            side.is_visible() if isinstance(side, MergeVariable) else is_held_by_caller(side) for side in self._sides()
        )

    def kinds(self) -> str:
        """The alternatives in the user's words."""
        return " or ".join(dict.fromkeys(kind_of(a) for a in self.alternatives()))

    def is_tensor(self) -> bool:
        # Dynamo returns what says yes here as it is, without asking how to reconstruct it.
        return self.joined is not None and not self.is_visible()

    def python_type(self) -> type:
        types = {a.python_type() for a in self.bound_alternatives()}
        if len(types) == 1:
            return types.pop()
        self.give_up("its type is asked for")

    def give_up(self, use: str, tx: Any = None) -> NoReturn:
        from graphweld.capture.dynamo import current_tx

        return refuse(tx or current_tx(), rules.TypeDependsOnData(self.name, self.kinds(), use))

    def as_python_constant(self) -> Any:
        raise AsPythonConstantNotImplementedError(self)

    def hash_impl(self, tx: Tx) -> tuple[int, bool]:
        self.give_up("it is a key, or in a set", tx)  # by its identity it would be none of its alternatives

    def is_constant_none(self) -> bool:
        if any(a.is_constant_none() for a in self.alternatives()):
            self.give_up("it is compared with None")
        return False

    def as_proxy(self) -> Any:
        if self.joined is not None:
            from graphweld.capture.dynamo import current_tx

            return self.tensor(current_tx()).as_proxy()
        bound = self.bound_alternatives()
        if len(bound) == 1:
            return bound[0].as_proxy()
        self.give_up("it is used as one value")

    def bool_impl(self, tx: Tx) -> VariableTracker:
        self.give_up("it steers Python", tx)

    def var_getattr(self, tx: Tx, name: str) -> VariableTracker:
        if callable(getattr(torch.Tensor, name, None)) and any(map(is_tensor, self.alternatives())):
            return GetAttrVariable(self, name)
        if self.joined is not None:
            return self.through(tx, lambda tensor: _getattr(tx, tensor, name))
        return self.each(tx, lambda side: _getattr(tx, side, name))

    def call_obj_hasattr(self, tx: Tx, name: str) -> Any:
        return self.each(tx, lambda side: side.call_obj_hasattr(tx, name))

    def call_method(self, tx: Tx, name: str, args: list[Any], kwargs: dict[str, Any]) -> VariableTracker:
        is_new = self.joined is not None and not any(map(is_held_by_caller, self.alternatives()))
        if name == "requires_grad_" and is_new:  # one leaf: gradients are asked for of what operations use
            return self.tensor(tx).call_method(tx, name, args, kwargs)
        if self.joined is not None and not changes_in_place(name):
            return self.through(tx, lambda tensor: tensor.call_method(tx, name, args, kwargs))
        return self.each(tx, lambda side: side.call_method(tx, name, args, kwargs))

    def call_function(self, tx: Tx, args: Any, kwargs: Any) -> VariableTracker:
        return self.each(tx, lambda side: side.call_function(tx, list(args), dict(kwargs)))

    def unpack_var_sequence(self, tx: Any) -> list[VariableTracker]:
        if self.joined is not None:
            return self.through(tx, lambda tensor: TupleVariable(tensor.unpack_var_sequence(tx))).items  # type: ignore[attr-defined,no-any-return]
        items = self._items(tx)
        return self._settled(tx, "it is unpacked").unpack_var_sequence(tx) if items is None else items

    def tp_iter_impl(self, tx: Any) -> VariableTracker:
        if self.joined is not None:
            tensor = self.tensor(tx)
            is_known = example(tensor).dim() and isinstance(example(tensor).size(0), int)
            return (TupleVariable(self.unpack_var_sequence(tx)) if is_known else tensor).tp_iter_impl(tx)
        items = self._items(tx)
        if items is not None:
            return TupleVariable(items).tp_iter_impl(tx)
        from graphweld.capture.absence import settled
        from graphweld.capture.grown_lists import one_or_other

        found = settled(tx, self)
        either = one_or_other(self) if found is self else found
        return self.give_up("it is iterated over", tx) if either is None else either.tp_iter_impl(tx)

    def through(self, tx: Tx, operation: Any) -> VariableTracker:
        """The operation on the one tensor; on either alternative as well, if the result is a view of it.

        y = x if p else x * 2
        row = y[0]                      a view of x where p holds, of which Python knows
        """
        tensor = self.tensor(tx)
        result = operation(tensor)
        items = result.items if isinstance(result, TupleVariable) else [result]
        memory = storage_key(example(tensor))
        if not any(is_tensor(item) and storage_key(example(item)) == memory for item in items):
            return result  # type: ignore[no-any-return]
        sides = [s.through(tx, operation) if isinstance(s, MergeVariable) else operation(s) for s in self._sides()]
        thens, orelses = (side.items if isinstance(side, TupleVariable) else [side] for side in sides)
        merged: list[VariableTracker] = [
            MergeVariable(self.pred, then, orelse, self.name, joined=item, shows_gradient=self.shows_gradient)
            for then, orelse, item in zip(thens, orelses, items, strict=True)
        ]
        return TupleVariable(merged) if isinstance(result, TupleVariable) else merged[0]

    def _items(self, tx: Tx) -> list[VariableTracker] | None:
        """The items, if it is one list or tuple or another of the same length."""
        if not self.same_length():
            return None
        count = len(self.alternatives()[0].realize().items)  # type: ignore[attr-defined]
        return [self.each(tx, lambda side, k=k: _item(tx, side.realize(), k)) for k in range(count)]

    def same_length(self) -> bool:
        """Whether it is one list or tuple or another, of one length."""
        sides = [side.realize() for side in self.alternatives()]
        known = all(type(side) in (ListVariable, TupleVariable) for side in sides)
        return known and len({len(side.items) for side in sides}) == 1  # type: ignore[attr-defined]

    def _settled(self, tx: Tx, use: str) -> VariableTracker:
        """The alternative that is known to be the one on this path."""
        from graphweld.capture.absence import settled

        found = settled(tx, self)
        return self.give_up(use, tx) if found is self else found

    def each(self, tx: Tx, operation: Any, may_fail: bool = False) -> VariableTracker:
        """The operation on whichever alternative it is; on None it may fail, or on all with `may_fail`.

        A read that may find the name unbound goes through `gw.bound`, so anywhere else the unbound alternative is on
        a path that does not come here.
        """
        from graphweld.capture.conditionals import stage_if

        for side, other in ((self.then, self.orelse), (self.orelse, self.then)):
            if is_undefined(side):
                return operation(other)
        nones = [may_fail or is_none(side) for side in self._sides()]
        failing = tuple(name for name, is_none in zip(("then", "else"), nones, strict=True) if is_none)
        return stage_if(
            tx,
            self.pred,
            lambda: operation(self.then),
            lambda: operation(self.orelse),
            label=self.name,
            failing=failing,
        )

    def without_undefined(self) -> VariableTracker:
        """The value, knowing that the name is bound."""
        then, orelse = (s.without_undefined() if isinstance(s, MergeVariable) else s for s in self._sides())
        if is_undefined(then) or is_undefined(orelse):
            return orelse if is_undefined(then) else then
        return self if (then, orelse) == self._sides() else MergeVariable(self.pred, then, orelse, self.name)

    def reconstruct(self, codegen: Any) -> None:
        if not self.is_visible():
            codegen(self.joined)
            return
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.merge", "pick"))
        codegen(self.pred)
        for side, holds in zip(self._sides(), (True, False), strict=True):
            if is_undefined(side):
                codegen.load_import_from("graphweld.runtime.undefined", "UNDEFINED")
                continue
            with picking(codegen.tx.output, self.pred, holds):
                codegen(side)
        codegen.extend_output(create_call_function(3, False))


def changes_in_place(name: str) -> bool:
    """Whether a method or operator writes to its first argument."""
    return name in IN_PLACE_OPERATORS or (name.endswith("_") and not name.endswith("__"))


def is_held_by_caller(vt: VariableTracker) -> bool:
    """Whether a tensor is an input of the program, or a view of one."""
    return vt.source is not None or getattr(vt, "gw_view_of_input", False)


def _getattr(tx: Tx, vt: VariableTracker, name: str) -> VariableTracker:
    return call(tx, getattr, vt, name)


def kind_of(vt: VariableTracker) -> str:
    """A value in a few words of the user's: None, `int 3`, a float32 tensor of shape (2, 3)."""
    if is_undefined(vt):
        return "unbound"
    if isinstance(vt, ConstantVariable):
        return "None" if is_none(vt) else f"{type(vt.value).__name__} {vt.value!r}"
    if is_tensor(vt):
        fake = vt.as_proxy().node.meta["example_value"]
        kind = "NumPy array" if is_array(vt) else "tensor"
        return f"{str(fake.dtype).removeprefix('torch.')} {kind} of shape {tuple(fake.shape)} on {fake.device}"
    if is_number(vt) or is_data_number(vt):
        return f"{vt.python_type().__name__} from a tensor"
    if isinstance(vt, BaseListVariable):
        return f"a {vt.python_type_name()} of length {len(vt.items)}"
    try:
        return vt.python_type_name()
    except NotImplementedError:
        return type(vt).__name__


def is_none(vt: VariableTracker) -> bool:
    return isinstance(vt, ConstantVariable) and vt.value is None


def is_bool_like(vt: VariableTracker) -> bool:
    """A Python bool, known or not."""
    if isinstance(vt, MergeVariable):
        return is_bool_like(vt.then) and is_bool_like(vt.orelse)
    return is_number(vt) and vt.python_type() is bool


def _item(tx: Tx, side: Any, k: int) -> VariableTracker:
    if isinstance(side, MergeVariable):
        return side.each(tx, lambda inner: _item(tx, inner.realize(), k))
    return side.items[k]  # type: ignore[no-any-return]
