"""`gw.draw`: a call's graphs as a picture, before welding or after it, and the graph in a file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from graphweld.capture.breaks import Counter, first_obstacle, measure
from graphweld.capture.program import guarded, trampoline
from graphweld.diagnostics import UsageError
from graphweld.targets.pictures import picture_of
from graphweld.view.drawing import Drawing


def draw_call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], *, welded: bool) -> Drawing:
    """Run `fn` once under a compiler that keeps its graphs."""
    torch.compiler.reset()
    counter = Counter()
    if welded:
        compiled = guarded(torch.compile(trampoline(fn)[0], fullgraph=True, backend=counter), fn)
    else:
        compiled = torch.compile(fn, backend=counter)
    measured = measure(compiled, args, kwargs, counter)
    torch.compiler.reset()
    if measured.error is not None:
        raise measured.error
    obstacle = None
    if not measured.captured:
        obstacle = first_obstacle(torch.compile(fn, fullgraph=True, backend="eager"), args, kwargs)
        torch.compiler.reset()
    return Drawing(picture_of(measured, () if obstacle is None else (obstacle,), fn))


def draw_file(path: str | os.PathLike[str]) -> Drawing:
    """The graph of an ONNX model, or of an exported program."""
    file = Path(path)
    if not file.is_file():
        raise UsageError.because(f"no such file: {file}")
    if file.suffix == ".onnx":
        from graphweld.view.from_onnx import graph_of_model  # imports onnx, which is an extra

        return Drawing(graph_of_model(file))
    if file.suffix == ".pt2":
        from graphweld.view.from_fx import graph_of_program

        try:
            program = torch.export.load(file)
        except Exception as error:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise UsageError.because(
                f"{file.name} holds no exported program that this torch reads: {first}",
                "a compiled package holds no graph: draw what it was made from",
            ) from error
        return Drawing(graph_of_program(program, file.name))
    raise UsageError.because(f"a graph is read from an .onnx or a .pt2 file, not {file.name}")
