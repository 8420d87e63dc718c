"""A program that torch broke into graphs, as a picture: each graph, and what Python runs between them.

What flows from one graph to another is known by the tensors that went through when the program ran.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule

from graphweld.view.assembly import Held, Ids
from graphweld.view.from_fx import Reader
from graphweld.view.fx_nodes import placeholders
from graphweld.view.model import Graph, Place


@dataclass(frozen=True, slots=True)
class Piece:
    """One graph with what went in and came out, None where nothing was captured; and what stopped it."""

    module: GraphModule | None
    inputs: Sequence[object]
    outputs: Sequence[object]
    stop: Place | None
    reason: str = ""


def graph_of_pieces(pieces: Sequence[Piece], title: str, given: Mapping[int, str], returned: Sequence[object]) -> Graph:
    """The picture. `given` names the program's tensors by their `id`; `returned` are those of its result."""
    reader = Reader()
    made = reader.made
    known: dict[int, str] = {}  # values by the id of the tensor: numbers are equal by chance
    python: str | None = None
    needed = {id(value) for value in returned} | {id(value) for piece in pieces for value in piece.inputs}
    numbers = itertools.count(1)
    for piece in pieces:
        loose: Ids = []
        region: str | None = None
        if piece.module is not None:
            module = piece.module
            pairs = zip(placeholders(module), piece.inputs, strict=False)
            inputs = [_entered(reader, node, value, known, given, python) for node, value in pairs]
            with made.box(f"Graph {next(numbers)}", "piece", "piece") as region:
                outputs = reader.body(module, inputs)
            for source, value in zip(outputs, piece.outputs, strict=False):
                if isinstance(value, torch.Tensor):
                    known[id(value)] = source
                loose += [source] if id(value) not in needed else []
            if python is not None:
                made.edge(python, region, "break")
        if piece.stop is not None:
            before = region or python
            text = piece.stop.text or "Python"
            python = made.node("python", text, place=piece.stop, detail=piece.reason, is_root=True)
            for source in loose:
                made.edge(source, python, "test")
            if not loose and before is not None:
                made.edge(before, python, "break")
    for value in returned:
        if id(value) in known:
            made.output(known[id(value)])
        elif python is not None:
            made.node("output", "return", [python], is_root=True)
    return made.finish(title)


def _entered(
    reader: Reader, node: Any, value: object, known: dict[int, str], given: Mapping[int, str], python: str | None
) -> str | Held:
    """What a graph reads: an earlier graph's value, an input of the program, or what Python made in between."""
    entered = reader.input_of(node, given.get(id(value), ""), known.get(id(value)), python)
    if isinstance(entered, str) and isinstance(value, torch.Tensor):
        known[id(value)] = entered
    return entered
