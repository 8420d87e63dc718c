"""What a picture shows: nodes, some of which hold regions, and edges between them. Frozen, plain, and without torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MOST_AT_FIRST = 150  # nodes that a person can still follow

NodeKind = Literal[
    "input",
    "parameter",
    "op",
    "select",
    "test",
    "carry",
    "result",
    "kept",
    "output",
    "if",
    "loop",
    "call",
    "piece",
    "python",
]
RegionKind = Literal["then", "else", "body", "piece"]
EdgeKind = Literal["data", "test", "again", "break"]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's, with its text where that is known, and the lines of the calls that led to it."""

    file: str
    line: int
    text: str = ""
    callers: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Node:
    """A value, or an If, Loop or piece that holds regions.

    `label` says what computes it, `name` is the user's name for it, `detail` its type and sizes. The `parts` of a node
    with regions stand beside them in its box: the test that decides, the values it carries, and its results.
    """

    id: str
    kind: NodeKind
    label: str
    name: str = ""
    place: Place | None = None
    detail: str = ""
    parts: tuple[Node, ...] = ()
    regions: tuple[Region, ...] = ()

    def walk(self) -> Iterator[Node]:
        """The node, and all nodes in it."""
        yield self
        for node in self.parts:
            yield from node.walk()
        for region in self.regions:
            for node in region.nodes:
                yield from node.walk()


@dataclass(frozen=True, slots=True)
class Region:
    """One side of an If, the body of a Loop, or one graph of several."""

    id: str
    kind: RegionKind
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """From a node or region to another, by id: data, what a test decides, a value for the next trip, or a break."""

    source: str
    target: str
    kind: EdgeKind = "data"


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole picture."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def walk(self) -> Iterator[Node]:
        """Every node, those in regions after the one that holds them."""
        for node in self.nodes:
            yield from node.walk()
