"""Lists whose length the data decides, as the Python objects they are: what compiled code calls to build them.

>>> import torch
>>> chain([1], rows(("int",), torch.tensor([2, 3])))
[1, 2, 3]
"""

from collections.abc import Iterator
from typing import Any

import torch

_CONTAINERS = {"tuple": tuple, "list": list}


def chain(*parts: list[Any]) -> list[Any]:
    """One list of the items of several."""
    return [item for part in parts for item in part]


def rows(template: tuple[Any, ...], *stacks: torch.Tensor) -> list[Any]:
    """One item for each row of the stacks.

    Args:
        template: ("Tensor",) for a row itself, ("Rows", dim) for as much of one along `dim` as the next row says,
            ("int",), ("float",) or ("bool",) for a number, ("tuple", *templates) or ("list", *templates) for items of
            several rows, ("Listed", "list", n, template) for a list of as many items as the next row says, which are
            in the n rows after it, ("Merged", template, template) for the first where the next row is true, else the
            second, ("dict", keys, *templates), ("object", class, names of fields, *templates), and ("Constant", value)
            for a value that takes no row.
        stacks: Tensors of one length, as many as the template has tensors and numbers.
    """
    return [_item(template, iter([stack[i] for stack in stacks])) for i in range(len(stacks[0]))]


def first_rows(template: tuple[Any, ...], count: int, *stacks: torch.Tensor) -> list[Any]:
    """`rows` of the first `count` rows of the stacks."""
    return rows(template, *(stack[:count] for stack in stacks))


def split(tensor: torch.Tensor, sizes: torch.Tensor, dim: int) -> list[torch.Tensor]:
    """The parts of a tensor along `dim`, as views."""
    return list(torch.split(tensor, sizes.tolist(), dim))


def _object(cls: Any, fields: dict[str, Any]) -> Any:
    """An object of a plain class or of a namedtuple, with these fields."""
    if issubclass(cls, tuple):
        return cls(*fields.values())
    made = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def _item(template: tuple[Any, ...], values: Iterator[torch.Tensor]) -> Any:
    kind, *parts = template
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](_item(part, values) for part in parts)
    if kind == "Constant":
        return parts[0]
    if kind == "dict":
        keys, *held = parts
        return {key: _item(part, values) for key, part in zip(keys, held, strict=True)}
    if kind == "object":
        cls, names, *held = parts
        return _object(cls, dict(zip(names, (_item(part, values) for part in held), strict=True)))
    value = next(values)
    if kind == "Merged":
        then, orelse = [_item(part, values) for part in parts]
        return then if value else orelse
    if kind == "Listed":
        cls, places, item = parts
        return _CONTAINERS[cls](first_rows(item, int(value), *(next(values) for _ in range(places))))
    if kind == "Rows":
        return value.narrow(parts[0], 0, int(next(values))).clone(memory_format=torch.contiguous_format)
    return value.clone() if kind == "Tensor" else value.item()  # items share no memory, as those a program appends


def entries(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    """A dict of keys that the data decided."""
    return dict(zip(keys, values, strict=True))
