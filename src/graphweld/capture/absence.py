"""What only some paths have: attributes, entries of dicts and members of sets.

    if x.sum() > 0:
        self.cache = x * 2         self.cache is x * 2, or absent where the test does not hold
        table["q"] = x             table is {"p": ..., "q": x or absent}
    if hasattr(self, "cache"):     the test

The tracer holds a merge with `UNDEFINED` for what is absent. A read raises what Python raises where it is. Behind the
graph, an attribute is set or deleted, and a container filled, with what there is.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from torch._dynamo.bytecode_transformation import create_call_function, create_instruction
from torch._dynamo.side_effects import SideEffects
from torch._dynamo.source import AttrSource
from torch._dynamo.variables.base import AsPythonConstantNotImplementedError, AttrMutationKind, VariableTracker
from torch._dynamo.variables.builtin import GetAttrBuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.misc import DeletedVariable
from torch._dynamo.variables.sets import SetVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture import grown_lists
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.predicates import as_bool, negate, select_bool, truth
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import assume, known
from graphweld.capture.variables import DecidedByData, Thunk, Tx, call, constant, is_undefined
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
    init, dict_method = ConstDictVariable.__init__, ConstDictVariable.call_method
    compare = ConstDictVariable.richcompare_impl
    load_attr, update = SideEffects.load_attr, SideEffects.codegen_update_mutated

    def attribute(self: UserDefinedObjectVariable, tx: Tx, name: str) -> VariableTracker:
        stored = _stored(tx.output.side_effects, self, name)
        if name == "__dict__":
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
        taken = [
            (vt, name, value)
            for vt, stored in self.store_attr_mutations.items()
            for name, value in stored.items()
            if name != "cell_contents" and _stored(self, vt, name) is not None
        ]
        lists = [vt for vt in self._get_modified_vars() if isinstance(vt, grown_lists.GrownList) and vt.source]
        for vt, name, value in taken:  # values first, as for all others: what is written may be read by them
            _push_call(cg, "put_attribute", vt, constant(name), value)
            del self.store_attr_mutations[vt][name]
        for vt in lists:
            cg.add_push_null(lambda: cg.load_import_from(HOME, "put_items"))
            cg(vt.source)
            cg(vt, allow_cache=False)
            vt.mutation_type.is_modified = False
        update(self, cg, *args, **kwargs)
        for count in [2] * len(lists) + [3] * len(taken):
            cg.extend_output([*create_call_function(count, False), create_instruction("POP_TOP")])
        for vt, name, value in taken:  # code is made twice, the first time to see what is used how often
            self.store_attr_mutations[vt][name] = value
        for vt in lists:
            vt.mutation_type.is_modified = True

    def made(self: ConstDictVariable, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        fit_class(self)

    def method_of_dict(self: ConstDictVariable, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        other = args[0].realize() if name == "update" and args else None
        if isinstance(other, PartialDict) and any(may_be_absent(v) and k in self.items for k, v in other.items.items()):
            give_up(tx, "an entry of a dict", "another dict is updated with it")
        done = dict_method(self, tx, name, args, kwargs)
        if other is not None:
            fit_class(self)
        return done

    def compared(self: ConstDictVariable, tx: Tx, other: VariableTracker, op: str) -> VariableTracker:
        if isinstance(other, PartialDict):
            give_up(tx, "an entry of a dict", "the dict is compared")
        return compare(self, tx, other, op)

    ConstDictVariable.__init__ = made  # type: ignore[method-assign]
    setattr(ConstDictVariable, "call_method", method_of_dict)  # noqa: B010 - wrapped by others as well
    ConstDictVariable.richcompare_impl = compared  # type: ignore[method-assign]
    UserDefinedObjectVariable.var_getattr = attribute  # type: ignore[method-assign]
    UserDefinedObjectVariable.call_obj_hasattr = has_attribute  # type: ignore[method-assign]
    UserDefinedObjectVariable.call_method = method  # type: ignore[method-assign]
    GetAttrBuiltinVariable.call_function = get_attribute  # type: ignore[method-assign]
    SideEffects.load_attr = load  # type: ignore[method-assign]
    SideEffects.codegen_update_mutated = codegen_update_mutated  # type: ignore[method-assign]


def _push_call(cg: Any, function: str, *args: VariableTracker) -> None:
    cg.add_push_null(lambda: cg.load_import_from(HOME, function))
    for arg in args:
        cg(arg)


# -- dicts and sets -----------------------------------------------------------------------------


class Partial(DecidedByData):
    """A dict or set some of whose entries may be absent: `items` has them all, those as merges with `UNDEFINED`."""

    items: dict[Any, VariableTracker]

    def entry(self, key: VariableTracker) -> VariableTracker | None:
        """What the container has for a key; an absent one for a key that it never has."""
        from graphweld.capture.dynamo import current_tx

        if not key.realize().is_python_constant():
            give_up(current_tx(), f"an entry of a {self.python_type_name()}", "the data decides which one is looked up")
        return next((v for k, v in self.items.items() if k.vt.as_python_constant() == key.as_python_constant()), None)

    def has(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """Whether it has a key: a predicate, or a constant."""
        held = self.entry(key)
        return constant(False) if held is None else negate(tx, absence(tx, held))

    def count(self, tx: Tx) -> VariableTracker:
        return grown_lists.length(tx, self.present_items(tx, lambda key, value: key))

    def present_items(self, tx: Tx, item: Any) -> Args:
        """An item for each entry, conditional where the entry is."""
        found: Args = []
        for key, value in self.items.items():
            where = absence(tx, value)
            made = item(key.vt, present(tx, value))
            if not isinstance(where, ConstantVariable):
                found.append(grown_lists.Conditional(where, [], [made]))
            elif not where.value:
                found.append(made)
        return found

    def sequence(self, tx: Tx, item: Any) -> VariableTracker:
        return grown_lists.new(self.present_items(tx, item)).tp_iter_impl(tx)

    def predicate(self, tx: Tx) -> VariableTracker:
        return truth(tx, call(tx, _is_positive, self.count(tx)))

    def export(self, join: Any, region: Any) -> Thunk:
        pieces: Thunk | None = join._export_pieces(region, self)
        return (lambda: self) if pieces is None else pieces

    def as_python_constant(self) -> Any:
        raise AsPythonConstantNotImplementedError(self)

    def sq_contains(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        return as_bool(self.has(tx, item))

    def mp_length(self, tx: Tx) -> VariableTracker:
        return self.count(tx)

    sq_length = mp_length

    def has_new_items(self) -> bool:
        return True

    def _reconstruct(self, codegen: Any, function: str) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from(HOME, function))
        for key, value in self.items.items():
            codegen(key.vt)
            codegen(value)
        codegen.append_output(create_instruction("BUILD_MAP", arg=len(self.items)))
        codegen.extend_output(create_call_function(1, False))

    def remove(self, tx: Tx, key: VariableTracker) -> None:
        tx.output.side_effects.mutation(self)
        self.items.pop(next(k for k in self.items if k.vt.as_python_constant() == key.as_python_constant()), None)
        fit_class(self)


def _is_positive(count: Any) -> Any:
    return count > 0


class PartialDict(Partial, ConstDictVariable):  # type: ignore[misc]
    """A dict of that kind."""

    def mp_subscript_impl(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        held = self.entry(key)
        return read(tx, absent(tx) if held is None else held, KeyError, "no such key")

    def mp_ass_subscript_impl(self, tx: Tx, key: VariableTracker, value: VariableTracker | None) -> VariableTracker:
        held = self.entry(key)
        if value is None:
            read(tx, absent(tx) if held is None else held, KeyError, "no such key")
            self.remove(tx, key)
            return constant(None)
        where = constant(False) if held is None else absence(tx, held)
        if isinstance(where, ConstantVariable) and where.value:
            self.remove(tx, key)
        elif not isinstance(where, ConstantVariable) and self.entry(key) is not list(self.items.values())[-1]:
            give_up(tx, "an entry of a dict", "its place among the others depends on whether it was there")
        done = ConstDictVariable.mp_ass_subscript_impl(self, tx, key, value)
        fit_class(self)
        return done

    def tp_iter_impl(self, tx: Tx) -> VariableTracker:
        return self.sequence(tx, lambda key, value: key)

    def unpack_var_sequence(self, tx: Any) -> Args:
        give_up(tx, "an entry of a dict", "the dict is unpacked")

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        from torch._dynamo.variables.lists import TupleVariable

        match name, args:
            case "get", [key, *default]:
                held = self.entry(key)
                other = default[0] if default else constant(None)
                return _choose(tx, absent(tx) if held is None else held, other)
            case "pop", [key, *default]:
                held = self.entry(key) or absent(tx)
                if not default:
                    popped = read(tx, held, KeyError, "no such key")
                else:
                    popped = _choose(tx, held, default[0])
                self.remove(tx, key)
                return popped
            case "setdefault", [key, *default]:
                value = _choose(tx, self.entry(key) or absent(tx), default[0] if default else constant(None))
                self.mp_ass_subscript_impl(tx, key, value)
                return value
            case "keys", []:
                return self.tp_iter_impl(tx)
            case "values", []:
                return self.sequence(tx, lambda key, value: value)
            case "items", []:
                return self.sequence(tx, lambda key, value: TupleVariable([key, value]))
            case (("clear" | "copy" | "update"), _):
                done = ConstDictVariable.call_method(self, tx, name, args, kwargs)
                fit_class(self)
                return done
            case (("__contains__" | "__getitem__" | "__len__" | "__setitem__" | "__delitem__"), _):
                slot = {
                    "__contains__": self.sq_contains,
                    "__getitem__": self.mp_subscript_impl,
                    "__len__": self.mp_length,
                    "__setitem__": self.mp_ass_subscript_impl,
                    "__delitem__": lambda tx, key: self.mp_ass_subscript_impl(tx, key, None),
                }[name]
                return slot(tx, *args)  # type: ignore[operator]
        give_up(tx, "an entry of a dict", f"`{name}` is called on the dict")

    def keys_as_python_constant(self) -> Any:
        from graphweld.capture.dynamo import current_tx

        give_up(current_tx(), "an entry of a dict", "the dict gives a function its arguments")

    def nb_or_impl(self, tx: Any, other: VariableTracker, reverse: bool = False) -> VariableTracker:
        give_up(tx, "an entry of a dict", "the dict is joined with another one")

    def richcompare_impl(self, tx: Any, *args: Any) -> VariableTracker:
        give_up(tx, "an entry of a dict", "the dict is compared")

    def reconstruct(self, codegen: Any) -> None:
        self._reconstruct(codegen, "entries")


class PartialSet(Partial, SetVariable):  # type: ignore[misc]
    """A set of that kind."""

    @property
    def set_items(self) -> Any:
        from graphweld.capture.dynamo import current_tx

        give_up(current_tx(), "a member of a set", "the set is taken as a whole")

    def tp_iter_impl(self, tx: Tx) -> VariableTracker:
        give_up(tx, "a member of a set", "the set is iterated over")

    def unpack_var_sequence(self, tx: Any) -> Args:
        give_up(tx, "a member of a set", "the set is unpacked")

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        match name, args:
            case "__contains__", [key]:
                return self.sq_contains(tx, key)
            case "__len__", []:
                return self.mp_length(tx)
            case (("add" | "clear"), _):
                done = SetVariable.call_method(self, tx, name, args, kwargs)
                fit_class(self)
                return done
            case (("discard" | "remove"), [key]):
                if name == "remove":
                    read(tx, self.entry(key) or absent(tx), KeyError, "no such member")
                self.remove(tx, key)
                return constant(None)
        give_up(tx, "a member of a set", f"`{name}` is called on the set")

    def richcompare_impl(self, tx: Any, *args: Any) -> VariableTracker:
        give_up(tx, "a member of a set", "the set is compared")

    def reconstruct(self, codegen: Any) -> None:
        self._reconstruct(codegen, "members")


def _choose(tx: Tx, held: VariableTracker, default: VariableTracker) -> VariableTracker:
    return grown_lists.choose(tx, absence(tx, held), lambda: default, lambda: present(tx, held))


def fit_class(vt: VariableTracker) -> None:
    """Give the variable of a dict or set the class that what it holds asks for, keeping the object."""
    for plain, partial in ((ConstDictVariable, PartialDict), (SetVariable, PartialSet)):
        if type(vt) in (plain, partial):
            is_partial = any(map(may_be_absent, vt.items.values()))  # type: ignore[attr-defined]
            vt.__class__ = partial if is_partial else plain
            if is_partial and vt.source is not None:
                vt.should_reconstruct_all = True  # type: ignore[attr-defined]
                if isinstance(vt, ConstDictVariable):
                    vt.install_dict_keys_match_guard()


def merged_order(then: dict[Any, Any], orelse: dict[Any, Any]) -> list[Any] | None:
    """The keys of two dicts in an order that is that of either, as far as it has them; None where there is none."""
    if [key for key in then if key in orelse] != [key for key in orelse if key in then]:
        return None
    order: list[Any] = []
    rest = iter(orelse)
    for key in then:
        if key in orelse:
            order.extend(iter(lambda: next(rest), key))
        order.append(key)
    return [*order, *rest]
