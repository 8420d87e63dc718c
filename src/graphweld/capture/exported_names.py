"""The user's names of what goes into an exported program and comes out of it: ways through nested containers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.export.graph_signature import OutputKind
from torch.utils import _pytree as pytree

# Which argument, and the way from there to a tensor in it: keys, with whether each is an attribute's name.
Place = tuple[int | str, tuple[tuple[Any, bool], ...]]


STATE = {OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION}


@dataclass(frozen=True)
class Changed:
    """What a program leaves changed: arguments, by their names as inputs, and buffers and parameters by their own."""

    arguments: dict[str, Place]
    state: list[str]

    def __bool__(self) -> bool:
        return bool(self.arguments or self.state)


def changed_by_program(program: torch.export.ExportedProgram, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Changed:
    """What a functional program changes."""
    signature = program.graph_signature
    changed = set(signature.user_inputs_to_mutate.values())
    leaves, _ = pytree.tree_flatten_with_path((args, kwargs))
    places = {}
    for name, (path, _) in zip(signature.user_inputs, leaves, strict=True):
        if name in changed:
            (_, _), (first, _), *way = ((_word(key), isinstance(key, pytree.GetAttrKey)) for key in path)
            places[str(name)] = first, tuple(way)
    return Changed(places, [str(spec.target) for spec in signature.output_specs if spec.kind in STATE])


def result_names(program: torch.export.ExportedProgram, changed: Sequence[str]) -> list[str]:
    """What the keys that lead to each result say, "" where there are none; what changes is named for what it was."""
    given = program.graph_signature.user_outputs
    out_spec = program.call_spec.out_spec
    assert out_spec is not None, "the program has been traced"
    result = pytree.tree_unflatten(range(len(given)), out_spec)
    if changed:
        result, _ = result  # see `as_module`
    leaves, _ = pytree.tree_flatten_with_path(result)
    names = ["_".join(_words(path)) for path, k in leaves if given[k] is not None]
    return [*names, *(f"{name}_after" for name in changed)]


def _words(path: Sequence[Any]) -> list[str]:
    """From the first key that is a word on."""
    words = [k for k, key in enumerate(path) if not isinstance(key, pytree.SequenceKey)]
    return [str(_word(key)) for key in path[words[0] :]] if words else []


def _word(key: Any) -> Any:
    return getattr(key, "key", getattr(key, "name", getattr(key, "idx", None)))
