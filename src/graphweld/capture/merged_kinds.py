"""Merges met by more values: those of one kind become one alternative.

    y = None                                None
    if p: y = f(x)                          Merge(p, T, None)
    if q: y = g(x)                          Merge(q or p, U or T, None)         and not Merge(q, U, Merge(p, T, None))

So a name has as many alternatives as it has kinds, however many branches it went through. Else each operation on it
would be traced for every way the program came.
"""

from typing import TYPE_CHECKING, Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import TupleVariable

from graphweld.capture.merge_variable import MergeVariable, is_bool_like
from graphweld.capture.predicates import negate
from graphweld.capture.regions import Region, reopened
from graphweld.capture.variables import Thunk, Tx, constant, example, is_number, is_tensor, is_undefined

if TYPE_CHECKING:
    from graphweld.capture.joins import Join

# A predicate, what the value is where it holds, and what it is elsewhere; None where it is never there.
Division = tuple[VariableTracker, VariableTracker | None, VariableTracker | None]


def merge(join: "Join", a: VariableTracker, b: VariableTracker, name: str) -> Thunk | None:
    """One value behind a branch for merges that have a kind in common; None where their alternatives stay as they are.

    Both sides are divided by the kinds of one merge's two alternatives, and the parts are merged with each other.
    """
    if not kinds_in(a) & kinds_in(b):
        return None
    for merged in filter(_is_open, (a, b)):
        kinds = kinds_in(merged.then)  # type: ignore[attr-defined]
        left, right = _divided(join.tx, join.then, a, kinds), _divided(join.tx, join.orelse, b, kinds)
        if left is None or right is None:
            continue
        pred = join.decision(left[0], right[0])
        then, orelse = (_either(join, x, y, name) for x, y in zip(left[1:], right[1:], strict=True))
        return lambda: MergeVariable(pred(), then(), orelse(), name)
    return None


def _either(join: "Join", a: VariableTracker | None, b: VariableTracker | None, name: str) -> Thunk:
    if a is None or b is None:
        return join.export(join.orelse, b) if a is None else join.export(join.then, a)  # type: ignore[arg-type]
    return join.merge(a, b, name)


def _divided(tx: Tx, region: Region, vt: VariableTracker, kinds: set[Any]) -> Division | None:
    """A value as one of these kinds or one of others; None where that takes more than one test."""
    found = kinds_in(vt)
    if found <= kinds:
        return constant(True), vt, None
    if not found & kinds:
        return constant(False), None, vt
    then, orelse = kinds_in(vt.then), kinds_in(vt.orelse)  # type: ignore[attr-defined]
    if then <= kinds and not orelse & kinds:
        return vt.pred, vt.then, vt.orelse  # type: ignore[attr-defined]
    if orelse <= kinds and not then & kinds:
        with reopened(tx, region):
            return negate(tx, vt.pred), vt.orelse, vt.then  # type: ignore[attr-defined]
    return None


def kinds_in(vt: VariableTracker) -> set[Any]:
    """The kinds of a value's alternatives: values of one kind can come out of a branch as one."""
    vt = vt.realize()
    if _is_open(vt):
        return kinds_in(vt.then) | kinds_in(vt.orelse)  # type: ignore[attr-defined]
    tensor = vt.joined if isinstance(vt, MergeVariable) else vt
    if tensor is not None and is_tensor(tensor):
        fake = example(tensor)
        return {(fake.dtype, fake.device, *(n if isinstance(n, int) else None for n in fake.shape))}
    if is_undefined(vt):
        return {"unbound"}
    if is_bool_like(vt) or is_number(vt):
        return {vt.python_type()}
    if isinstance(vt, ConstantVariable):
        return {(type(vt.value), repr(vt.value))}
    return {(tuple, len(vt.items))} if type(vt) is TupleVariable else {id(vt)}


def _is_open(vt: VariableTracker) -> bool:
    """Whether it is one value or another, of which operations see either."""
    return isinstance(vt, MergeVariable) and vt.joined is None and not is_bool_like(vt)
