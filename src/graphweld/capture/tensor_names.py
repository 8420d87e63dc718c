"""The tensors among arguments and results, and what a person calls them."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree


def tensors_in(value: Any) -> tuple[torch.Tensor, ...]:
    """The tensors in nested containers, in order."""
    return tuple(leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor))


def argument_names(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[int, str]:
    """The names of tensors among a call's arguments, such as `x` and `state[0]`, by their `id`."""
    try:
        bound = inspect.signature(getattr(fn, "forward", fn)).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {}
    found = {}
    for name, value in bound.items():
        for path, leaf in pytree.tree_leaves_with_path(value):
            if isinstance(leaf, torch.Tensor):
                found[id(leaf)] = f"{name}{pytree.keystr(path)}"
    return found
