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
    plain, plain_onnx = torch.compile, torch.onnx.export

    def export_onnx(*args: Any, dynamo: bool = True, **how: Any) -> Any:
        if dynamo:
            from graphweld.targets.onnx_regions import translations  # imports onnx, which is an extra

            how["custom_translation_table"] = {**translations(), **(how.get("custom_translation_table") or {})}
        return plain_onnx(*args, dynamo=dynamo, **how)

    def compile_(model: Any = None, *, disable: bool = False, **how: Any) -> Any:
        if model is None:
            return lambda fn: compile_(fn, disable=disable, **how)
        if disable:
            return plain(model, disable=True, **how)
        return compile_target(model, **{**how, "fullgraph": how.get("fullgraph", False)})

    torch.compile, torch.onnx.export = compile_, export_onnx
    try:
        with welded():
            yield
    finally:
        torch.compile, torch.onnx.export = plain, plain_onnx
