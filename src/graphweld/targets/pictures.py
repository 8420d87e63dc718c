"""The picture of what one run under a compiler captured."""

from collections.abc import Callable, Mapping
from typing import Any

from graphweld.capture.breaks import Break, Captured
from graphweld.capture.tensor_names import argument_names, tensors_in
from graphweld.view.from_fx import graph_of
from graphweld.view.from_pieces import Piece, graph_of_pieces
from graphweld.view.model import Graph, Place


def picture_of(
    captured: tuple[Captured, ...],
    result: Any,
    title: str,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Graph:
    """The graph, or the graphs and what stands between them; `args` are the very tensors that the run was given."""
    names = argument_names(fn, args, kwargs)
    returned = tensors_in(result)
    if len(captured) == 1 and captured[0].module is not None and captured[0].stop is None:
        (whole,) = captured
        assert whole.module is not None, "asked above"
        results = {id(value) for value in returned}
        kept = [k for k, value in enumerate(whole.outputs) if id(value) in results]
        inputs = [names.get(id(value), "") for value in whole.inputs]
        return graph_of(whole.module, title, inputs, kept or None)
    pieces = [Piece(c.module, c.inputs, c.outputs, *_stop(c.stop)) for c in captured]
    return graph_of_pieces(pieces, title, names, returned)


def _stop(found: Break | None) -> tuple[Place | None, str]:
    if found is None:
        return None, ""
    return Place(found.file, found.line, found.source_line.strip()), found.reason.partition(":")[0]
