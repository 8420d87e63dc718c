"""What only some paths have, and attributes among it; `partial` has entries of dicts and members of sets.

    if x.sum() > 0:
        self.cache = x * 2         self.cache is x * 2, or absent where the test does not hold
    if hasattr(self, "cache"):     the test

The tracer holds a merge with `UNDEFINED` for what is absent. A read raises what Python raises where it is. Behind the
graph, the attribute is set or deleted.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import torch
from torch._dynamo.bytecode_transformation import create_call_function, create_instruction
from torch._dynamo.side_effects import SideEffects
from torch._dynamo.source import AttrSource
from torch._dynamo.variables.base import AttrMutationKind, VariableTracker
from torch._dynamo.variables.builtin import GetAttrBuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.misc import DeletedVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture import grown_lists
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.predicates import as_bool, negate, select_bool
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import assume, known
from graphweld.capture.variables import Tx, constant, is_tensor, is_undefined
from graphweld.diagnostics import rules
from graphweld.runtime.undefined import UNDEFINED

Args = list[VariableTracker]
HOME = "graphweld.runtime.merge"


def absent(tx: Tx) -> VariableTracker:
    """The stand-in for what is not there."""
    if not hasattr(tx.output, "gw_absent"):
        source = AttrSource(tx.output.root_tx.import_source("graphweld.runtime.undefined"), "UNDEFINED")
        tx.output.gw_absent = VariableTracker.build(tx, UNDEFINED, source).realize()  # type: ignore[attr-defined]
    return tx.output.gw_absent  # type: ignore[attr-defined,no-any-return]


def there_or_absent(tx: Tx, vt: VariableTracker | None, name: str = "") -> VariableTracker:
    """A value, or the stand-in for there being none. A variable of another function must have one."""
    if vt is not None and not isinstance(vt, DeletedVariable):
        return vt
    if name == "cell_contents":
        refuse(tx, rules.RegionMutates("a variable of another function, which may be unbound", "a branch or loop"))
    return absent(tx)


def may_be_absent(vt: VariableTracker) -> bool:
    return is_undefined(vt) or (isinstance(vt, MergeVariable) and any(map(is_undefined, vt.alternatives())))


def settled(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A value on the path on which it is traced: the alternative that is known to be the one."""
    value = value.realize()
    while isinstance(value, MergeVariable):
        holds = known(tx, value.pred)
        if holds is None:
            break
        value = value.then if holds else value.orelse
    return value


def unbound_where(tx: Tx, value: VariableTracker) -> VariableTracker:
    """The predicate under which a value is that of an unbound name."""
    if isinstance(value, MergeVariable):
        return select_bool(tx, value.pred, unbound_where(tx, value.then), unbound_where(tx, value.orelse))
    return constant(is_undefined(value))


def absence(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """Whether something is absent where the trace stands: a predicate, or a constant."""
    where = unbound_where(tx, settled(tx, vt))
    holds = None if isinstance(where, ConstantVariable) else known(tx, where)
    return where if holds is None else constant(holds)


def present(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """What something is where it is there."""
    vt = settled(tx, vt)
    return vt.without_undefined() if isinstance(vt, MergeVariable) else vt


def read(tx: Tx, vt: VariableTracker, exception: type[Exception], message: str) -> VariableTracker:
    """What something is; raises where it is absent."""
    where = absence(tx, vt)
    grown_lists.raise_if(tx, where, exception, message)
    if not isinstance(where, ConstantVariable):
        assume(tx, where, False)
    return present(tx, vt)


def give_up(tx: Tx, name: str, use: str) -> NoReturn:
    refuse(tx, rules.TypeDependsOnData(name, "there or not", use))


# -- attributes ---------------------------------------------------------------------------------


def store_attribute(tx: Tx, vt: VariableTracker, name: str, value: VariableTracker, kind: AttrMutationKind) -> None:
    """Set an attribute, or delete it where the value is that of an absent one."""
    tx.output.side_effects.store_attr(vt, name, DeletedVariable() if is_undefined(value) else value, kind)


def _stored(side_effects: SideEffects, vt: VariableTracker, name: str) -> VariableTracker | None:
    """The value of an attribute that may be absent; None for any other."""
    value = side_effects.store_attr_mutations.get(vt, {}).get(name)
    return value if isinstance(value, MergeVariable) and may_be_absent(value) else None


@contextmanager
def _deleted(tx: Tx, vt: VariableTracker, name: str) -> Iterator[None]:
    """Have an object have no such attribute of its own."""
    stored = tx.output.side_effects.store_attr_mutations[vt]
    before, stored[name] = stored[name], DeletedVariable()
    try:
        yield
    finally:
        stored[name] = before


def hook_absence() -> None:
    """Have attributes be read, asked for, deleted and written back that may be absent."""
    var_getattr, call_obj_hasattr = UserDefinedObjectVariable.var_getattr, UserDefinedObjectVariable.call_obj_hasattr
    get, call_method = GetAttrBuiltinVariable.call_function, UserDefinedObjectVariable.call_method
    load_attr, update = SideEffects.load_attr, SideEffects.codegen_update_mutated

    def attribute(self: UserDefinedObjectVariable, tx: Tx, name: str) -> VariableTracker:
        stored = _stored(tx.output.side_effects, self, name)
        if name == "__dict__" and not _sets_in_module(tx):
            for held in tx.output.side_effects.store_attr_mutations.get(self, ()):
                if _stored(tx.output.side_effects, self, held) is not None:
                    give_up(tx, held, "all attributes are asked for")
        if stored is None:
            return var_getattr(self, tx, name)
        cls = self.python_type()
        if not hasattr(cls, name):
            return read(tx, stored, AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")

        def of_class() -> VariableTracker:
            with _deleted(tx, self, name):
                return var_getattr(self, tx, name)

        return grown_lists.choose(tx, absence(tx, stored), of_class, lambda: present(tx, stored))

    def has_attribute(self: UserDefinedObjectVariable, tx: Tx, name: str) -> Any:
        stored = _stored(tx.output.side_effects, self, name)
        if stored is None or hasattr(self.python_type(), name):
            return call_obj_hasattr(self, tx, name)
        return as_bool(negate(tx, absence(tx, stored)))

    @functools.wraps(get)
    def get_attribute(self: GetAttrBuiltinVariable, tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
        receiver, name = args[0].realize(), args[1].realize() if len(args) > 1 else None
        if isinstance(receiver, UserDefinedObjectVariable) and isinstance(name, ConstantVariable):
            stored = _stored(tx.output.side_effects, receiver, name.value)
            if stored is not None and (len(args) == 2 or hasattr(receiver.python_type(), name.value)):
                return receiver.var_getattr(tx, name.value)
            if stored is not None:
                return grown_lists.choose(tx, absence(tx, stored), lambda: args[2], lambda: present(tx, stored))
        return get(self, tx, args, kwargs)

    def method(self: Any, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        if name == "__delattr__" and _stored(tx.output.side_effects, self, args[0].as_python_constant()) is not None:
            self.var_getattr(tx, args[0].as_python_constant())
        return call_method(self, tx, name, args, kwargs)

    def load(self: SideEffects, item: VariableTracker, name: str, *args: Any, **kwargs: Any) -> VariableTracker:
        from graphweld.capture.dynamo import current_tx

        stored = _stored(self, item, name)
        if stored is not None and name != "cell_contents":
            where = absence(current_tx(), stored)
            if isinstance(where, ConstantVariable) and not where.value:
                return present(current_tx(), stored)
            give_up(current_tx(), name, "it is read in a way that does not ask whether it is there")
        return load_attr(self, item, name, *args, **kwargs)

    def codegen_update_mutated(self: SideEffects, cg: Any, *args: Any, **kwargs: Any) -> None:
        taken = [attribute for vt in self.store_attr_mutations for attribute in _put_late(self, vt)]
        lists = [vt for vt in self._get_modified_vars() if isinstance(vt, grown_lists.GrownList) and vt.source]
        for vt, name, value in reversed(taken):  # values first, as for all others: what is written may be read by them
            kind = self.attr_mutation_kinds[vt][name]
            put = "put_in_dict" if kind is AttrMutationKind.INSTANCE_DICT else "put_attribute"
            _push_call(cg, put, vt, constant(name), value)
        held = {vt: dict(self.store_attr_mutations[vt]) for vt, _, _ in taken}
        for vt, name, _ in taken:
            del self.store_attr_mutations[vt][name]
        for vt in lists:
            cg.add_push_null(lambda: cg.load_import_from(HOME, "put_items"))
            cg(vt.source)
            cg(vt, allow_cache=False)
            vt.mutation_type.is_modified = False
        update(self, cg, *args, **kwargs)
        for count in [2] * len(lists) + [3] * len(taken):
            cg.extend_output([*create_call_function(count, False), create_instruction("POP_TOP")])
        self.store_attr_mutations.update(held)  # code is made twice, the first time to see what is used how often
        for vt in lists:
            vt.mutation_type.is_modified = True

    UserDefinedObjectVariable.var_getattr = attribute  # type: ignore[method-assign]
    UserDefinedObjectVariable.call_obj_hasattr = has_attribute  # type: ignore[method-assign]
    UserDefinedObjectVariable.call_method = method  # type: ignore[method-assign]
    GetAttrBuiltinVariable.call_function = get_attribute  # type: ignore[method-assign]
    SideEffects.load_attr = load  # type: ignore[method-assign]
    SideEffects.codegen_update_mutated = codegen_update_mutated  # type: ignore[method-assign]


def _sets_in_module(tx: Tx) -> bool:
    """Whether torch's own code that sets an attribute of a module asks, for its tables: of parameters it asks more."""
    if (tx.f_code.co_filename, tx.f_code.co_name) != (torch.nn.modules.module.__file__, "__setattr__"):
        return False
    value = tx.symbolic_locals["value"].realize()
    return not (is_tensor(value) and issubclass(value.python_type(), torch.nn.Parameter))


def _put_late(side_effects: SideEffects, vt: VariableTracker) -> list[tuple[VariableTracker, str, VariableTracker]]:
    """The attributes of an object that may be absent, and those that the program has set behind them: in order."""
    stored, found = side_effects.store_attr_mutations[vt], list[tuple[VariableTracker, str, VariableTracker]]()
    for name, value in stored.items():
        is_behind = bool(found) and not isinstance(value, DeletedVariable)
        if name != "cell_contents" and (is_behind or _stored(side_effects, vt, name) is not None):
            found.append((vt, name, value))
    return found


def _push_call(cg: Any, function: str, *args: VariableTracker) -> None:
    cg.add_push_null(lambda: cg.load_import_from(HOME, function))
    for arg in args:
        cg(arg)
