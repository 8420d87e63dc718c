"""Indexing a tensor at a position that came out of a tensor.

    x[i], x[i, 2:], x[:, i] = v      with i an int from a tensor, or a 0-d integer tensor

torch asks such an index for a Python number. It is a `select` at a symbolic position, which traces, and is the view
that Python gives.
"""

import contextlib
import operator
from typing import Any

import torch
from torch._C._functorch import is_batchedtensor
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import ListVariable, SliceVariable, TupleVariable

from graphweld.capture.grown_lists import GrownList, give_up
from graphweld.capture.merge_variable import MergeVariable, changes_in_place
from graphweld.capture.predicates import either
from graphweld.capture.raises import OF_A_POSITION, emit_check
from graphweld.capture.size_facts import facts_forgotten
from graphweld.capture.variables import (
    Tx,
    call,
    example,
    existing,
    is_array,
    is_data_number,
    is_tensor,
    method,
    storage_key,
)

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8)


def is_position(vt: VariableTracker) -> bool:
    """Whether an index is one position that the data decides; in `torch.vmap` it may be several."""
    if is_tensor(vt):
        fake = example(vt)
        return fake.dim() == 0 and fake.dtype in INTEGERS and not is_batchedtensor(fake)
    return is_data_number(vt) and vt.python_type() is int


def as_number(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """An index as a Python number: what `__index__` gives for a tensor, on either side of a merge."""
    vt = vt.realize()
    if is_tensor(vt):
        return _item(tx, vt) if is_position(vt) else vt
    if isinstance(vt, MergeVariable):
        return vt.each(tx, lambda side: as_number(tx, side))
    return vt


def _item(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """The number in a tensor or array without dimensions; torch knows one that NumPy makes of constants."""
    return method(tx, existing(tx, vt.as_proxy()) if is_array(vt) else vt, "item")


def plain_key(tx: Tx, key: VariableTracker) -> VariableTracker:
    """An index whose slices have numbers for bounds."""
    key = key.realize()
    if isinstance(key, TupleVariable):
        parts = [part.realize() for part in key.items]
        return key.clone(
            items=[_positions(tx, p) if isinstance(p, TupleVariable) else plain_key(tx, p) for p in parts], source=None
        )
    if isinstance(key, ListVariable):
        return _positions(tx, key)
    if isinstance(key, GrownList):
        return _of_list(tx, key)
    if isinstance(key, SliceVariable):
        return SliceVariable([as_number(tx, bound) for bound in key.items], tx=tx)
    return as_number(tx, key) if isinstance(key, MergeVariable) and key.joined is None else key


def _of_list(tx: Tx, key: GrownList) -> VariableTracker:
    """An index of ints or bools, of which the data decides how many there are."""
    made = call(tx, torch.tensor, key)
    if example(made).dtype not in (torch.int64, torch.bool):
        give_up(tx, "an index is made of it, and its items are no ints")
    return made


def _positions(tx: Tx, key: Any) -> VariableTracker:
    """A list for an index, or a tuple in one: a tensor where there are positions of the data in it."""
    if not any(map(is_position, key.items)):
        return key  # type: ignore[no-any-return]
    return call(tx, torch.stack, [call(tx, torch.full, (), as_number(tx, p), dtype=torch.int64) for p in key.items])


def split(key: VariableTracker) -> list[VariableTracker] | None:
    """The parts of an index that has such positions among plain ints, slices and ellipses; None for any other."""
    parts = [p.realize() for p in key.items] if isinstance(key, TupleVariable) else [key]
    if not any(map(is_position, parts)):
        return None
    return parts if all(is_position(p) or _is_plain(p) for p in parts) else None


def _is_plain(vt: VariableTracker) -> bool:
    if isinstance(vt, ConstantVariable):
        return vt.value is None or vt.value is Ellipsis or type(vt.value) is int
    return isinstance(vt, SliceVariable)


def select(tx: Tx, tensor: VariableTracker, parts: list[VariableTracker]) -> VariableTracker:
    """The view `tensor[parts]`."""
    rank = example(tensor).dim()
    used = sum(not (isinstance(p, ConstantVariable) and p.value in (None, Ellipsis)) for p in parts)
    rest: list[VariableTracker] = []
    positions: list[tuple[int, VariableTracker]] = []
    dim = 0
    for part in parts:
        is_constant = isinstance(part, ConstantVariable)
        if is_position(part):
            positions.append((dim, part))
            rest.append(SliceVariable([ConstantVariable.create(None)] * 3, tx=tx))
            dim += 1
        elif is_constant and part.value is Ellipsis:  # type: ignore[attr-defined]
            rest.append(part)
            dim += rank - used
        else:
            rest.append(part)
            dim += 0 if is_constant and part.value is not None else 1  # type: ignore[attr-defined]
    if len(positions) < len(parts):
        tensor = _getitem(tx, tensor, TupleVariable(rest))
    for at, part in reversed(positions):
        index = method(tx, part, "item") if is_tensor(part) else part
        _check_position(tx, index, method(tx, tensor, "size", at))
        tensor = call(tx, torch.select, tensor, at, index)
    return tensor


def check_positions(tx: Tx, tensor: VariableTracker, parts: list[VariableTracker]) -> bool:
    """Check an index of positions only, which torch can store at; False for one that has slices as well."""
    if not all(is_position(p) or (isinstance(p, ConstantVariable) and type(p.value) is int) for p in parts):
        return False
    for at, part in enumerate(parts):
        if is_position(part):
            index = method(tx, part, "item") if is_tensor(part) else part
            _check_position(tx, index, method(tx, tensor, "size", at))
    return True


def _check_position(tx: Tx, index: VariableTracker, size: VariableTracker) -> None:
    """IndexError for a position outside; Inductor would read whatever is there."""
    low, high = getattr(index, "gw_bounds", (None, None))
    if isinstance(size, ConstantVariable) and low is not None and -size.value <= low <= high < size.value:
        return
    emit_check(tx, outside(tx, index, size), IndexError, OF_A_POSITION)


def outside(tx: Tx, index: VariableTracker, size: VariableTracker) -> VariableTracker:
    """Whether a number is no index of something so long."""
    too_high = call(tx, operator.ge, index, size)
    return either(tx, too_high, call(tx, operator.lt, index, call(tx, operator.neg, size)))


def getitem(tx: Tx, tensor: VariableTracker, key: VariableTracker) -> VariableTracker:
    """`tensor[key]`."""
    plain = plain_key(tx, key)
    parts = split(plain)
    part = _getitem(tx, tensor, plain) if parts is None else select(tx, tensor, parts)
    if storage_key(example(part)) == storage_key(example(tensor)):
        part.gw_part = (tensor, key)  # type: ignore[attr-defined]
    return part


def is_part(value: VariableTracker, tensor: VariableTracker, key: VariableTracker) -> bool:
    """Whether storing a value there is the end of `tensor[key] += x`: the part has been changed in place already.

    To copy it onto itself would compare sizes that torch has named twice, and can raise for them.
    """
    of, at = getattr(value.realize(), "gw_part", None) or (None, None)
    return of is tensor and at is key.realize()


def _getitem(tx: Tx, tensor: VariableTracker, key: VariableTracker) -> VariableTracker:
    """`tensor[key]`, slices with bounds that the data decides first, one by one.

    In one step torch would see the sum of what each part adds to the offset, and not know the one of such a slice.
    """
    parts = list(key.items) if isinstance(key, TupleVariable) else []
    whole = SliceVariable([ConstantVariable.create(None)] * 3, tx=tx)
    dim = 0
    for k, part in enumerate(parts):
        if isinstance(part, SliceVariable) and any(map(is_data_number, part.items)):
            tensor = method(tx, tensor, "__getitem__", TupleVariable([*[whole] * dim, part]))
            parts[k] = whole
        dim += _dims(part, example(tensor).dim(), parts)
    is_done = parts and all(part is whole for part in parts)
    return tensor if is_done else method(tx, tensor, "__getitem__", TupleVariable(parts) if parts else key)


def _dims(part: VariableTracker, rank: int, parts: list[VariableTracker]) -> int:
    """How many of a tensor's dimensions one part of an index is for."""
    if is_tensor(part) and example(part).dtype is torch.bool:
        return example(part).dim()
    if not isinstance(part, ConstantVariable) or part.value not in (None, Ellipsis):
        return 1
    return 0 if part.value is None else rank - sum(_dims(p, 0, []) for p in parts if p is not part)


def needs_help(tx: Tx, key: VariableTracker) -> bool:
    """Whether an index holds a position or a bound that the data decides; a mode of the program's sees it first."""
    return _is_of_data(key) and not tx.symbolic_torch_function_state.in_torch_function_mode()


def _is_of_data(key: VariableTracker) -> bool:
    key = key.realize()
    if isinstance(key, (TupleVariable, ListVariable, SliceVariable)):
        return any(map(_is_of_data, key.items))
    return is_position(key) or isinstance(key, (MergeVariable, GrownList))


def views_made_again(tx: Tx, name: str) -> Any:
    """While autograd makes a view again that is written to: the position it then invents belongs to nobody."""
    is_written = changes_in_place(name)
    return tx.output.shape_env.ignore_fresh_unbacked_symbols() if is_written else contextlib.nullcontext()  # type: ignore[attr-defined]


def setitem(tx: Tx, tensor: VariableTracker, key: VariableTracker, value: Any) -> VariableTracker:
    """`tensor[key] = value`."""
    key = plain_key(tx, key)
    parts = split(key)
    if parts is None:
        return method(tx, tensor, "__setitem__", key, value)
    with facts_forgotten(tx.output.shape_env):  # that the position is inside: checked already, where Python raises
        target = select(tx, tensor, parts)
        method(tx, target, "copy_" if is_tensor(value) else "fill_", value)
    return ConstantVariable.create(None)


NUMBERS = {
    "clamp",
    "clip",
    "clamp_",
    "clip_",
    "hardtanh",
    "threshold",
    "leaky_relu",
}  # which torch reads out of tensors
SIZED = {
    "zeros", "ones", "empty", "full", "rand", "randn", "randint", "randperm", "arange", "pad", "linspace", "eye",
    "view", "reshape", "expand", "repeat", "new_zeros", "new_ones", "new_empty", "new_full", "narrow", "split",
    "unflatten", "tile", "roll", "multinomial",
}  # fmt: skip


def numbers_for_sizes(tx: Tx, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Arguments of a function that takes sizes, with the 0-d integer tensors among them as numbers."""
    if name in NUMBERS:
        bounds = [*args[1:], *kwargs.values()]
        if not any(isinstance(b, ConstantVariable) and type(b.value) in (int, float) for b in bounds):
            return args, kwargs
    elif name not in SIZED:
        return args, kwargs

    def number(vt: VariableTracker) -> VariableTracker:
        vt = vt.realize()
        if is_tensor(vt):
            is_number = example(vt).dim() == 0 if name in NUMBERS else is_position(vt)
            return _item(tx, vt) if is_number else vt
        if isinstance(vt, (ListVariable, TupleVariable)) and any(map(is_tensor, vt.items)):
            return vt.clone(items=[number(item) for item in vt.items], source=None)
        return vt

    if name in NUMBERS:
        return [*args[:1], *map(number, args[1:])], {k: number(v) for k, v in kwargs.items()}
    return [number(a) for a in args], {k: number(v) for k, v in kwargs.items()}
