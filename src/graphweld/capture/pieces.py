"""What a list, dict or object holds, where a loop carries it piece by piece, and how it is made again from that."""

import builtins
from typing import Any

from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import BaseListVariable, ListVariable
from torch._dynamo.variables.misc import ExceptionVariable
from torch._dynamo.variables.user_defined import UserDefinedExceptionObjectVariable, UserDefinedObjectVariable

from graphweld.capture.variables import Thunk, Tx, is_undefined

BUILTIN_EXCEPTIONS = {e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, BaseException)}
WHOLE: list[set[VariableTracker]] = []  # see `carried_containers.keep_whole`


def is_itself(vt: VariableTracker) -> bool:
    """Whether a value is carried as the object it is."""
    return any(vt in whole for whole in WHOLE)


def pieces_of(vt: VariableTracker) -> list[VariableTracker] | None:
    """The elements of a container, or the attributes of an object, that the program made; None for anything else.

    Also None for what the loop around changes in place: see `carried_containers.keep_whole`.
    """
    if is_itself(vt):
        return None
    if isinstance(vt, BaseListVariable) and type(vt).__name__ != "RangeVariable":
        return list(vt.items)
    if type(vt) is ConstDictVariable and vt.source is None:
        return list(vt.items.values())
    if is_exception(vt):
        return list(vt.args)  # type: ignore[attr-defined]
    fields = fields_of(vt)
    return None if fields is None else list(fields.values())


def is_exception(vt: VariableTracker) -> bool:
    """Whether something is an exception that its arguments make."""
    if not isinstance(vt, (ExceptionVariable, UserDefinedExceptionObjectVariable)) or vt.source is not None:
        return False
    exception = getattr(vt, "exc_vt", vt)
    makes = {getattr(cls, name) for cls in BUILTIN_EXCEPTIONS for name in ("__init__", "__new__")}
    cls = exception.exc_type
    return cls.__init__ in makes and cls.__new__ in makes and exception.__cause__.is_constant_none()


def fields_of(vt: VariableTracker) -> dict[str, VariableTracker] | None:
    """The fields of a new object of a plain class, or of a namedtuple."""
    from graphweld.capture.dynamo import current_tx

    if not isinstance(vt, UserDefinedObjectVariable) or vt.source is not None or is_undefined(vt):
        return None
    cls = vt.python_type()
    if is_namedtuple(cls):
        return dict(zip(cls.__match_args__, vt._base_vt.items, strict=True))
    if cls.__new__ is not object.__new__ or getattr(vt, "_base_vt", None) is not None:
        return None
    return new_attributes(current_tx(), vt)


def is_namedtuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_make")


def remake(cls: Any, names: tuple[str, ...], *values: Any) -> Any:
    """An object of a class, with these attributes. Traced."""
    made = object.__new__(cls)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


def new_attributes(tx: Tx, vt: UserDefinedObjectVariable) -> dict[str, VariableTracker] | None:
    """The attributes of an object made during the trace; None for one that was there before."""
    if vt.source is not None or vt.mutation_type is None:
        return None
    return dict(tx.output.side_effects.store_attr_mutations.get(vt, {}))


def rebuilt_sequence(like: BaseListVariable, parts: list[Thunk]) -> Thunk:
    if isinstance(like, ListVariable):
        return lambda: like.clone(items=[p() for p in parts], mutation_type=ValueMutationNew(), source=None)
    return lambda: like.clone(items=[p() for p in parts], source=None)


def rebuilt_dict(like: ConstDictVariable, parts: dict[Any, Thunk]) -> Thunk:
    return lambda: ConstDictVariable(
        {getattr(key, "vt", key): part() for key, part in parts.items()},
        user_cls=like.user_cls,
        mutation_type=ValueMutationNew(),
    )
