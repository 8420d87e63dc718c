"""An attribute that one side of a branch makes and the other does not.

    if p > 0.5: cache.device = x.device     ->  (graph)     give(cache, "device", pick(p > 0.5, x.device, UNDEFINED))

It is merged with `UNDEFINED`, like a name that one side binds. A read raises AttributeError where Python does; behind
the graph the object gets the attribute where the data says so.
"""

from typing import Any

from torch._dynamo.bytecode_transformation import create_call_function, create_instruction
from torch._dynamo.side_effects import SideEffects
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture.conditionals import require_bound
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.variables import constant, is_undefined
from graphweld.diagnostics import rules


def may_be_absent(value: Any) -> bool:
    """Whether a stored attribute is one that the data decides to be there."""
    return isinstance(value, MergeVariable) and any(map(is_undefined, value.alternatives()))


def hook_attributes(current_tx: Any) -> None:
    """Reads, and the code behind the graph that writes attributes."""
    load, write = SideEffects.load_attr, SideEffects.codegen_update_mutated

    def load_attr(self: SideEffects, item: VariableTracker, name: str, *args: Any, **kwargs: Any) -> VariableTracker:
        value = load(self, item, name, *args, **kwargs)
        tx = current_tx()
        if tx is None or not isinstance(item, UserDefinedObjectVariable) or not may_be_absent(value):
            return value
        return require_bound(tx, value, AttributeError, rules.RegionMutates(name, "a branch"))

    def codegen_update_mutated(self: SideEffects, cg: Any, *args: Any, **kwargs: Any) -> None:
        given = [
            (vt, name, value)
            for vt in self._get_modified_vars()
            if isinstance(vt, UserDefinedObjectVariable)
            for name, value in self.store_attr_mutations.get(vt, {}).items()
            if may_be_absent(value)
        ]
        for vt, name, _ in given:
            del self.store_attr_mutations[vt][name]
        try:
            write(self, cg, *args, **kwargs)
        finally:
            for vt, name, value in given:
                self.store_attr_mutations[vt][name] = value
        for vt, name, value in given:
            cg.add_push_null(lambda: cg.load_import_from("graphweld.runtime.merge", "give"))
            cg(vt.source)
            cg(constant(name))
            cg(value)
            cg.extend_output([*create_call_function(3, False), create_instruction("POP_TOP")])

    SideEffects.load_attr = load_attr  # type: ignore[method-assign]
    SideEffects.codegen_update_mutated = codegen_update_mutated  # type: ignore[method-assign]
