"""`gw.enabled`: torch's own entry points, welding."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from graphweld.capture.exporter import welded
from graphweld.targets.compile import compile_target


@contextmanager
def enabled() -> Iterator[None]:
    """Have `torch.compile`, `torch.export` and `torch.onnx.export` weld while inside."""
    plain = torch.compile

    def compile_(model: Any = None, *, disable: bool = False, **how: Any) -> Any:
        if model is None:
            return lambda fn: compile_(fn, disable=disable, **how)
        if disable:
            return plain(model, disable=True, **how)
        return compile_target(model, **{**how, "fullgraph": how.get("fullgraph", False)})

    torch.compile = compile_
    try:
        with welded():
            yield
    finally:
        torch.compile = plain
