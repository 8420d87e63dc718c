"""Dicts and sets that only on some paths have an entry or a member.

    table = {"p": x}
    if x.sum() > 0:
        table["q"] = x * 2         table is {"p": x, "q": x * 2 or absent}
    if "q" in table:               the test

Going through one is going through a list of which some items are conditional. An order of keys that differs between
paths is refused, and so is what wants to know the keys.
"""

import functools
from typing import Any

from torch._dynamo.bytecode_transformation import create_call_function, create_instruction
from torch._dynamo.variables.base import AsPythonConstantNotImplementedError, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import TupleVariable
from torch._dynamo.variables.sets import SetVariable

from graphweld.capture import grown_lists
from graphweld.capture.absence import HOME, absence, absent, give_up, may_be_absent, present, read
from graphweld.capture.predicates import as_bool, negate, truth
from graphweld.capture.variables import DecidedByData, Thunk, Tx, call, constant

Args = list[VariableTracker]


def hook_partial() -> None:
    """Have copies of such a dict be such, and what takes one for a plain dict be refused."""
    init, call_method = ConstDictVariable.__init__, ConstDictVariable.call_method
    compare = ConstDictVariable.richcompare_impl

    def made(self: ConstDictVariable, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        fit_class(self)

    @functools.wraps(call_method)
    def method_of_dict(self: ConstDictVariable, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        other = args[0].realize() if name == "update" and args else None
        if isinstance(other, PartialDict) and any(may_be_absent(v) and k in self.items for k, v in other.items.items()):
            give_up(tx, "an entry of a dict", "another dict is updated with it")
        done = call_method(self, tx, name, args, kwargs)
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


class Partial(DecidedByData):
    """A dict or set some of whose entries may be absent: `items` has them all, those as merges with `UNDEFINED`."""

    items: dict[Any, VariableTracker]

    def place(self, tx: Tx, key: VariableTracker) -> Any:
        """The key of `items` that equals a key; None where there is none."""
        if not key.realize().is_python_constant():
            give_up(tx, f"an entry of a {self.python_type_name()}", "the data decides which one is looked up")
        return next((k for k in self.items if k.vt.as_python_constant() == key.as_python_constant()), None)

    def entry(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """What the container has for a key, which may be absent."""
        return self.items.get(self.place(tx, key), absent(tx))

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
        made = grown_lists.new(self.present_items(tx, item))
        made.gw_entries = (self, dict(self.items))  # type: ignore[attr-defined]
        return made.tp_iter_impl(tx)

    def predicate(self, tx: Tx) -> VariableTracker:
        return truth(tx, call(tx, _is_positive, self.count(tx)))

    def export(self, join: Any, region: Any) -> Thunk:
        pieces: Thunk | None = join._export_pieces(region, self)
        return (lambda: self) if pieces is None else pieces

    def as_python_constant(self) -> Any:
        raise AsPythonConstantNotImplementedError(self)

    def sq_contains(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        return as_bool(negate(tx, absence(tx, self.entry(tx, item))))

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
        self.items.pop(self.place(tx, key), None)
        fit_class(self)


def _is_positive(count: Any) -> Any:
    return count > 0


class PartialDict(Partial, ConstDictVariable):  # type: ignore[misc]
    """A dict of that kind."""

    def mp_subscript_impl(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return read(tx, self.entry(tx, key), KeyError, "no such key")

    def mp_ass_subscript_impl(self, tx: Tx, key: VariableTracker, value: VariableTracker | None) -> VariableTracker:
        held = self.entry(tx, key)
        if value is None:
            read(tx, held, KeyError, "no such key")
            self.remove(tx, key)
            return constant(None)
        where = absence(tx, held)
        if isinstance(where, ConstantVariable) and where.value:
            self.remove(tx, key)
        elif not isinstance(where, ConstantVariable) and held is not list(self.items.values())[-1]:
            give_up(tx, "an entry of a dict", "its place among the others depends on whether it was there")
        done = ConstDictVariable.mp_ass_subscript_impl(self, tx, key, value)
        fit_class(self)
        return done

    def tp_iter_impl(self, tx: Tx) -> VariableTracker:
        return self.sequence(tx, lambda key, value: key)

    def unpack_var_sequence(self, tx: Any) -> Args:
        give_up(tx, "an entry of a dict", "the dict is unpacked")

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Any) -> VariableTracker:
        match name, args:
            case "get", [key, *default]:
                return self._get(tx, key, default)
            case "pop", [key, *default]:
                popped = self._get(tx, key, default) if default else self.mp_subscript_impl(tx, key)
                self.remove(tx, key)
                return popped
            case "setdefault", [key, *default]:
                value = self._get(tx, key, default)
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

    def _get(self, tx: Tx, key: VariableTracker, default: Args) -> VariableTracker:
        held = self.entry(tx, key)
        other = default[0] if default else constant(None)
        return grown_lists.choose(tx, absence(tx, held), lambda: other, lambda: present(tx, held))

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
                    read(tx, self.entry(tx, key), KeyError, "no such member")
                self.remove(tx, key)
                return constant(None)
        give_up(tx, "a member of a set", f"`{name}` is called on the set")

    def richcompare_impl(self, tx: Any, *args: Any) -> VariableTracker:
        give_up(tx, "a member of a set", "the set is compared")

    def reconstruct(self, codegen: Any) -> None:
        self._reconstruct(codegen, "members")


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
