"""Builtins, operators and items with values that the data decides, as the tracer answers them."""

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.functions import LocalGeneratorObjectVariable
from torch._dynamo.variables.iter import DictViewIterator, IteratorVariable, ZipVariable
from torch._dynamo.variables.lists import (
    BaseListVariable,
    ListIteratorVariable,
    ListVariable,
    SliceVariable,
    TupleVariable,
)
from torch._dynamo.variables.nn_module import UnspecializedNNModuleVariable
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture import indexing, list_operations, output, sites
from graphweld.capture.conditionals import distribute, stage_if
from graphweld.capture.grown_lists import GrownList, give_up, raise_if
from graphweld.capture.intrinsics import identity, unpack
from graphweld.capture.merge_variable import BINARY, MergeVariable, changes_in_place
from graphweld.capture.predicates import as_bool, either, is_data_dependent, negate, predicate, select_bool, truth
from graphweld.capture.raises import emit_check, emit_raise
from graphweld.capture.refusal import refuse
from graphweld.capture.sequences import (
    DynamicSequence,
    Reversed,
    as_sequence,
    enumerated,
    is_dynamic,
    make_range,
    mapped,
    sliced,
    zipped,
)
from graphweld.capture.variables import Tx, call, constant, example, is_data_number, is_tensor, method
from graphweld.diagnostics import rules

Args = list[VariableTracker]
dynamo_handler = BuiltinVariable._make_handler  # before the hooks take its place


def builtin(fn: Callable[..., Any], arg_types: list[type], has_kwargs: bool) -> Callable[..., Any] | None:
    """A handler for a builtin with a value of ours among its arguments, by their types; None for Dynamo's own."""
    if fn is print:
        return lambda tx, args, kwargs: (
            output.print_(tx, args, kwargs)
            if sites.trace_of(tx) is not None
            else dynamo_handler(fn, arg_types, has_kwargs)(tx, args, kwargs)
        )
    if GrownList in arg_types:
        return _on_grown_list(fn)
    if MergeVariable in arg_types:
        return builtin_on_merge(fn)
    if (
        fn in (bool, operator.truth)
        and len(arg_types) == 1
        and issubclass(arg_types[0], (SymNodeVariable, TensorVariable))
    ):
        return _bool
    if fn in (operator.is_, operator.is_not) and any(issubclass(t, SymNodeVariable) for t in arg_types):
        return _identity_of_numbers(fn, arg_types)
    if fn in (int, float) and len(arg_types) == 1 and issubclass(arg_types[0], TensorVariable):
        return _number_of(fn, arg_types)
    if fn is range and not has_kwargs:
        return _range
    if fn in DIVISIONS and len(arg_types) == 2 and issubclass(arg_types[1], SymNodeVariable):
        return _divide(fn, arg_types)
    if fn in USER_OPERATORS and len(arg_types) == 2 and not has_kwargs:
        objects = [issubclass(t, UserDefinedObjectVariable) for t in arg_types]
        if any(objects) and any(issubclass(t, (TensorVariable, SymNodeVariable)) for t in arg_types):
            return _user_operator(fn, arg_types)
    if fn in MIRRORED and issubclass(arg_types[0], SymNodeVariable) and issubclass(arg_types[1], TensorVariable):
        return lambda tx, args, kwargs: call(tx, MIRRORED[fn], args[1], args[0])
    if fn in (operator.eq, operator.ne) and all(issubclass(t, BaseListVariable) for t in arg_types):
        return _compare_sequences(fn)
    if arg_types and issubclass(arg_types[0], TensorVariable) and fn in IN_PLACE and not has_kwargs:
        return _in_place(fn)
    if fn is operator.getitem and len(arg_types) == 2 and issubclass(arg_types[1], (SymNodeVariable, TensorVariable)):
        if issubclass(arg_types[0], (ListVariable, TupleVariable)):
            return _of_choice(_pick_item)
        if issubclass(arg_types[0], UnspecializedNNModuleVariable):
            return _pick_module
        if issubclass(arg_types[0], ConstDictVariable):
            return _of_choice(_pick_entry)
    if fn is operator.getitem and len(arg_types) == 2 and issubclass(arg_types[1], SliceVariable):
        if issubclass(arg_types[0], (ListVariable, TupleVariable)):
            return _pick_slice
    if fn is operator.getitem and arg_types and issubclass(arg_types[0], TensorVariable):
        if issubclass(arg_types[1], (SymNodeVariable, TensorVariable, TupleVariable, ListVariable, SliceVariable)):
            return _index_tensor
    if fn in _ON_SEQUENCES and any(issubclass(t, (DynamicSequence, TensorVariable)) for t in arg_types):
        return _on_sequences(fn)
    return None


def _on_grown_list(fn: Callable[..., Any]) -> Callable[..., Any]:
    def handler(tx: Tx, args: Args, kwargs: dict[str, VariableTracker]) -> VariableTracker:
        if fn in (operator.is_, operator.is_not):
            return constant((args[0] is args[1]) is (fn is operator.is_))
        if fn in (bool, operator.truth, operator.not_):
            holds = predicate(tx, args[0])
            return as_bool(negate(tx, holds) if fn is operator.not_ else holds)
        if fn in (zip, map):
            return _ON_SEQUENCES[fn](tx, *args, **kwargs)
        if fn in list_operations.BUILTINS:
            return list_operations.BUILTINS[fn](tx, *args, **kwargs)
        if fn in (isinstance, type, getattr, hasattr):
            return dynamo_handler(fn, [type(a) for a in args], bool(kwargs))(tx, args, kwargs)  # type: ignore[no-any-return]
        give_up(tx, f"`{fn.__name__}` is applied to it")

    return handler


USER_OPERATORS = {
    getattr(operator, name): [f"__{name.removesuffix('_')}__", *([f"__{base}__"] if base else [])]
    for plain in BINARY
    for name, base in ((plain if hasattr(operator, plain) else f"{plain}_", ""), (f"i{plain}", plain))
}


def _user_operator(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    """`m + x` and `x + m` where `m` is an object with operators of its own, which Dynamo takes for a tensor's."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        left, right = args
        names = USER_OPERATORS[fn]
        reflected = f"__r{names[-1].strip('_')}__"
        for receiver, other, name in (*((left, right, name) for name in names), (right, left, reflected)):
            if isinstance(receiver, UserDefinedObjectVariable) and callable(
                getattr(receiver.python_type(), name, None)
            ):
                answer = method(tx, receiver, name, other)
                if not (isinstance(answer, ConstantVariable) and answer.value is NotImplemented):
                    return answer
        return dynamo_handler(fn, arg_types, False)(tx, args, kwargs)

    return handler


# `size == count` with a tensor on the right, which Dynamo takes for a number: the same with the tensor on the left.
MIRRORED: dict[Any, Callable[..., Any]] = {
    operator.eq: operator.eq,
    operator.ne: operator.ne,
    operator.lt: operator.gt,
    operator.gt: operator.lt,
    operator.le: operator.ge,
    operator.ge: operator.le,
}


def _compare_sequences(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`[a, b] == [c, d]` where the data decides whether items are equal."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        left, right = ([item.realize() for item in arg.items] for arg in args)  # type: ignore[attr-defined]
        items = [*left, *right]
        if (
            len(left) != len(right)
            or args[0].python_type() is not args[1].python_type()
            or not any(is_tensor(item) or isinstance(item, MergeVariable) for item in items)
            or any(is_tensor(item) and example(item).numel() != 1 for item in items)
        ):
            return dynamo_handler(fn, [type(a) for a in args], False)(tx, args, kwargs)
        equal: VariableTracker = constant(True)
        for a, b in zip(reversed(left), reversed(right), strict=True):
            if a is not b:
                equal = select_bool(tx, truth(tx, call(tx, operator.eq, a, b)), equal, constant(False))
        return as_bool(equal if fn is operator.eq else negate(tx, equal))

    return handler


IN_PLACE = {getattr(operator, f"i{name.removesuffix('_')}") for name in BINARY}


DIVISIONS = {divmod, *(getattr(operator, f"{i}{name}") for name in ("floordiv", "mod", "truediv") for i in ("", "i"))}


def _divide(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    """A division of Python numbers, which raises for a zero; Inductor's would not."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is not None and is_data_number(args[1]) and not is_tensor(args[0].realize()):
            emit_check(tx, predicate(tx, call(tx, operator.eq, args[1], 0)), ZeroDivisionError)
        return dynamo_handler(fn, arg_types, False)(tx, args, kwargs)

    return handler


def _in_place(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`x += y`: refused where x should share memory with something that it was copied from."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> VariableTracker | None:
        lost = getattr(args[0], "gw_lost_alias", None)
        if lost is not None:
            refuse(tx, rules.RegionMutates(lost, "a branch"))
        return dynamo_handler(fn, [type(a) for a in args], False)(tx, args, kwargs)

    return handler


def _bool(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    if sites.trace_of(tx) is not None and is_data_dependent(args[0]):
        return as_bool(predicate(tx, args[0]))
    return dynamo_handler(bool, [type(a) for a in args], False)(tx, args, kwargs)


def _identity_of_numbers(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        ours = identity(tx, args[0], args[1], fn) if sites.trace_of(tx) is not None else None
        return dynamo_handler(fn, arg_types, False)(tx, args, kwargs) if ours is None else ours

    return handler


def _number_of(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    """`int(p)` and `float(p)` of a bool tensor, whose item is True or False."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is not None and example(args[0]).dtype is torch.bool:
            return call(tx, fn, method(tx, args[0], "item"))
        return dynamo_handler(fn, arg_types, False)(tx, args, kwargs)

    return handler


def _range(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    args = [a.realize() for a in args]
    if sites.trace_of(tx) is not None and any(is_data_dependent(a) for a in args):
        return make_range(tx, args)
    return dynamo_handler(range, [type(a) for a in args], False)(tx, args, kwargs)


def _of_choice(pick: Callable[..., VariableTracker]) -> Callable[..., VariableTracker]:
    """Subscripting with a number that is one constant or another: with either, and no other."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
        choice = getattr(args[1], "gw_choice", None)
        return pick(tx, args, kwargs) if choice is None else call(tx, operator.getitem, args[0], choice)

    return handler


def _pick_item(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    """`items[i]` where `i` came out of a tensor: a choice between the items.

    Raises, when the program runs, what Python raises for an index out of range.
    """
    container, _ = args
    return _pick_from(tx, list(container.items), args)  # type: ignore[attr-defined]


def _pick_module(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    """`experts[i]` of a ModuleList or Sequential."""
    modules = args[0]
    if type(modules.value) in (torch.nn.ModuleList, torch.nn.Sequential) and is_data_number(args[1]):  # type: ignore[attr-defined]
        return _pick_from(tx, unpack(tx, call(tx, list, modules)), args)
    return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, kwargs)


def _pick_from(tx: Tx, items: Args, args: Args) -> VariableTracker:
    index = args[1]
    if not is_data_dependent(index) or (is_tensor(index) and example(index).numel() != 1):
        return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, {})
    if is_tensor(index):
        index = method(tx, index, "item")
    count = len(items)
    emit_raise(tx, indexing.outside(tx, index, constant(count)), "IndexError")
    heres = [either(tx, *(call(tx, operator.eq, index, k) for k in (i, i - count))) for i in range(count - 1)]
    return _one_of(tx, heres, items, "the item")


def _one_of(tx: Tx, heres: Args, items: Args, label: str) -> VariableTracker:
    """The first of the items whose predicate holds; the last where none does."""
    chosen = items[-1]
    for here, item in reversed(list(zip(heres, items, strict=False))):
        chosen = stage_if(tx, here, lambda item=item: item, lambda chosen=chosen: chosen, label=label)
    return chosen


def _pick_slice(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    """`items[a:b]` where a bound came out of a tensor."""
    if any(is_data_dependent(bound) for bound in args[1].items):  # type: ignore[attr-defined]
        return list_operations.getitem(tx, *args)
    return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, kwargs)  # type: ignore[no-any-return]


def _pick_entry(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    """`table[n]` where the number `n` came out of a tensor: a choice between the entries; KeyError as Python has it."""
    table, key = args
    keys = [k.vt for k in table.items]  # type: ignore[attr-defined]
    if not is_data_number(key) or not all(isinstance(k, ConstantVariable) for k in keys):
        return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, kwargs)
    heres = [predicate(tx, call(tx, operator.eq, key, k)) for k in keys if isinstance(k.value, (int, float))]  # type: ignore[attr-defined]
    items = [v for k, v in zip(keys, table.items.values(), strict=True) if isinstance(k.value, (int, float))]  # type: ignore[attr-defined]
    missing: VariableTracker = constant(True)
    for here in heres:
        missing = select_bool(tx, here, constant(False), missing)
    raise_if(tx, missing, KeyError, "no such key")
    return _one_of(tx, heres[:-1], items, "the entry")


def _index_tensor(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    args = [a.realize() for a in args]
    if sites.trace_of(tx) is not None and indexing.needs_help(args[1]):
        return indexing.getitem(tx, *args)
    return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, kwargs)  # type: ignore[no-any-return]


_ON_SEQUENCES: dict[Any, Callable[..., VariableTracker]] = {
    zip: zipped,
    map: mapped,
    reversed: lambda tx, items: Reversed(as_sequence(tx, items)),  # type: ignore[arg-type]
    len: lambda tx, items: items.length,  # type: ignore[attr-defined]
    tuple: lambda tx, items: list_operations.BUILTINS[tuple](tx, items),
    max: list_operations.BUILTINS[max],
    min: list_operations.BUILTINS[min],
}


_POLYFILLED: dict[Any, Callable[..., VariableTracker]] = {
    enumerate: enumerated,
    itertools.islice: sliced,
    sum: list_operations.sum_,
    any: lambda tx, items: call(tx, list_operations.any_of, items),
    all: lambda tx, items: call(tx, list_operations.all_of, items),
    functools.reduce: list_operations.reduce,
}


def _on_sequences(fn: Any) -> Callable[..., Any]:
    def handler(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
        if any(isinstance(a, DynamicSequence) for a in args) or (fn is zip and any(map(is_dynamic, args))):
            return _ON_SEQUENCES[fn](tx, *args, **kwargs)
        return dynamo_handler(fn, [type(a) for a in args], bool(kwargs))(tx, args, kwargs)  # type: ignore[no-any-return]

    return handler


def polyfilled(fn: Any, args: Args) -> Callable[..., VariableTracker] | None:
    """What answers for a function that Dynamo spells out in Python, where the data decides how many items it gets."""
    if fn in _POLYFILLED and any(map(is_dynamic, args)):
        return _POLYFILLED[fn]
    return _enumerate_known if fn is enumerate and _is_known(args[0]) else None


def _is_known(vt: VariableTracker) -> bool:
    """Whether an iterable can be gone through now: it has an end, and no effect for each item."""
    vt = vt.realize()
    if isinstance(vt, ZipVariable):
        return all(map(_is_known, vt.iterable.items))  # type: ignore[attr-defined]
    if isinstance(vt, (ListIteratorVariable, DictViewIterator)):
        return True
    return not isinstance(vt, (IteratorVariable, LocalGeneratorObjectVariable))


def _enumerate_known(tx: Tx, items: VariableTracker, start: VariableTracker | None = None) -> VariableTracker:
    """`enumerate` of a container as an iterator over pairs: Dynamo's is a generator, whose end it does not know."""
    first = constant(0) if start is None else start
    known = call(tx, list, items).unpack_var_sequence(tx)
    pairs: Args = [TupleVariable([call(tx, operator.add, first, k), item]) for k, item in enumerate(known)]
    return ListIteratorVariable(pairs, mutation_type=ValueMutationNew())


def builtin_on_merge(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin or an operator with a merge among its arguments."""
    if fn is bool:
        return lambda tx, args, kwargs: as_bool(predicate(tx, args[0]))
    if fn is operator.not_:
        return lambda tx, args, kwargs: as_bool(negate(tx, predicate(tx, args[0])))
    if fn in (operator.is_, operator.is_not):
        return lambda tx, args, kwargs: identity(tx, args[0].realize(), args[1].realize(), fn)
    return lambda tx, args, kwargs: distribute(
        tx, list(args), kwargs, functools.partial(BuiltinVariable(fn).call_function, tx), writes(fn, kwargs)
    )


def writes(fn: Callable[..., Any], kwargs: dict[str, VariableTracker]) -> bool:
    """Whether a function changes its first argument."""
    inplace = kwargs.get("inplace")
    is_asked = inplace is not None and not (isinstance(inplace, ConstantVariable) and not inplace.value)
    return is_asked or changes_in_place(getattr(fn, "__name__", ""))
