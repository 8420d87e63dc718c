"""`gw.compile`: torch.compile, with the control flow welded."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import compile as torch_compile  # `gw.enabled` puts another one in its place

from graphweld.capture import sites
from graphweld.capture.inductor import Inductor
from graphweld.capture.program import guarded, trampoline


def compile_target(
    target: Any,
    *,
    fullgraph: bool = True,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
    checkpoint: bool = False,
    **more: Any,
) -> Any:
    """Compile a function, a method, a callable object or a module into one graph; `more` is for torch.compile alone."""
    how: dict[str, Any] = {"fullgraph": fullgraph, "backend": backend, "dynamic": dynamic, **more}
    if backend in (None, "inductor"):
        how["backend"] = Inductor(mode, dict(options) if options else None, dynamic)
    else:
        how |= {"mode": mode, "options": options}
    if isinstance(target, torch.nn.Module):
        compiled: Any = torch_compile(target, **how)
        compiled.forward = _compile(target.__call__, how, checkpoint)
        return compiled
    return _compile(target, how, checkpoint)


def _compile(target: Callable[..., Any], how: dict[str, Any], checkpoint: bool) -> Callable[..., Any]:
    start, trace = trampoline(target)
    trace.checkpoint = checkpoint
    compiled = torch_compile(start, **how)
    return guarded(compiled if how["fullgraph"] else _broken(compiled, trace), target)


def _broken(compiled: Callable[..., Any], trace: sites.Trace) -> Callable[..., Any]:
    """A program that may break: its pieces are welded as well."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with sites.welding(trace):
            return compiled(*args, **kwargs)

    return call
