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
            several rows.
        stacks: Tensors of one length, as many as the template has tensors and numbers.
    """
    return [_item(template, iter([stack[i] for stack in stacks])) for i in range(len(stacks[0]))]


def split(tensor: torch.Tensor, sizes: torch.Tensor, dim: int) -> list[torch.Tensor]:
    """The parts of a tensor along `dim`, as views."""
    return list(torch.split(tensor, sizes.tolist(), dim))


def _item(template: tuple[Any, ...], values: Iterator[torch.Tensor]) -> Any:
    kind, *parts = template
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](_item(part, values) for part in parts)
    value = next(values)
    if kind == "Rows":
        return value.narrow(parts[0], 0, int(next(values))).clone(memory_format=torch.contiguous_format)
    return value.clone() if kind == "Tensor" else value.item()  # items share no memory, as those a program appends
