"""`gw.draw`: a call's graphs as a picture, before welding or after it, and the graph in a file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from graphweld.capture.breaks import Break
from graphweld.capture.quiet import quiet
from graphweld.diagnostics import UsageError
from graphweld.targets.explain import run_alone, run_welded
from graphweld.targets.onnx import require
from graphweld.targets.pictures import picture_of
from graphweld.view.drawing import Drawing
from graphweld.view.from_fx import graph_of_program


def draw_call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], *, welded: bool) -> Drawing:
    """Run `fn` on copies of its arguments, under a compiler that keeps its graphs."""
    told: tuple[Break, ...] = ()
    if welded:
        measured, _ = run_welded(fn, args, kwargs)
    else:
        measured, told = run_alone(fn, args, kwargs)
    if measured.error is not None:
        raise measured.error
    return Drawing(picture_of(measured, told, fn))


def draw_file(path: str | os.PathLike[str]) -> Drawing:
    """The graph of an ONNX model, or of an exported program."""
    file = Path(path)
    if not file.is_file():
        raise UsageError.because(f"no such file: {file}")
    if file.suffix == ".onnx":
        require("onnx_ir")
        from graphweld.view.from_onnx import graph_of_model

        return Drawing(graph_of_model(file))
    if file.suffix == ".pt2":
        try:
            with quiet("torch.export"):
                program = torch.export.load(file)
        except Exception as error:
            raise UsageError.because(
                f"{file.name} holds no exported program that torch {torch.__version__} reads",
                "a compiled package holds no graph: draw what it was made from",
            ) from error
        return Drawing(graph_of_program(program, file.name))
    raise UsageError.because(f"a graph is read from an .onnx or a .pt2 file, not {file.name}")
