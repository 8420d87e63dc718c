"""Buffers that a program changes, in an ONNX model: what they are before a call goes in, what they are behind it out.

    self.steps.add_(1)          inputs   x, and steps, which is what it was at the export unless it is given
    return x * self.steps       outputs  result, steps_after

A model keeps nothing from call to call. Who calls it does, by giving `steps_after` back as `steps`; who does not gets
what a new copy of the program gives.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import onnx_ir as ir
import torch
from onnx_ir import tensor_adapters

from graphweld.capture.exported_names import Changed
from graphweld.targets.export import state_at

PART = "module."  # see `as_module`


def names_of(target: Callable[..., Any], changed: Changed | None) -> dict[str, str]:
    """The names in the user's words, by those that they have where the program is a part of a wrapper."""
    state = [] if changed is None else changed.state
    if isinstance(target, torch.nn.Module):
        return {f"{PART}{name}": name for name in state}
    is_method = isinstance(getattr(target, "__self__", None), torch.nn.Module)
    return {name: name.removeprefix(PART) if is_method else name for name in state}


def as_inputs(model: ir.Model, names: Mapping[str, str]) -> None:
    """Have these initializers be inputs, behind the others. One that the program does not read is, too."""
    for held, name in names.items():
        value = model.graph.initializers.pop(held, None) or ir.Value()
        value.name, value.const_value = name, None  # until all is done: optimizers take it for a constant
        model.graph.inputs.append(value)


def give_defaults(model: ir.Model, owner: torch.nn.Module, names: Mapping[str, str]) -> None:
    """Give those inputs what is in the program now: an initializer that is an input is its default."""
    values = {value.name: value for value in model.graph.inputs}
    for held, name in names.items():
        now = state_at(owner, held).detach().clone()  # the program's own goes on changing
        value = values[name]
        value.const_value = tensor_adapters.TorchTensor(now, name=name)
        value.type, value.shape = ir.TensorType(value.const_value.dtype), ir.Shape(now.shape)
        model.graph.initializers[name] = value


@contextmanager
def state_kept(owner: torch.nn.Module, names: list[str]) -> Iterator[None]:
    """Run the program inside, and have its buffers be what they were."""
    before = [(name, tensor, tensor.detach().clone()) for name in names for tensor in [state_at(owner, name)]]
    try:
        yield
    finally:
        for name, tensor, value in before:
            path, _, last = name.rpartition(".")
            setattr(owner.get_submodule(path), last, tensor)
            with torch.no_grad():
                tensor.copy_(value)
