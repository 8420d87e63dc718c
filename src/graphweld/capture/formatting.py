"""Strings made from values of the data: formatted behind the graph, with the values of the moment Python would.

message = f"step {self.steps}: {loss}"      ->     (graph)     "step {}: {}".format(steps, a copy of loss)
"""

import functools
from typing import Any

from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import BaseListVariable, ListVariable, RangeVariable, SliceVariable, TupleVariable
from torch._dynamo.variables.misc import StringFormatVariable
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable

from graphweld.capture import sites
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.percent import escaped
from graphweld.capture.variables import Tx, call, is_array, is_tensor, method

CONTAINERS = (ListVariable, TupleVariable, ConstDictVariable)
CONVERSIONS = ("", "!s", "!r", "!a")


def hook_formatting() -> None:
    """Torch formats a number that it knows a value of at once, and guards on it; a tensor it formats too late."""
    format_value = InstructionTranslatorBase._format_value
    create = StringFormatVariable.create.__func__  # type: ignore[attr-defined]

    def format_later(self: Any, fmt_spec: VariableTracker, flags: int) -> None:
        value = self.stack[-1].realize()
        kinds = (SymNodeVariable, TensorVariable, MergeVariable)
        is_container = type(value) in CONTAINERS and not value.is_python_constant()
        if sites.trace_of(self) is None or not (isinstance(value, kinds) or is_container):
            return format_value(self, fmt_spec, flags)
        if isinstance(value, MergeVariable) and all(isinstance(v, ConstantVariable) for v in value.alternatives()):
            return format_value(self, fmt_spec, flags)  # one known string or another, which can be a name or a key
        self.pop()
        spec = f"{{{CONVERSIONS[flags & 3]}:{fmt_spec.as_python_constant()}}}"
        self.push(StringFormatVariable.create(spec, [value], {}))

    def created(cls: Any, format_string: str, sym_args: Any, sym_kwargs: Any) -> VariableTracker:
        from graphweld.capture.dynamo import current_tx

        tx = current_tx()
        if tx is not None:
            sym_args = [of_this_moment(tx, arg) for arg in sym_args]
            sym_kwargs = {key: of_this_moment(tx, arg) for key, arg in sym_kwargs.items()}
        return create(cls, format_string, sym_args, sym_kwargs)  # type: ignore[no-any-return]

    call_method = ConstantVariable.call_method

    @functools.wraps(call_method)
    def constant_method(self: Any, tx: Tx, name: str, args: list[VariableTracker], kwargs: Any) -> VariableTracker:
        if name == "join" and type(self.value) is str and len(args) == 1 and sites.trace_of(tx) is not None:
            args = [call(tx, list, args[0])]
            joined = _joined(tx, self.value, args[0])
            if joined is not None:
                return joined
        return call_method(self, tx, name, args, kwargs)

    ConstantVariable.call_method = constant_method  # type: ignore[method-assign]
    InstructionTranslatorBase._format_value = format_later  # type: ignore[method-assign]
    StringFormatVariable.create = classmethod(created)  # type: ignore[assignment,method-assign]


def _joined(tx: Tx, separator: str, parts: VariableTracker) -> VariableTracker | None:
    """`separator.join(parts)` of strings, some of which the data decides; None for others."""
    if type(parts) is not ListVariable:
        return None
    strings = [part.realize() for part in parts.items]
    if all(isinstance(v, ConstantVariable) for v in strings) or any(v.python_type() is not str for v in strings):
        return None
    return StringFormatVariable.create(escaped(separator).join(["{}"] * len(strings)), strings, {})


def of_this_moment(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """A value that later changes in place do not reach."""
    vt = vt.realize()
    if is_tensor(vt) and not getattr(vt, "gw_copy", False):
        copy = method(tx, vt, "copy" if is_array(vt) else "clone")
        copy.gw_copy = True  # type: ignore[attr-defined]
        return copy
    if isinstance(vt, MergeVariable):
        then, orelse = (of_this_moment(tx, side) for side in (vt.then, vt.orelse))
        return MergeVariable(vt.pred, then, orelse, vt.name)
    if isinstance(vt, BaseListVariable) and not isinstance(vt, (RangeVariable, SliceVariable)):
        items = [of_this_moment(tx, item) for item in vt.items]
        kind = ValueMutationNew() if isinstance(vt, ListVariable) else vt.mutation_type
        return vt.clone(items=items, mutation_type=kind, source=None)
    if type(vt) is ConstDictVariable:
        entries = {key.vt: of_this_moment(tx, value) for key, value in vt.items.items()}
        return ConstDictVariable(entries, user_cls=vt.user_cls, mutation_type=ValueMutationNew())
    return vt
