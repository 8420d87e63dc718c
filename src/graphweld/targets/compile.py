"""`gw.compile`: torch.compile, with the control flow welded."""

from collections.abc import Callable
from typing import Any

import torch

from graphweld.capture.program import guarded, trampoline


def compile_target(
    target: Any,
    *,
    fullgraph: bool = True,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    dynamic: bool | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Compile a function, a method, a callable object or a module into one graph."""
    if isinstance(target, torch.nn.Module):
        return _compile_module(target, fullgraph=fullgraph, backend=backend, mode=mode, dynamic=dynamic, options=options)
    start, _trace = trampoline(target)
    compiled = torch.compile(start, fullgraph=fullgraph, backend=backend, mode=mode, dynamic=dynamic, options=options)
    return guarded(compiled, target)


def _compile_module(module: torch.nn.Module, **how: Any) -> Any:
    compiled = torch.compile(module, **how)
    start, _trace = trampoline(module.__call__)
    compiled.forward = guarded(torch.compile(start, **how), module.__call__)
    return compiled
