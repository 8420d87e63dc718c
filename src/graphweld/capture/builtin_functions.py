"""Builtins, operators and items with values that the data decides, as the tracer answers them."""

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.exc import ObservedTypeError, raise_observed_exception
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import (
    BaseListVariable,
    ListVariable,
    SliceVariable,
    TupleVariable,
)
from torch._dynamo.variables.misc import ExceptionVariable, GetAttrVariable, StringFormatVariable
from torch._dynamo.variables.nn_module import UnspecializedNNModuleVariable
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture import (
    choices,
    conversions,
    indexing,
    iteration,
    list_operations,
    output,
    polyfills,
    products,
    sites,
    sorting,
    strings,
)
from graphweld.capture.absence import settled
from graphweld.capture.changing_sizes import is_changing, is_followed
from graphweld.capture.conditionals import distribute
from graphweld.capture.data_numbers import number_tensor
from graphweld.capture.data_sets import DataSet
from graphweld.capture.formatting import CONTAINERS
from graphweld.capture.grown_lists import GrownList, either_list, give_up, new
from graphweld.capture.intrinsics import identity, unpack
from graphweld.capture.math_domain import FLOAT_DIVISIONS, becoming_whole, dividing, emit_zero_check
from graphweld.capture.merge_variable import BINARY, MergeVariable, changes_in_place
from graphweld.capture.partial import PartialDict
from graphweld.capture.percent import percent
from graphweld.capture.predicates import (
    COMPARISONS,
    as_bool,
    compare_floats,
    is_data_dependent,
    negate,
    predicate,
    select_bool,
    truth,
)
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
from graphweld.capture.variables import (
    Tx,
    call,
    constant,
    example,
    is_data_float,
    is_number,
    is_tensor,
    method,
)
from graphweld.diagnostics import rules

Args = list[VariableTracker]
NUMBERED = (SymNodeVariable, TensorVariable)  # what a number of the data can be
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
    if arg_types[:1] == [DataSet] and fn in (sorted, min, max):  # whatever the order
        return lambda tx, args, kwargs: call(tx, fn, args[0].held, *args[1:], **kwargs)
    if fn is tuple and arg_types == [PartialDict]:
        return lambda tx, args, kwargs: new(args[0].present_items(tx, lambda key, value: key), tuple)
    if fn in (bool, operator.truth) and len(arg_types) == 1:
        if issubclass(arg_types[0], NUMBERED):
            return _bool
    if fn in (operator.is_, operator.is_not) and any(issubclass(t, NUMBERED) for t in arg_types):
        return _identity(fn, arg_types)
    if fn in (operator.add, operator.iadd) and StringFormatVariable in arg_types:
        return strings.concatenate(dynamo_handler(fn, arg_types, False))
    if fn is operator.mod and arg_types[0] is ConstantVariable and not has_kwargs:
        return _format_or_divide(arg_types)
    if fn is str and arg_types == [StringFormatVariable]:
        return lambda tx, args, kwargs: args[0]
    if fn in (str, repr, operator.index) and len(arg_types) == 1:
        if issubclass(arg_types[0], NUMBERED):
            return _of_number(fn, arg_types)
        if fn is not operator.index and arg_types[0] in CONTAINERS:
            return strings.text_of(fn, dynamo_handler(fn, arg_types, False))
    if fn in (int, float) and len(arg_types) == 1 and issubclass(arg_types[0], NUMBERED):
        return conversions.number_of(fn, dynamo_handler(fn, arg_types, False))
    if fn is round and len(arg_types) == 1 and issubclass(arg_types[0], SymNodeVariable):
        return becoming_whole(dynamo_handler(fn, arg_types, has_kwargs))
    if fn is sorted and arg_types and issubclass(arg_types[0], TensorVariable):
        return sorting.of_rows
    if fn is range and not has_kwargs:
        return _range
    if fn is reversed and arg_types == [ListVariable]:
        return iteration.backwards(dynamo_handler(fn, arg_types, False))
    if fn is callable and arg_types == [GetAttrVariable]:  # such as x.matmul
        return _callable
    if fn is operator.mul and ListVariable in arg_types and any(issubclass(t, NUMBERED) for t in arg_types):
        return list_operations.repeat(arg_types, dynamo_handler(operator.mul, arg_types, False))
    if arg_types and issubclass(arg_types[0], TensorVariable) and fn in IN_PLACE and not has_kwargs:
        return _in_place(fn)
    if fn is operator.matmul and arg_types == [TensorVariable] * 2:
        return products.of_data_or(dynamo_handler(fn, arg_types, False))
    if fn in COMPARISONS and len(arg_types) == 2 and any(issubclass(t, SymNodeVariable) for t in arg_types):
        return _compare(fn, arg_types)
    if fn in EXTREMES and (has_kwargs or len(arg_types) > 1):
        if has_kwargs or all(issubclass(t, (SymNodeVariable, ConstantVariable)) for t in arg_types):
            return _extreme(fn, arg_types, has_kwargs)
    if fn in FLOAT_ARITHMETIC and len(arg_types) == 2 and any(issubclass(t, SymNodeVariable) for t in arg_types):
        return _calculate(fn, arg_types)
    if fn in polyfills.BUILTINS and any(issubclass(t, SymNodeVariable) for t in arg_types):
        return lambda tx, args, kwargs: call(tx, polyfills.BUILTINS[fn], *args)
    if fn is AssertionError and set(arg_types) & {StringFormatVariable, SymNodeVariable, TensorVariable}:
        return lambda tx, args, kwargs: ExceptionVariable(fn, args, kwargs)
    if fn in DIVISIONS and len(arg_types) == 2 and issubclass(arg_types[1], SymNodeVariable):
        return dividing(dynamo_handler(fn, arg_types, False))
    if fn in USER_OPERATORS and len(arg_types) == 2 and not has_kwargs:
        objects = [issubclass(t, UserDefinedObjectVariable) for t in arg_types]
        if any(objects) and any(issubclass(t, (TensorVariable, SymNodeVariable)) for t in arg_types):
            return _user_operator(fn, arg_types)
    if fn in MIRRORED and issubclass(arg_types[0], SymNodeVariable) and issubclass(arg_types[1], TensorVariable):
        return lambda tx, args, kwargs: call(tx, MIRRORED[fn], args[1], args[0])
    if fn in (operator.eq, operator.ne) and all(issubclass(t, BaseListVariable) for t in arg_types):
        return _compare_sequences(fn)
    if fn is operator.getitem and len(arg_types) == 2 and issubclass(arg_types[1], NUMBERED):
        if issubclass(arg_types[0], (ListVariable, TupleVariable, UnspecializedNNModuleVariable)):
            return _pick_item
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
        if fn is operator.getitem and is_tensor(args[0].realize()):
            return _index_tensor(tx, args, kwargs)
        if fn in list_operations.BUILTINS:
            return list_operations.BUILTINS[fn](tx, *args, **kwargs)
        if fn in (isinstance, type, getattr, hasattr):
            return dynamo_handler(fn, [type(a) for a in args], bool(kwargs))(tx, args, kwargs)  # type: ignore[no-any-return]
        give_up(tx, f"`{fn.__name__}` is applied to it")

    return handler


def _callable(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    is_method = is_tensor(args[0].obj) and callable(getattr(torch.Tensor, args[0].name, None))  # type: ignore[attr-defined]
    return constant(True) if is_method else dynamo_handler(callable, [GetAttrVariable], False)(tx, args, kwargs)


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


def _compare(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    """A comparison of Python floats of the data."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is not None and all(map(is_number, args)) and any(map(is_data_float, args)):
            return as_bool(compare_floats(tx, fn, *args))
        return dynamo_handler(fn, arg_types, False)(tx, args, kwargs)

    return handler


EXTREMES = {max: polyfills.greatest, min: polyfills.least}
_CALCULATING = [(i, n) for n in ("add", "sub", "mul", "truediv") for i in ("", "i")]
FLOAT_ARITHMETIC = {getattr(operator, f"{i}{n}"): getattr(operator, n) for i, n in _CALCULATING} | FLOAT_DIVISIONS


def _calculate(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    """Arithmetic of Python floats of the data, in double precision; for torch `s - s` and `s * 0` are zero."""
    symbolic = dynamo_handler(fn, arg_types, False)
    if fn in DIVISIONS:
        symbolic = dividing(symbolic)

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is None or not any(map(is_data_float, args)) or not all(map(is_number, args)):
            return symbolic(tx, args, kwargs)
        if fn in DIVISIONS:
            emit_zero_check(tx, args[1])
        numbers = [vt if isinstance(vt, ConstantVariable) else number_tensor(tx, vt, float) for vt in args]
        return method(tx, call(tx, FLOAT_ARITHMETIC[fn], *numbers), "item")

    return handler


def _extreme(fn: Callable[..., Any], arg_types: list[type], has_kwargs: bool) -> Callable[..., Any]:
    """`max` and `min` of floats of the data, of which a NaN is beyond no other; and with `key` or `default`."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is not None and (
            has_kwargs or (any(map(is_data_float, args)) and all(map(is_number, args)))
        ):
            return call(tx, EXTREMES[fn], *args, **kwargs)
        return dynamo_handler(fn, arg_types, has_kwargs)(tx, args, kwargs)

    return handler


DIVISIONS = {divmod, *(getattr(operator, f"{i}{name}") for name in ("floordiv", "mod", "truediv") for i in ("", "i"))}


def _format_or_divide(arg_types: list[type]) -> Callable[..., Any]:
    """`a % b`, where `a` may be a string."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if type(args[0].value) is str and sites.trace_of(tx) is not None:  # type: ignore[attr-defined]
            made = None if args[1].is_python_constant() else percent(tx, args[0].value, args[1])  # type: ignore[attr-defined]
            if made is not None:
                return made
        if issubclass(arg_types[1], SymNodeVariable):
            return _calculate(operator.mod, arg_types)(tx, args, kwargs)
        return dynamo_handler(operator.mod, arg_types, False)(tx, args, kwargs)

    return handler


def _in_place(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`x += y`: refused where x should share memory with something that it was copied from."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> VariableTracker | None:
        lost = getattr(args[0], "gw_lost_alias", None)
        if lost is not None:
            refuse(tx, rules.RegionMutates(lost, "a branch"))
        with indexing.views_made_again(tx, fn.__name__):
            changed = dynamo_handler(fn, [type(a) for a in args], False)(tx, args, kwargs)
        changed.gw_part = getattr(args[0], "gw_part", None)  # type: ignore[attr-defined]
        return changed

    return handler


def _bool(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    if sites.trace_of(tx) is not None and is_data_dependent(args[0]):
        return as_bool(predicate(tx, args[0]))
    return dynamo_handler(bool, [type(a) for a in args], False)(tx, args, kwargs)


def _identity(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        ours = identity(tx, args[0], args[1], fn) if sites.trace_of(tx) is not None else None
        return dynamo_handler(fn, arg_types, False)(tx, args, kwargs) if ours is None else ours

    return handler


def _of_number(fn: Callable[..., Any], arg_types: list[type]) -> Callable[..., Any]:
    """`str(n)`, `repr(n)` and `operator.index(n)` of a value of the data."""

    def handler(tx: Tx, args: Args, kwargs: Any) -> Any:
        if sites.trace_of(tx) is None or not is_data_dependent(args[0]):
            return dynamo_handler(fn, arg_types, False)(tx, args, kwargs)
        if fn is not operator.index:
            return StringFormatVariable.create("{!s}" if fn is str else "{!r}", args, {})
        if not choices.is_index(args[0]):
            raise_observed_exception(TypeError, tx, args=["only an integer can be an index"])
        return method(tx, args[0], "item") if is_tensor(args[0]) else args[0]

    return handler


def _range(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    args = [a.realize() for a in args]
    if sites.trace_of(tx) is not None:
        if any(map(is_data_dependent, args)) or (any(map(is_changing, args)) and is_followed(tx)):
            return make_range(tx, args)
    return dynamo_handler(range, [type(a) for a in args], False)(tx, args, kwargs)


def _pick_item(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    """`items[i]` of a list, a tuple or a ModuleList, where `i` came out of a tensor: a choice between the items."""
    container, index = args
    is_module = isinstance(container, UnspecializedNNModuleVariable)
    if not choices.is_index(index) or (is_module and not choices.is_container(container)):
        return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, {})  # type: ignore[no-any-return]
    items = unpack(tx, call(tx, list, container)) if is_module else list(container.items)  # type: ignore[attr-defined]
    return choices.pick_item(tx, items, index)


def _pick_slice(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    """`items[a:b]` where a bound came out of a tensor."""
    if any(is_data_dependent(bound) for bound in args[1].items):  # type: ignore[attr-defined]
        return list_operations.getitem(tx, *args)
    return dynamo_handler(operator.getitem, [type(a) for a in args], False)(tx, args, kwargs)  # type: ignore[no-any-return]


def _index_tensor(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
    args = [a.realize() for a in args]
    if sites.trace_of(tx) is not None and indexing.needs_help(tx, args[1]):
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
        if any(isinstance(a, DynamicSequence) for a in args) or (fn is zip and any(is_dynamic(tx, a) for a in args)):
            return _ON_SEQUENCES[fn](tx, *args, **kwargs)
        return dynamo_handler(fn, [type(a) for a in args], bool(kwargs))(tx, args, kwargs)  # type: ignore[no-any-return]

    return handler


def polyfilled(tx: Tx, fn: Any, args: Args) -> Callable[..., VariableTracker] | None:
    """What answers for a function that Dynamo spells out in Python, where the data decides how many items it gets."""
    if fn in _POLYFILLED and any(is_dynamic(tx, a) for a in args):
        return _POLYFILLED[fn]
    return iteration.enumerated if fn is enumerate and iteration.is_known(args[0]) else None


def told(fn: Callable[..., Any], arg_types: list[type], plain: Callable[..., Any]) -> Callable[..., Any]:
    """A handler, whose TypeError for what only Dynamo cannot do must not reach a handler of the program."""
    of_data = any(issubclass(t, (SymNodeVariable, StringFormatVariable)) for t in arg_types)
    if not of_data or any(issubclass(t, UserDefinedObjectVariable) for t in arg_types):
        return plain

    def handler(tx: Tx, args: Args, kwargs: Any) -> VariableTracker:
        try:
            return plain(tx, args, kwargs)  # type: ignore[no-any-return]
        except ObservedTypeError:
            if sites.trace_of(tx) is None:
                raise
            refuse(tx, rules.TorchBreak(f"`{getattr(fn, '__name__', fn)}` of a value that the data decides"))

    return handler


_OVER_ITEMS = {list, tuple, reversed, sum, max, min, zip, map}


def _over_items(fn: Callable[..., Any]) -> Callable[..., Any]:
    """What goes through one list or another as through one list of whichever items."""

    def handler(tx: Tx, args: Args, kwargs: dict[str, VariableTracker]) -> VariableTracker:
        found = [settled(tx, arg) for arg in args]
        lists = [either_list(arg) or arg for arg in found]
        if any(isinstance(arg, GrownList) for arg in lists):
            return _on_grown_list(fn)(tx, lists, kwargs)  # type: ignore[no-any-return]
        return _distributed(fn)(tx, lists, kwargs)  # type: ignore[no-any-return]

    return handler


def _distributed(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda tx, args, kwargs: distribute(
        tx, list(args), kwargs, functools.partial(BuiltinVariable(fn).call_function, tx), writes(fn, kwargs)
    )


def builtin_on_merge(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin or an operator with a merge among its arguments."""
    if fn is bool:
        return lambda tx, args, kwargs: as_bool(predicate(tx, args[0]))
    if fn is operator.not_:
        return lambda tx, args, kwargs: as_bool(negate(tx, predicate(tx, args[0])))
    if fn in (operator.is_, operator.is_not):
        return lambda tx, args, kwargs: identity(tx, args[0].realize(), args[1].realize(), fn)
    if fn in _OVER_ITEMS:
        return _over_items(fn)
    return _distributed(fn)


def writes(fn: Callable[..., Any], kwargs: dict[str, VariableTracker]) -> bool:
    """Whether a function changes its first argument."""
    inplace = kwargs.get("inplace")
    is_asked = inplace is not None and not (isinstance(inplace, ConstantVariable) and not inplace.value)
    return is_asked or changes_in_place(getattr(fn, "__name__", ""))
