"""A value whose kind depends on the data: None or a tensor, one string or another, tensors of two dtypes.

    y = None if x.sum() > 0 else x          ->  Merge(x.sum() > 0, None, x)

The tracer holds both alternatives and the predicate. An operation on a merge is the same operation on either
alternative, as an `if` on the predicate; returning or storing one emits code that picks the true Python object. (The
name is the compiler's phi: a value that depends on the way control came.)
"""

from typing import Any

from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.variables.base import AsPythonConstantNotImplementedError, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable

from graphweld.capture.refusal import refuse
from graphweld.capture.variables import Tx, is_data_number, is_number, is_tensor, is_undefined
from graphweld.diagnostics import rules


class MergeVariable(VariableTracker):
    """`then` where the 0-d bool tensor `pred` holds, else `orelse`."""

    def __init__(
        self, pred: VariableTracker, then: VariableTracker, orelse: VariableTracker, name: str = "a value", **kw: Any
    ) -> None:
        super().__init__(**kw)
        self.pred, self.then, self.orelse, self.name = pred, then, orelse, name

    _nonvar_fields = {"name", *VariableTracker._nonvar_fields}

    def __repr__(self) -> str:
        return f"Merge({self.then!r}, {self.orelse!r})"

    def alternatives(self) -> list[VariableTracker]:
        """The values it may be, merges of merges opened."""
        found: list[VariableTracker] = []
        for side in (self.then, self.orelse):
            found.extend(side.alternatives() if isinstance(side, MergeVariable) else [side])
        return found

    def kinds(self) -> str:
        """The alternatives in the user's words."""
        return ", ".join(dict.fromkeys(kind_of(a) for a in self.alternatives()))

    def python_type(self) -> type:
        types = {a.python_type() for a in self.alternatives()}
        if len(types) == 1:
            return types.pop()
        self.give_up("its type is asked for")

    def give_up(self, use: str) -> Any:
        from graphweld.capture.dynamo import current_tx

        return refuse(current_tx(), rules.TypeDependsOnData(self.name, self.kinds(), use))

    def as_python_constant(self) -> Any:
        raise AsPythonConstantNotImplementedError(self)

    def is_constant_none(self) -> bool:
        if any(a.is_constant_none() for a in self.alternatives()):
            self.give_up("it is compared with None")
        return False

    def as_proxy(self) -> Any:
        self.give_up("it is used as one value")

    def bool_impl(self, tx: Tx) -> VariableTracker:
        self.give_up("it steers Python")
        raise AssertionError

    def var_getattr(self, tx: Tx, name: str) -> VariableTracker:
        return self.each(tx, lambda side: _getattr(tx, side, name))

    def call_obj_hasattr(self, tx: Tx, name: str) -> Any:
        return self.each(tx, lambda side: side.call_obj_hasattr(tx, name))

    def call_method(self, tx: Tx, name: str, args: list[Any], kwargs: dict[str, Any]) -> VariableTracker:
        return self.each(tx, lambda side: side.call_method(tx, name, args, kwargs))

    def call_function(self, tx: Tx, args: Any, kwargs: Any) -> VariableTracker:
        return self.each(tx, lambda side: side.call_function(tx, list(args), dict(kwargs)))

    def unpack_var_sequence(self, tx: Any) -> list[VariableTracker]:
        self.give_up("it is unpacked")
        raise AssertionError

    def each(self, tx: Tx, operation: Any) -> VariableTracker:
        """The operation on whichever alternative it is."""
        from graphweld.capture.conditionals import stage_if

        return stage_if(
            tx,
            self.pred,
            lambda: operation(_readable(tx, self, self.then)),
            lambda: operation(_readable(tx, self, self.orelse)),
            label=self.name,
        )

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.merge", "pick"))
        codegen(self.pred)
        codegen(self.then)
        codegen(self.orelse)
        codegen.extend_output(create_call_function(3, False))


def _getattr(tx: Tx, vt: VariableTracker, name: str) -> VariableTracker:
    from graphweld.capture.variables import call

    return call(tx, getattr, vt, name)


def _readable(tx: Tx, merge: MergeVariable, side: VariableTracker) -> VariableTracker:
    if side.is_constant_none():
        refuse(tx, rules.TypeDependsOnData(merge.name, merge.kinds(), "an operation that None does not have"))
    if is_undefined(side):
        refuse(tx, rules.MaybeUnbound(merge.name))
    return side


def kind_of(vt: VariableTracker) -> str:
    """A value in a few words of the user's: None, `int 3`, a float32 tensor of shape (2, 3)."""
    if is_undefined(vt):
        return "unbound"
    if isinstance(vt, ConstantVariable):
        return "None" if vt.value is None else f"{type(vt.value).__name__} {vt.value!r}"
    if is_tensor(vt):
        fake = vt.as_proxy().node.meta["example_value"]
        return f"{str(fake.dtype).removeprefix('torch.')} tensor of shape {tuple(fake.shape)} on {fake.device}"
    if is_number(vt) or is_data_number(vt):
        return f"{vt.python_type().__name__} from a tensor"
    try:
        return vt.python_type_name()
    except NotImplementedError:
        return type(vt).__name__


def is_bool_like(vt: VariableTracker) -> bool:
    """A Python bool, known or not."""
    if isinstance(vt, MergeVariable):
        return is_bool_like(vt.then) and is_bool_like(vt.orelse)
    return is_number(vt) and vt.python_type() is bool
