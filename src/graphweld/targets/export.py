"""`gw.export`: torch.export, with the control flow welded."""

import inspect
from collections.abc import Callable
from typing import Any

import torch

from graphweld.capture.exported_names import Changed, Place
from graphweld.capture.exporter import welded
from graphweld.targets.parts import parts_of


def export_target(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic_shapes: Any = None,
    also: Changed | None = None,
    gives_lists: bool = False,
) -> torch.export.ExportedProgram:
    """One graph of `target` that needs no Python, as an ExportedProgram. It returns what is `also` changed, too."""
    with welded(gives_lists):
        return torch.export.export(as_module(target, also), args, kwargs, dynamic_shapes=dynamic_shapes, strict=True)


def as_module(target: Callable[..., Any], also: Changed | None = None) -> torch.nn.Module:
    """A module that calls `target`, with its parameter names; a method's module is a part of it."""
    if isinstance(target, torch.nn.Module) and also is None:
        return target
    is_module = isinstance(target, torch.nn.Module)
    owner: Any = target if is_module else getattr(target, "__self__", None)
    method: Any = type(target).__call__ if is_module else getattr(target, "__func__", None)
    is_part = isinstance(owner, torch.nn.Module)

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self.module, *args, **kwargs) if is_part else target(*args, **kwargs)
        return result if also is None else (result, changed_by(args, kwargs, self.module if is_module else self, also))

    own = inspect.signature(target.forward if isinstance(target, torch.nn.Module) else target)
    forward.__signature__ = _with_self(own)  # type: ignore[attr-defined]
    name = getattr(target, "__name__", type(target).__name__)
    module: torch.nn.Module = type(name, (torch.nn.Module,), {"forward": forward, "gw_target": staticmethod(target)})()
    if is_part:
        module.add_module("module", owner)  # its parameters are then the program's
    for name, part in ({} if is_part else parts_of(target)).items():
        setattr(module, f"{name}_" if hasattr(module, name) else name, part)
    return module


def changed_by(args: tuple[Any, ...], kwargs: dict[str, Any], owner: torch.nn.Module, changed: Changed) -> list[Any]:
    """What a call has left, of the arguments and the state that it changes; `owner` is `as_module` of the target."""
    arguments = [found_at(args, kwargs, place) for place in changed.arguments.values()]
    return arguments + [state_at(owner, name) for name in changed.state]


def state_at(owner: torch.nn.Module, name: str) -> Any:
    """A buffer or parameter by its full name."""
    value: Any = owner
    for part in name.split("."):
        value = getattr(value, part)
    return value


def found_at(args: tuple[Any, ...], kwargs: dict[str, Any], place: Place) -> Any:
    """The tensor at a place among arguments."""
    argument, way = place
    value = args[argument] if isinstance(argument, int) else kwargs[argument]
    for key, is_attribute in way:
        value = getattr(value, key) if is_attribute else value[key]
    return value


def _with_self(own: inspect.Signature) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    rest = [p.replace(kind=kind) if p.kind is p.POSITIONAL_ONLY else p for p in own.parameters.values()]
    return own.replace(parameters=[inspect.Parameter("self", kind), *rest])
