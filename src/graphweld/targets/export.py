"""`gw.export`: torch.export, with the control flow welded."""

import inspect
from collections.abc import Callable
from typing import Any

import torch

from graphweld.capture.exporter import welded


def export_target(
    target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], dynamic_shapes: Any = None
) -> torch.export.ExportedProgram:
    """One graph of `target` that needs no Python, as an ExportedProgram."""
    with welded():
        return torch.export.export(as_module(target), args, kwargs, dynamic_shapes=dynamic_shapes, strict=True)


def as_module(target: Callable[..., Any]) -> torch.nn.Module:
    """A module that calls `target`, with its parameter names; a method's module is a part of it."""
    if isinstance(target, torch.nn.Module):
        return target
    owner: Any = getattr(target, "__self__", None)
    method: Any = getattr(target, "__func__", None)
    is_part = isinstance(owner, torch.nn.Module)

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self.module, *args, **kwargs) if is_part else target(*args, **kwargs)

    forward.__signature__ = _with_self(inspect.signature(target))  # type: ignore[attr-defined]
    name = getattr(target, "__name__", type(target).__name__)
    module: torch.nn.Module = type(name, (torch.nn.Module,), {"forward": forward, "gw_target": staticmethod(target)})()
    if is_part:
        module.add_module("module", owner)  # its parameters are then the program's
    return module


def _with_self(own: inspect.Signature) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    rest = [p.replace(kind=kind) if p.kind is p.POSITIONAL_ONLY else p for p in own.parameters.values()]
    return own.replace(parameters=[inspect.Parameter("self", kind), *rest])
