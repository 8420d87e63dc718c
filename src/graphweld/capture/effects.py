"""What a region changes in Python: undone after the region's trace, and handed on as values.

Dynamo keeps attribute writes in a side table and changes lists, dicts and sets in place. `watching` copies what is
about to change, lets the region's trace run, takes the changes out again and returns them as `Effects`: two sides of a
branch then start from the same objects, and the merged values are written once, behind the region.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch._dynamo.side_effects import SideEffects
from torch._dynamo.variables.base import AttrMutationKind, VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable, DunderDictVariable
from torch._dynamo.variables.functions import LocalGeneratorObjectVariable as Generator
from torch._dynamo.variables.iter import IteratorVariable
from torch._dynamo.variables.lists import CommonListMethodsVariable, DequeVariable, ListVariable
from torch._dynamo.variables.misc import DeletedVariable
from torch._dynamo.variables.sets import SetVariable
from torch._dynamo.variables.user_defined import UserDefinedClassVariable, UserDefinedObjectVariable

from graphweld.capture.refusal import refuse
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, is_same_object, is_tensor
from graphweld.diagnostics import rules

CONTENTS = ("items", "set_items")


@dataclass(slots=True)
class Effects:
    """The changes a region made to objects that were there before it."""

    attributes: dict[tuple[VariableTracker, str], VariableTracker] = field(default_factory=dict)
    kinds: dict[tuple[VariableTracker, str], AttrMutationKind] = field(default_factory=dict)
    contents: dict[VariableTracker, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.attributes or self.contents)


def _watchers(output: Any) -> list[dict[VariableTracker, Any]]:
    """What each open region has seen about to change, kept on the graph under construction."""
    if not hasattr(output, "gw_watchers"):
        output.gw_watchers = []
    return output.gw_watchers  # type: ignore[no-any-return]


def contents_of(vt: VariableTracker) -> Any:
    """A copy of what a list, dict or set holds; None for other values."""
    for name in CONTENTS:
        held = vt.__dict__.get(name)
        if held is not None:
            return copy.copy(held)
    return None


def is_same_contents(before: Any, after: Any) -> bool:
    """Whether a list, dict or set holds the very objects that it held."""
    if len(before) != len(after):
        return False
    if isinstance(before, dict):
        return list(before) == list(after) and all(_is_one(after[key], value) for key, value in before.items())
    return all(map(_is_one, before, after))


def _is_one(a: Any, b: Any) -> bool:
    """Whether two entries are one object; a tensor that was changed in place has another variable."""
    return a is b or (is_tensor(a) and is_tensor(b) and is_same_object(a, b))


def put_contents(vt: VariableTracker, held: Any) -> None:
    """Make a list, dict or set hold `held`, keeping its own container object."""
    from graphweld.capture import grown_lists, partial

    for name in CONTENTS:
        current = vt.__dict__.get(name)
        if current is not None:
            if isinstance(current, list):
                current[:] = held
            else:
                current.clear()
                current.update(held)
            break
    grown_lists.fit_class(vt)
    partial.fit_class(vt)


def hook_changes(instead: Callable[..., bool]) -> None:
    """Have every method that may change a list, dict or set remember first what it held; or `instead` has done it.

    `SideEffects.mutation` comes too late for that: of `l[i] = v`, `del l[i]`, `l += m`, `l.reverse()` and
    `d.popitem()`, it is told afterwards.
    """
    hook_generators()
    mutation = SideEffects.mutation

    def watched(self: SideEffects, var: VariableTracker) -> None:
        watch_mutation(self, var)
        mutation(self, var)

    SideEffects.mutation = watched  # type: ignore[method-assign]
    for cls, names in CHANGING.items():
        for name in names:
            setattr(cls, name, _remembering(getattr(cls, name), instead))


def hook_generators() -> None:
    """A generator made outside of a region keeps its place in a frame that cannot be put back: refuse to advance it."""
    init, advance = Generator.__init__, Generator.tp_iternext_impl

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self.gw_home = self.inline_tracer.output.current_tracer

    def next_item(self: Any, tx: Tx) -> VariableTracker:
        if trace_of(tx) is not None and self.gw_home is not tx.output.current_tracer:
            refuse(tx, rules.RegionMutates("a generator", "a branch or loop"))
        return advance(self, tx)

    Generator.__init__ = made  # type: ignore[method-assign]
    Generator.tp_iternext_impl = next_item  # type: ignore[method-assign]


CHANGING: dict[type[VariableTracker], tuple[str, ...]] = {
    CommonListMethodsVariable: ("call_method",),
    ListVariable: (
        "call_method", "sq_ass_item_impl", "mp_ass_subscript_impl", "sq_inplace_concat_impl", "sq_inplace_repeat_impl",
    ),
    DequeVariable: ("call_method", "sq_ass_item_impl", "sq_inplace_concat_impl"),
    ConstDictVariable: ("call_method",),
    SetVariable: ("call_method",),
}  # fmt: skip


def _remembering(method: Any, instead: Callable[..., bool]) -> Any:
    @functools.wraps(method)
    def changes(self: VariableTracker, tx: Tx, *args: Any, **kwargs: Any) -> Any:
        watch_mutation(tx.output.side_effects, self)
        if isinstance(self, ListVariable) and instead(tx, self, args):
            return ConstantVariable.create(None)
        return method(self, tx, *args, **kwargs)

    return changes


def watch_mutation(side_effects: SideEffects, vt: VariableTracker) -> None:
    """Called before a list, dict or set may change: remember what it held, once for each region that is open."""
    if isinstance(vt, DunderDictVariable):
        return  # an object's `__dict__`, filled as it is read; its writes are attribute writes
    output = side_effects.output_graph_weakref()
    for seen in _watchers(output) if output is not None else ():
        if vt not in seen:
            seen[vt] = (contents_of(vt), getattr(vt.mutation_type, "is_modified", None))


@contextmanager
def unwatched(tx: Tx) -> Iterator[None]:
    """What changes inside stays changed behind the regions that are open, however they end."""
    watchers, tx.output.gw_watchers = _watchers(tx.output), []  # type: ignore[attr-defined]
    try:
        yield
    finally:
        tx.output.gw_watchers = watchers  # type: ignore[attr-defined]


@contextmanager
def watching(tx: Tx) -> Iterator[Effects]:
    """Trace a region inside; afterwards the changes are in the `Effects`, and undone."""
    side_effects = tx.output.side_effects
    attributes = {vt: dict(stored) for vt, stored in side_effects.store_attr_mutations.items()}
    kinds = {vt: dict(stored) for vt, stored in side_effects.attr_mutation_kinds.items()}
    seen: dict[VariableTracker, Any] = {}
    effects = Effects()
    stack = _watchers(tx.output)
    stack.append(seen)
    try:
        yield effects
    finally:
        stack.pop()
        _take_out(tx, effects, attributes, kinds, seen)


def _take_out(tx: Tx, effects: Effects, attributes: Any, kinds: Any, seen: dict[VariableTracker, Any]) -> None:
    """Move what changed since from the objects to `effects`."""
    side_effects = tx.output.side_effects
    scope = _scope(tx)
    for vt, stored in side_effects.store_attr_mutations.items():
        before = attributes.get(vt, {})
        is_new = getattr(vt.mutation_type, "scope", 0) >= scope
        for name, value in stored.items():
            if not is_new and before.get(name) is not value:
                effects.attributes[vt, name] = value
                effects.kinds[vt, name] = side_effects.attr_mutation_kinds[vt][name]
    for vt, (held, was_modified) in seen.items():
        is_new = getattr(vt.mutation_type, "scope", 0) >= scope
        if not is_new and isinstance(vt, IteratorVariable):
            refuse(tx, rules.RegionMutates("an iterator", "a branch or loop"))
        if not is_new and held is not None:
            if not is_same_contents(held, contents_of(vt)):
                effects.contents[vt] = contents_of(vt)
            put_contents(vt, held)
            if was_modified is not None:
                vt.mutation_type.is_modified = was_modified  # type: ignore[union-attr]
    for vt, name in effects.attributes:
        before = attributes.get(vt, {})
        if name in before:
            side_effects.store_attr_mutations[vt][name] = before[name]
            side_effects.attr_mutation_kinds[vt][name] = kinds[vt][name]
        else:
            del side_effects.store_attr_mutations[vt][name]
            del side_effects.attr_mutation_kinds[vt][name]
            if not side_effects.store_attr_mutations[vt]:
                del side_effects.store_attr_mutations[vt], side_effects.attr_mutation_kinds[vt]


def _scope(tx: Tx) -> int:
    from torch._dynamo.current_scope_id import current_scope_id

    return current_scope_id()


def current_attribute(tx: Tx, vt: VariableTracker, name: str) -> VariableTracker | None:
    """The value an attribute has before the region, or None where it has none."""
    side_effects = tx.output.side_effects
    stored = side_effects.store_attr_mutations.get(vt, {})
    if name in stored:
        return None if isinstance(stored[name], DeletedVariable) else stored[name]
    before = getattr(vt, "pre_existing_contents", None)
    if name == "cell_contents":
        return before
    if vt.source is None and not isinstance(vt, UserDefinedObjectVariable):
        return None
    try:  # of an object, a module whose globals these are, a class, a function
        value = vt.var_getattr(tx, name)
    except Exception as error:
        if "AttributeError" not in type(error).__name__:
            raise
        vt.call_obj_hasattr(tx, name)  # guards on its absence
        return None
    if isinstance(vt, UserDefinedClassVariable) and name not in vars(vt.value):
        refuse(tx, rules.RegionMutates("an attribute that a class inherits", "a branch or loop"))
    return None if _is_of_class(vt, name) else value


def _is_of_class(vt: VariableTracker, name: str) -> bool:
    """Whether an object has an attribute only because its class has one, which it would hide with one of its own."""
    if not isinstance(vt, UserDefinedObjectVariable):
        return False
    held = getattr(vt.value, "__dict__", None)
    if held is None or name in held or not hasattr(type(vt.value), name):
        return False
    return not hasattr(type(inspect.getattr_static(type(vt.value), name)), "__set__")
