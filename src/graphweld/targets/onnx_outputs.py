"""What an ONNX model gives back: the results, as tensors, and behind them each argument that the program changes.

    def f(x, y):                    inputs   x, y
        x.add_(y)                   outputs  total, x_after
        total = x.sum()
        return total

A model changes nothing that it is given. A result that is a Python number is a 0-d tensor, and its metadata says so. A
list of which the data decides the length is a sequence.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.export.graph_signature import (
    ConstantArgument,
    OutputKind,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from torch.utils import _pytree as pytree

from graphweld.targets.export import Place

NUMBER = "graphweld.number"  # in the metadata of an output: which type of Python's it has been
DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64}
SYMBOLIC: dict[type, type] = {SymBoolArgument: bool, SymIntArgument: int, SymFloatArgument: float}


def numbers_as_tensors(program: torch.export.ExportedProgram) -> list[str]:
    """Have numbers among the results be tensors. Returns each result's type as a number, "" of tensors."""
    end = program.graph.output_node()
    results: list[Any] = list(end.args[0])
    kinds = []
    for k, spec in enumerate(program.graph_signature.output_specs):
        if spec.kind is not OutputKind.USER_OUTPUT:
            continue
        kind = type(spec.arg.value) if isinstance(spec.arg, ConstantArgument) else SYMBOLIC.get(type(spec.arg))
        if kind in DTYPES:
            with program.graph.inserting_before(end):
                results[k] = program.graph.call_function(
                    torch.ops.aten.full.default, ([], results[k]), {"dtype": DTYPES[kind]}
                )
            spec.arg = TensorArgument(results[k].name)
            kinds.append(kind.__name__)
        elif not isinstance(spec.arg, ConstantArgument):
            is_list = getattr(results[k], "target", None) is torch.ops.graphweld.as_list.default
            item = str(results[k].args[1]) if is_list else "tensor"
            kinds.append(item if item != "tensor" else "")
    end.args = (tuple(results),)
    program.graph_module.recompile()
    return kinds


def changed_inputs(model: torch.onnx.ONNXProgram, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Place]:
    """Where the arguments are that a program changes, by their names as inputs of the model."""
    assert model.exported_program is not None, "this model comes from one"
    signature = model.exported_program.graph_signature
    changed = set(signature.user_inputs_to_mutate.values())
    leaves, _ = pytree.tree_flatten_with_path((args, kwargs))
    places = {}
    for name, (path, _) in zip(signature.user_inputs, leaves, strict=True):
        if name in changed:
            (_, _), (first, _), *way = ((_word(key), isinstance(key, pytree.GetAttrKey)) for key in path)
            places[str(name)] = first, tuple(way)
    return places


def result_names(program: torch.export.ExportedProgram, changed: Sequence[str]) -> list[str]:
    """What the keys that lead to each result say, "" where there are none; arguments that change are named for them."""
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
