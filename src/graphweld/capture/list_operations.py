"""What a program does with a list whose length the data decides, in tensors.

torch.stack(out), torch.cat(out, dim), torch.tensor(out)       one tensor, of the rows of each run
len(out), out[i], out[-1], out.append(y), out + [y], sum(out)  as of any list
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable, ListVariable, SliceVariable, TupleVariable

from graphweld import runtime
from graphweld.capture import carries, grown_lists, list_changes, sorting
from graphweld.capture.data_numbers import number_tensor
from graphweld.capture.grown_lists import GrownList, Items, Run, Stacked, give_up, length, new, raise_if
from graphweld.capture.indexing import as_number, is_position
from graphweld.capture.instructions import dispatch
from graphweld.capture.list_rows import rows_of
from graphweld.capture.list_slices import getslice
from graphweld.capture.membership import PLACES
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.partial import Partial
from graphweld.capture.predicates import negate, truth
from graphweld.capture.ragged import Rows, joined, part
from graphweld.capture.raises import emit_check
from graphweld.capture.sequences import DynamicSequence
from graphweld.capture.sites import trace_of
from graphweld.capture.unpacking import hook_unpacking
from graphweld.capture.variables import (
    Thunk,
    Tx,
    call,
    constant,
    example,
    is_number,
    is_tensor,
    method,
)


def items_of(tx: Tx, vt: VariableTracker) -> Items:
    """Items and runs of a list, or the items of any other iterable."""
    vt = vt.realize()
    if isinstance(vt, DynamicSequence):
        vt = call(tx, list_of, vt)
    return list(vt.items) if isinstance(vt, (GrownList, BaseListVariable)) else list(vt.unpack_var_sequence(tx))


# -- methods ------------------------------------------------------------------------------------


def _append(tx: Tx, receiver: GrownList, value: VariableTracker) -> VariableTracker:
    return _extend(tx, receiver, TupleVariable([value]))


def _extend(tx: Tx, receiver: Any, values: VariableTracker) -> VariableTracker:
    added = items_of(tx, values)
    tx.output.side_effects.mutation(receiver)
    receiver.items.extend(added)
    grown_lists.fit_class(receiver)
    return constant(None)


def _clear(tx: Tx, receiver: GrownList) -> VariableTracker:
    tx.output.side_effects.mutation(receiver)
    receiver.items.clear()
    grown_lists.fit_class(receiver)
    return constant(None)


def _reverse(tx: Tx, receiver: GrownList) -> VariableTracker:
    turned = grown_lists.backwards(tx, receiver.items)
    tx.output.side_effects.mutation(receiver)
    receiver.items[:] = turned
    return constant(None)


METHODS: dict[str, Callable[..., VariableTracker]] = {
    "append": _append,
    "extend": _extend,
    "insert": list_changes.insert,
    "pop": list_changes.pop,
    "remove": list_changes.remove,
    "sort": list_changes.sort,
    "clear": _clear,
    "reverse": _reverse,
    "copy": lambda tx, receiver: new(list(receiver.items)),
    **PLACES,
    "__len__": lambda tx, receiver: length(tx, receiver.items),
    "__getitem__": lambda tx, receiver, index: getitem(tx, receiver, index),
    "__setitem__": list_changes.set_item,
}


# -- builtins and operators ---------------------------------------------------------------------


def getitem(tx: Tx, receiver: Any, index: VariableTracker) -> VariableTracker:
    """`receiver[index]`, for one item or a slice."""
    index = index.realize()
    if is_tensor(index):
        index = method(tx, index, "item")
    if isinstance(index, SliceVariable):
        return new(getslice(tx, receiver.items, [as_number(tx, b) for b in index.items]), receiver.python_type())
    if isinstance(index, MergeVariable) and index.python_type() is int:
        index = method(tx, number_tensor(tx, index, int), "item")
    if not is_number(index):
        give_up(tx, "a part of it is taken")
    return grown_lists.getitem(tx, receiver.items, index)


def _add(tx: Tx, left: VariableTracker, right: VariableTracker) -> VariableTracker:
    kind = left.python_type()
    if kind is not right.python_type():
        give_up(tx, f"a {right.python_type_name()} is added to it")
    return new([*items_of(tx, left), *items_of(tx, right)], kind)


def _add_in_place(tx: Tx, left: VariableTracker, right: VariableTracker) -> VariableTracker:
    if left.python_type() is not list:
        return _add(tx, left, right)
    _extend(tx, left, right)
    return left


def list_of(items: Any) -> Any:
    """`list(items)`, as a loop. Traced."""
    out: list[Any] = []

    def append(item: Any) -> Any:
        out.append(item)
        return ()

    runtime.for_stmt(items, append, (), (), -1, None)
    return out


def set_of(items: Any) -> Any:
    """`set(items)`, as a loop. Traced."""
    out = runtime.empty_set()

    def add(item: Any) -> Any:
        out.add(item)
        return ()

    runtime.for_stmt(items, add, (), (), -1, None)
    return out


def repeated(items: list[Any], count: int) -> list[Any]:
    """`items * count`, as a loop. Traced."""
    out: list[Any] = []

    def extend(_: Any) -> Any:
        out.extend(items)
        return ()

    runtime.for_stmt(range(count), extend, (), (), -1, None)
    return out


def repeat(arg_types: list[type], plain: Callable[..., Any]) -> Callable[..., Any]:
    """`[0] * n`, where the data decides n; `plain` is Dynamo's."""

    def handler(tx: Tx, args: list[VariableTracker], kwargs: Any) -> Any:
        items, count = args if arg_types[0] is ListVariable else reversed(args)
        if trace_of(tx) is not None and is_position(count):  # a tensor as well: it is an index
            return call(tx, repeated, items, as_number(tx, count))
        return plain(tx, args, kwargs)

    return handler


def sum_(tx: Tx, items: VariableTracker, start: VariableTracker | None = None) -> VariableTracker:
    return call(tx, sum_of, items, constant(0) if start is None else start)


def sum_of(items: Any, start: Any) -> Any:
    """`sum(items, start)`, as a loop. Traced."""

    def add(item: Any, total: Any) -> Any:
        return (total + item,)

    return runtime.for_stmt(items, add, (start,), ("sum",), -1, None)[0]


def any_of(items: Any) -> Any:
    """`any(items)`, which looks at no item behind the first that is true. Traced."""
    return runtime.for_stmt(
        items, lambda item, _: (bool(item),), (False,), ("any",), -1, lambda found: runtime.not_(found, -1)
    )[0]


def all_of(items: Any) -> Any:
    """`all(items)`. Traced."""
    return runtime.for_stmt(items, lambda item, _: (bool(item),), (True,), ("all",), -1, lambda holds: holds)[0]


def reduce(tx: Tx, fn: VariableTracker, items: VariableTracker, *start: VariableTracker) -> VariableTracker:
    """`functools.reduce` with a start."""
    if not start:
        give_up(tx, "`reduce` is called with it, and with no value to start from")
    return call(tx, reduce_from, fn, items, *start)


def reduce_from(fn: Any, items: Any, start: Any) -> Any:
    """`functools.reduce`, as a loop. Traced."""
    return runtime.for_stmt(items, lambda item, total: (fn(total, item),), (start,), ("reduced",), -1, None)[0]


def first_by(items: Any, is_better: Any) -> Any:
    """`max(items)` or `min(items)`, as a loop. Traced."""

    def compare(item: Any, best: Any) -> Any:
        return (runtime.if_exp(is_better(item, best), lambda: item, lambda: best, -1),)

    return runtime.for_stmt(items, compare, (items[0],), ("best",), -1, None)[0]


def first_by_key(items: Any, is_better: Any, key: Any) -> Any:
    """The same with a `key`, which is asked once for each item. Traced."""

    def compare(item: Any, best: Any, rank: Any) -> Any:
        its = key(item)
        found = runtime.if_exp(is_better(its, rank), lambda: (item, its), lambda: (best, rank), -1)
        return found[0], found[1]

    start = (items[0], key(items[0]))
    return runtime.for_stmt(items[1:], compare, start, ("best", "rank"), -1, None)[0]


def first_or(items: Any, is_better: Any, key: Any, default: Any) -> Any:
    """The same with a `default`, for no items. Traced."""

    def first() -> Any:
        return first_by(items, is_better) if key is None else first_by_key(items, is_better, key)

    return runtime.if_exp(len(items) > 0, first, lambda: default, -1)


def _best(name: str, better: Any) -> Callable[..., VariableTracker]:
    def best(
        tx: Tx, items: VariableTracker, *others: VariableTracker, key: VariableTracker | None = None, **more: Any
    ) -> VariableTracker:
        if others or set(more) - {"default"}:
            give_up(tx, f"`{name}` is applied to it with other values")
        held = items if isinstance(items, GrownList) else call(tx, list_of, items)
        if more:
            return call(tx, first_or, held, better, key, more["default"])
        return call(tx, first_by, held, better) if key is None else call(tx, first_by_key, held, better, key)

    return best


def _in_order(tx: Tx, receiver: Any, reverse: bool | VariableTracker = False, **others: Any) -> VariableTracker:
    """`sorted(receiver)`, for ints."""
    if others:
        give_up(tx, "`sorted` is applied to it with a key")
    copy = new(list(receiver.items))
    list_changes.sort(tx, copy, reverse.as_python_constant() if isinstance(reverse, VariableTracker) else reverse)
    return copy


BUILTINS: dict[Any, Callable[..., VariableTracker]] = {
    sorted: _in_order,
    len: lambda tx, items: length(tx, items.items),  # type: ignore[attr-defined]
    list: lambda tx, items: new(items_of(tx, items)),
    tuple: lambda tx, items: new(items_of(tx, items), tuple),
    set: lambda tx, items: call(tx, set_of, items),
    iter: lambda tx, items: items,
    reversed: lambda tx, items: new(grown_lists.backwards(tx, items_of(tx, items))),
    sum: sum_,
    max: _best("max", operator.gt),
    min: _best("min", operator.lt),
    operator.getitem: getitem,
    operator.add: _add,
    operator.iadd: _add_in_place,
}


# -- tensors ------------------------------------------------------------------------------------


def _one_stack(tx: Tx, run: Stacked) -> VariableTracker:
    if not isinstance(run.element, (carries.Tensor, carries.Number)):
        give_up(tx, "a tensor is made of it, and its items are no tensors")
    return run.stacks[0]


def stacked(tx: Tx, items: Items, made: Callable[[Items], VariableTracker]) -> VariableTracker:
    """The rows of all items; `made` gives those of known ones. A copy, as the program's own would be."""
    rows, mask = rows_of(tx, items, made, lambda run: _one_stack(tx, run))
    return method(tx, rows, "clone") if mask is None else method(tx, rows, "__getitem__", mask)


def _refuse_empty(tx: Tx, items: Items, function: str) -> None:
    if not any(not isinstance(item, Run) for item in items):
        message = f"{function}(): expected a non-empty list of Tensors"
        raise_if(tx, call(tx, operator.eq, length(tx, items), 0), RuntimeError, message)


def stack(tx: Tx, tensors: VariableTracker, dim: VariableTracker | None = None) -> VariableTracker:
    """`torch.stack`."""
    items = items_of(tx, tensors)
    _refuse_empty(tx, items, "stack")
    rows = stacked(tx, items, lambda known: call(tx, torch.stack, known))
    at = _constant(tx, dim)
    return rows if at == 0 else method(tx, method(tx, rows, "movedim", 0, at), "contiguous")


def cat(tx: Tx, tensors: VariableTracker, dim: VariableTracker | None = None) -> VariableTracker:
    """`torch.cat`."""
    items, at = items_of(tx, tensors), _constant(tx, dim)
    _refuse_empty(tx, items, "torch.cat")
    parts: Items = []
    for item in items:
        if not isinstance(item, Run):
            parts.append(item)
            continue
        if isinstance(item, Stacked) and isinstance(item.element, Rows):
            parts.append(_joined(tx, item, item.element, at))
            continue
        rows = stacked(tx, [item], lambda known: call(tx, torch.stack, known))
        where = at if at >= 0 else example(rows).dim() - 1 + at
        parts.append(method(tx, method(tx, rows, "movedim", 0, where), "flatten", where, where + 1))
    return call(tx, torch.cat, parts, at)


def _joined(tx: Tx, run: Stacked, element: Rows, at: int) -> VariableTracker:
    """`torch.cat` of items of several sizes."""
    if at % element.like.dim() != element.dim:
        give_up(tx, "`cat` puts its items together along another dimension than the one in which they differ")
    return call(tx, joined, *run.stacks, element.dim)


class Parts(Run):
    """`tensor.split(sizes, dim)`, where the data decides how many sizes there are."""

    _nonvar_fields = {"dim", *Run._nonvar_fields}

    def __init__(
        self, tensor: VariableTracker, sizes: VariableTracker, ends: VariableTracker, dim: int, **kw: Any
    ) -> None:
        super().__init__(**kw)
        self.tensor, self.sizes, self.ends, self.dim = tensor, sizes, ends, dim

    def length(self, tx: Tx) -> VariableTracker:
        return method(tx, self.sizes, "size", 0)

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        return call(tx, part, self.tensor, self.sizes, self.ends, self.dim, index)

    def last(self, tx: Tx, distance: int, before: Items) -> VariableTracker:
        index = call(tx, operator.sub, self.length(tx), 1 + distance)
        raise_if(tx, call(tx, operator.lt, index, 0))
        return self.item(tx, index)

    def backwards(self, tx: Tx) -> Run:
        sizes, ends = (call(tx, torch.flip, t, [0]) for t in (self.sizes, self.ends))
        return Parts(self.tensor, sizes, ends, self.dim)

    def export(self, join: Any, region: Any) -> Thunk:
        tensor, sizes, ends = (join.export(region, t) for t in (self.tensor, self.sizes, self.ends))
        return lambda: Parts(tensor(), sizes(), ends(), self.dim)

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from("graphweld.runtime.lists", "split"))
        codegen.foreach([self.tensor, self.sizes])
        codegen.append_output(codegen.create_load_const(self.dim))
        codegen.extend_output(create_call_function(3, False))


def split(
    tx: Tx, whole: VariableTracker, sizes: VariableTracker, dim: VariableTracker | None = None
) -> VariableTracker:
    """`torch.split` by such a list of sizes."""
    at = _constant(tx, dim) % example(whole).dim()
    lengths = stacked(tx, items_of(tx, sizes), lambda known: call(tx, torch.tensor, known))
    total = method(tx, method(tx, lengths, "sum"), "item")
    fits = call(tx, _fits, total, method(tx, method(tx, lengths, "lt", 0), "any"), method(tx, whole, "size", at))
    emit_check(tx, negate(tx, truth(tx, fits)), RuntimeError)
    return new([Parts(whole, lengths, method(tx, lengths, "cumsum", 0), at)], tuple)


def _fits(total: Any, has_negative: Any, size: Any) -> Any:
    return runtime.and_(total == size, lambda: runtime.not_(has_negative, -1), -1)


def tensor(
    tx: Tx, items: VariableTracker, dtype: VariableTracker | None = None, device: VariableTracker | None = None
) -> VariableTracker:
    """`torch.tensor` of numbers."""
    rows = stacked(tx, items_of(tx, items), lambda known: call(tx, torch.tensor, known))
    if device is not None:
        rows = method(tx, rows, "to", device)
    if dtype is not None:
        return method(tx, rows, "to", dtype)
    return rows if not example(rows).is_floating_point() else method(tx, rows, "to", torch.get_default_dtype())


def _constant(tx: Tx, dim: VariableTracker | None) -> int:
    return 0 if dim is None else int(dim.as_python_constant())


FUNCTIONS: dict[Any, Callable[..., VariableTracker]] = {
    torch.stack: stack,
    torch.cat: cat,
    torch.concat: cat,
    torch.concatenate: cat,
    torch.tensor: tensor,
    torch.split: split,
}


def instead(tx: Tx, receiver: VariableTracker, args: Any) -> bool:
    """A change of a list of Dynamo's that Dynamo cannot make; False where `args` ask for none.

    Extended by items of which the data decides the number; sorted by what the data decides, or by first parts.
    """
    if len(args) < 2:
        return False
    if args[0] == "sort":
        return _sort_by_first_parts(tx, receiver, *args[2:]) or sorting.sort(tx, receiver, *args[2:])
    if args[0] != "extend":
        return False
    added = args[1][0].realize()
    if isinstance(added, Partial):
        added = added.tp_iter_impl(tx)
    added = grown_lists.either_list(added) or added
    if not isinstance(added, (GrownList, DynamicSequence)):
        return False
    _extend(tx, receiver, added)
    return True


def _sort_by_first_parts(tx: Tx, receiver: Any, kwargs: dict[str, VariableTracker]) -> bool:
    """`sorted(table.items())`: keys are constants and all different, so that nothing asks for the order of values."""
    items = [item.realize() for item in receiver.items]
    if not set(kwargs) <= {"reverse"} or not all(isinstance(item, TupleVariable) and item.items for item in items):
        return False
    firsts = [item.items[0].realize() for item in items]  # type: ignore[attr-defined]
    keys = [first.value for first in firsts if isinstance(first, ConstantVariable)]
    if len(keys) < len(firsts):
        return False
    if len(set(keys)) < len(keys) or len(set(map(type, keys))) > 1 or all(i.is_python_constant() for i in items):
        return False
    is_reversed = "reverse" in kwargs and bool(kwargs["reverse"].as_python_constant())
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=is_reversed)
    tx.output.side_effects.mutation(receiver)
    receiver.items[:] = [items[k] for k in order]
    return True


def hook_displays() -> None:
    """`[*a, b]` and `b, c = a`, where the data decides how long `a` is."""
    InstructionTranslatorBase.LIST_APPEND = _adding(InstructionTranslatorBase.LIST_APPEND, _append)  # type: ignore[method-assign]
    InstructionTranslatorBase.LIST_EXTEND = _adding(InstructionTranslatorBase.LIST_EXTEND, _extend)  # type: ignore[method-assign]
    dispatch("LIST_APPEND", "LIST_EXTEND")
    hook_unpacking()


def _adding(translate: Any, add: Callable[..., VariableTracker]) -> Any:
    def translated(self: Any, inst: Any) -> None:
        receiver = self.stack[-1 - inst.arg].realize()
        if isinstance(receiver, GrownList):
            add(self, receiver, self.pop())
        else:
            translate(self, inst)

    return translated


def call_torch(tx: Tx, fn: Any, args: Items, kwargs: dict[str, VariableTracker]) -> VariableTracker | None:
    """A function of torch that is given such a list; None where none is among its arguments."""
    given = [arg.realize() for arg in (*args, *kwargs.values())]
    if not any(isinstance(arg, GrownList) for arg in given):
        return None
    if fn not in FUNCTIONS or not set(kwargs) <= {"dim", "tensors", "dtype", "device"}:
        give_up(tx, f"`{getattr(fn, '__name__', fn)}` is called with it")
    return FUNCTIONS[fn](tx, *args, **kwargs)
