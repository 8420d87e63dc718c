"""The picture of what one run under a compiler captured."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from torch.fx import GraphModule

from graphweld.capture.breaks import Break, Captured, Measured
from graphweld.capture.tensor_names import argument_names, tensors_in
from graphweld.view.from_fx import graph_of
from graphweld.view.from_pieces import Piece, graph_of_pieces
from graphweld.view.fx_nodes import input_name, placeholders
from graphweld.view.model import Graph, Place


def picture_of(measured: Measured, told: tuple[Break, ...], fn: Callable[..., Any]) -> Graph:
    """The graph, or the graphs and what stands between them; `told` is what stopped a run without any."""
    title = getattr(fn, "__qualname__", type(fn).__qualname__)
    given = argument_names(fn, measured.args, measured.kwargs)
    returned = tensors_in(measured.result)
    captured = measured.captured or tuple(Captured(None, found) for found in told)
    if len(captured) == 1 and captured[0].module is not None and captured[0].stop is None:
        (whole,) = captured
        assert whole.module is not None, "asked above"
        results = {id(value) for value in returned}
        kept = [k for k, value in enumerate(whole.outputs) if id(value) in results]
        names = input_names(whole.module, fn)
        names = [given.get(id(value), name) for value, name in zip(whole.inputs, names, strict=True)]
        return graph_of(whole.module, title, names, kept or None)
    pieces = [Piece(c.module, c.inputs, c.outputs, *_stop(c.stop)) for c in captured]
    return graph_of_pieces(pieces, title, given, returned)


def input_names(module: GraphModule, fn: Callable[..., Any]) -> list[str]:
    """The names of a graph's inputs, those of the function's parameters where Dynamo numbers them."""
    try:
        parameters = list(inspect.signature(getattr(fn, "forward", fn)).parameters)
    except (TypeError, ValueError):
        parameters = []

    def named(found: re.Match[str]) -> str:
        k = int(found[1])
        return parameters[k] if k < len(parameters) else found[0]

    names = (re.sub(r"^kwargs_", "", input_name(node)) for node in placeholders(module))
    return [re.sub(r"^args_(\d+)", named, name) for name in names]


def _stop(found: Break | None) -> tuple[Place | None, str]:
    if found is None:
        return None, ""
    return Place(found.file, found.line, found.source_line.strip()), found.reason.partition(":")[0]
