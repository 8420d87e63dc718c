"""Python numbers, None and tensors that a program keeps in its own objects and changes from call to call.

    self.steps += 1          one graph for all values of `steps`, not one for each

Torch reads such a number as a constant and guards on it, so that its next value asks for another graph. Where a trace
ends having given one a new value, it starts over with that place marked, and the number is an input of the graph. So
it is with None where a tensor is left, or an int where a float is, and the other way round.
"""

from types import NoneType
from typing import Any

import torch
from torch._dynamo.source import AttrSource, ChainedSource
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import VariableBuilder
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lazy import LazyCache, LazyConstantVariable, LazyVariableTracker
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.torch_function import TorchFunctionModeStackVariable
from torch.fx.experimental.symbolic_shapes import DimDynamic, free_symbols

from graphweld.capture import sites
from graphweld.capture.effects import contents_of
from graphweld.capture.kept_tensors import NUMBERS, Kinds, kept_kinds, kind_of, number_input, one_of_kinds
from graphweld.capture.merge_variable import MergeVariable


def hook_literals() -> None:
    """Remember where each number, None and tensor came from, and make inputs of what is known to change."""
    wrap_literal, wrap_tensor = VariableBuilder.wrap_literal, VariableBuilder.wrap_tensor

    def wrap(self: VariableBuilder, value: object) -> VariableTracker:
        trace = sites.trace_of(self.tx)
        if trace is None or type(value) not in (*NUMBERS, NoneType) or self.tx.export:
            return wrap_literal(self, value)
        kind = _kind_here(trace, self.source.name, value)
        if kind is None:
            if value is None or kind_of(value) is not None:
                trace.kept[self.source.name] = (self.source, value)
            return wrap_literal(self, value)
        if isinstance(kind, Kinds):
            trace.kept[self.source.name] = (self.source, value)
            return one_of_kinds(self, value, kind)
        if type(value) is int and self.source.name not in trace.tested and not trace.on_trial:
            size = self.wrap_symint(value, dynamism=DimDynamic.DYNAMIC)
            if isinstance(size, SymNodeVariable):
                trace.sizes[self.source.name] = size.sym_num
            return size
        return number_input(self, value)  # type: ignore[arg-type]

    def tensor(self: VariableBuilder, value: torch.Tensor) -> VariableTracker:
        trace = sites.trace_of(self.tx)
        if trace is None or self.tx.export or not isinstance(self.source, ChainedSource):
            return wrap_tensor(self, value)
        kind = _kind_here(trace, self.source.name, value)
        trace.kept[self.source.name] = (self.source, value)
        return wrap_tensor(self, value) if kind is None else one_of_kinds(self, value, kind)

    create = LazyConstantVariable.create

    def lazy(value: Any, source: Any, **options: Any) -> VariableTracker:
        from graphweld.capture.dynamo import current_tx

        tx = current_tx()
        trace = None if tx is None else sites.trace_of(tx)
        if trace is not None and isinstance(trace.changing.get(source.name), Kinds):
            return LazyVariableTracker(LazyCache(value, source), source=source)  # the other would guard on the type
        return create(value, source, **options)

    VariableBuilder.wrap_literal, VariableBuilder.wrap_tensor = wrap, tensor  # type: ignore[method-assign]
    LazyConstantVariable.create = staticmethod(lazy)  # type: ignore[method-assign]


def note_tested(tx: Any, test: VariableTracker) -> None:
    """Remember that a test is of an int that changes from call to call, and would be a guard for each answer."""
    trace, test = sites.trace_of(tx), test.realize()
    if trace is None or not isinstance(test, SymNodeVariable) or not trace.sizes:
        return
    asked = free_symbols(test.sym_num)
    for name, size in trace.sizes.items():
        if name not in trace.untested and not asked.isdisjoint(free_symbols(size)):
            trace.tested.add(name)


def _kind_here(trace: sites.Trace, name: str, value: object) -> Any:
    """The kind of what a place is known to hold, unless something of another kind is there now."""
    kind = trace.changing.get(name)
    fits = kind.allows(value) if isinstance(kind, Kinds) else kind_of(value) is not None
    return kind if fits else None


def newly_changing(tx: Any, trace: sites.Trace) -> dict[str, Any]:
    """The places that the finished trace read as constants, or tensors, and leaves otherwise; their kinds."""
    if not trace.wanted and trace.was_on_trial:
        return {}
    written = _written(tx.output.side_effects)
    found = {}
    for name, (source, before) in trace.kept.items():
        if name in trace.constant or not isinstance(source, ChainedSource):
            continue
        key = getattr(source, "member", getattr(source, "index", None))
        after = written.get(source.base.name, {}).get(key)
        known, kind = trace.changing.get(name), None if after is None else _changing_kind(before, after.realize())
        if isinstance(known, Kinds):
            kind = known.together_with(kind) if isinstance(kind, Kinds) else None
        if kind not in (None, known):
            found[name] = kind
    # A program without sites stays torch's. But the sites may lie on the paths that it takes in the second call, and
    # there it may read what it has only written so far.
    if found and not trace.wanted:
        trace.on_trial = True
        found = _first_written(tx.output.side_effects) | found
    return found


def _first_written(side_effects: Any) -> dict[str, Any]:
    """The attributes that were None and are left otherwise, of which the trace need not have read any."""
    found = {}
    for vt, stored in side_effects.store_attr_mutations.items():
        had = getattr(getattr(vt, "value", None), "__dict__", {})
        for key, after in stored.items():
            if vt.source is not None and key in had and had[key] is None:
                found[AttrSource(vt.source, key).name] = kept_kinds(None, after.realize())
    return {name: kinds for name, kinds in found.items() if kinds is not None}


def _changing_kind(before: Any, after: VariableTracker) -> Any:
    kinds = kept_kinds(before, after)
    if kinds is not None or type(before) not in NUMBERS:
        return kinds
    if isinstance(after, ConstantVariable):
        return type(before) if type(after.value) is type(before) and after.value != before else None
    left = after.bound_alternatives() if isinstance(after, MergeVariable) else [after]
    try:
        return type(before) if {vt.python_type() for vt in left} == {type(before)} else None
    except NotImplementedError:
        return None


def _written(side_effects: Any) -> dict[str, dict[Any, VariableTracker]]:
    """By the name of an object from outside: its attributes or items that the trace wrote."""
    written: dict[str, dict[Any, VariableTracker]] = {}
    for vt, stored in side_effects.store_attr_mutations.items():
        if vt.source is not None:
            written.setdefault(vt.source.name, {}).update(stored)
    for vt in side_effects.id_to_variable.values():
        if vt.source is None or isinstance(vt, TorchFunctionModeStackVariable):  # torch's own, and without a name
            continue
        if getattr(vt.mutation_type, "is_modified", False):
            held = contents_of(vt)
            items = held.items() if isinstance(held, dict) else enumerate(held or ())
            written.setdefault(vt.source.name, {}).update((_key(key), value) for key, value in items)
    return written


def _key(key: Any) -> Any:
    vt = getattr(key, "vt", key)
    return vt.value if isinstance(vt, ConstantVariable) else vt
