"""Putting a picture together: what the readers of FX and ONNX graphs have in common.

A reader calls `node`, `branch` and `loop` in the order of the program, and gets ids that stand for values. What no
result, test or effect depends on is left out at the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from graphweld.view.lines import variable_at, variable_read
from graphweld.view.model import Edge, EdgeKind, Graph, Node, NodeKind, Place, Region, RegionKind

Ids = list[str]


@dataclass(frozen=True, slots=True)
class Held:
    """A tensor of a module's, or a number: it stands in the labels of what reads it, without a node of its own."""

    name: str
    detail: str


class Assembly:
    """A picture in the making."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._edges: dict[Edge, None] = {}
        self._needs: defaultdict[str, Ids] = defaultdict(list)  # what is in the picture where the key is
        self._roots: set[str] = set()
        self._deciding: Ids = []
        self._count = 0
        self.names: dict[str, str] = {}  # the user's names, by id; a name may come after the node
        self.places: dict[str, Place | None] = {}

    def fresh(self) -> str:
        self._count += 1
        return f"n{self._count}"

    def node(
        self,
        kind: NodeKind,
        label: str,
        reads: Sequence[str] = (),
        *,
        name: str = "",
        place: Place | None = None,
        detail: str = "",
        is_root: bool = False,
    ) -> str:
        """A value computed from others; a root is never left out."""
        made = Node(self.fresh(), kind, label, "", place, detail)
        self._add(made)
        self.places[made.id] = place
        for source in reads:
            self.edge(source, made.id)
        if is_root:
            self._roots.add(made.id)
        if name:
            self.names[made.id] = name
        return made.id

    def held(self, value: Held) -> str:
        """A node for what is held, where more than a label needs it."""
        return self.node("parameter", value.name, detail=value.detail)

    def output(self, source: str) -> str:
        """A result of the program."""
        return self.node("output", f"return {self.names.get(source, '')}".strip(), [source], is_root=True)

    def name_by_line(self, source: str, reader: Place | None) -> None:
        """What another line reads of a line `y = ...` is y."""
        self._name(source, variable_read(self.places.get(source), reader))

    def name_given(self, source: str) -> None:
        """What a graph gives of a line `y = ...` is y."""
        self._name(source, variable_at(self.places.get(source)))

    def carried_names(self, starts: Ids, names: Sequence[str], places: Sequence[Place | None]) -> list[str]:
        """The names that a loop's graph gives, or the line that ends a trip, or else the one that comes before it."""
        return [
            _at(names, k) or variable_at(places[k] if k < len(places) else None) or self.names.get(start, "")
            for k, start in enumerate(starts)
        ]

    def edge(self, source: str, target: str, kind: EdgeKind = "data") -> None:
        self._edges[Edge(source, target, kind)] = None

    def branch(
        self,
        label: str,
        pred: str | None,
        sides: Sequence[Callable[[], Ids]],
        names: Sequence[str] = (),
        *,
        place: Place | None = None,
        details: Sequence[str] = (),
    ) -> Ids:
        """An If: its test, both sides, and a result for each output of theirs."""
        box = self.fresh()
        test = self._test(label, place)
        if pred is not None:
            self.edge(pred, test.id, "test")
        regions, given = [], []
        kinds: tuple[RegionKind, ...] = ("then", "else")
        for kind, side in zip(kinds, sides, strict=True):
            with self._inside(test.id) as nodes:
                given.append(self._kept(side(), nodes, names))
            regions.append(Region(self.fresh(), kind, tuple(nodes)))
            self.edge(test.id, regions[-1].id, "test")
        results = []
        for k, ids in enumerate(zip(*given, strict=True)):
            results.append(self._pill("result", _at(names, k) or self._shared(ids), _at(details, k)))
            for source in ids:
                self.edge(source, results[-1].id)
            self._needs[results[-1].id].append(test.id)
        self._add(Node(box, "if", "If", "", place, "", (test, *results), tuple(regions)))
        return [node.id for node in results]

    def loop(
        self,
        label: str,
        starts: Sequence[str | None],
        names: Sequence[str],
        body: Callable[[Ids], tuple[str | None, Ids]],
        *,
        first: str | None = None,
        place: Place | None = None,
        details: Sequence[str] = (),
        kind: str = "Loop",
    ) -> Ids:
        """A Loop: its test, the values it carries from trip to trip, its body, and the results.

        `body` takes the ids of the carried values, and gives what decides about another trip, and the next values; what
        it gives beyond these is stacked, a row for each trip.
        """
        box = self.fresh()
        test = self._test(label, place)
        if first is not None:
            self.edge(first, test.id, "test")
        carries = [self._pill("carry", _at(names, k), _at(details, k)) for k in range(len(starts))]
        for start, carry in zip(starts, carries, strict=True):
            if start is not None:
                self.edge(start, carry.id)
        with self._inside(test.id) as nodes:
            again, after = body([carry.id for carry in carries])
            after = self._kept(after, nodes, names)
        region = Region(self.fresh(), "body", tuple(nodes))
        self.edge(test.id, region.id, "test")
        if again is not None:
            self.edge(again, test.id, "again")
        results = []
        for k, source in enumerate(after):
            stacked = "" if k < len(carries) else "all "
            result = self._pill(
                "result", f"{stacked}{_at(names, k) or self.names.get(source, '')}".strip(), _at(details, k)
            )
            results.append(result)
            self.edge(source, result.id)
            self._needs[result.id].append(test.id)
            if k < len(carries):
                self.edge(result.id, carries[k].id, "again")
        self._add(Node(box, "loop", kind, "", place, "", (test, *carries, *results), (region,)))
        return [node.id for node in results]

    @contextmanager
    def box(self, label: str, kind: NodeKind, region: RegionKind, place: Place | None = None) -> Iterator[str]:
        """A box around what is made inside; the id of its region."""
        box, inner = self.fresh(), self.fresh()
        before, self._nodes = self._nodes, []
        try:
            yield inner
        finally:
            nodes, self._nodes = self._nodes, before
        self._add(Node(box, kind, label, "", place, "", (), (Region(inner, region, tuple(nodes)),)))

    def finish(self, title: str) -> Graph:
        """The picture, without what nothing in it depends on."""
        sources: defaultdict[str, Ids] = defaultdict(list)
        for edge in self._edges:
            sources[edge.target].append(edge.source)
        wanted, pending = set[str](), list(self._roots)
        while pending:
            found = pending.pop()
            if found not in wanted:
                wanted.add(found)
                pending += [*sources[found], *self._needs[found]]
        nodes = tuple(self._only(self._nodes, wanted))
        shown = {node.id for top in nodes for node in top.walk()}
        shown |= {region.id for top in nodes for node in top.walk() for region in node.regions if region.nodes}
        edges = tuple(edge for edge in self._edges if edge.source in shown and edge.target in shown)
        return Graph(title, nodes, edges)

    @contextmanager
    def _inside(self, test: str) -> Iterator[list[Node]]:
        """A region that a test decides about."""
        before, self._nodes = self._nodes, []
        self._deciding.append(test)
        try:
            yield self._nodes
        finally:
            self._nodes = before
            self._deciding.pop()

    def _name(self, source: str, name: str) -> None:
        if name:
            self.names.setdefault(source, name)

    def _add(self, node: Node) -> None:
        self._nodes.append(node)
        self._needs[node.id] += self._deciding[-1:]
        for part in node.parts:
            self._needs[part.id] += self._deciding[-1:]

    def _test(self, label: str, place: Place | None) -> Node:
        return Node(self.fresh(), "test", label, "", place)

    def _pill(self, kind: NodeKind, name: str, detail: str) -> Node:
        made = Node(self.fresh(), kind, "·", "", None, detail)
        if name:
            self.names[made.id] = name
        return made

    def _kept(self, ids: Ids, nodes: list[Node], names: Sequence[str]) -> Ids:
        """What a region gives; a value from outside of it goes through a node of its own."""
        own = {node.id for top in nodes for node in top.walk()}
        given = []
        for k, source in enumerate(ids):
            if source not in own:
                name = self.names.get(source) or _at(names, k)
                source = self.node("kept", f"{name or 'it'} as it is", [source])
                self.names[source] = name
            given.append(source)
        return given

    def _shared(self, ids: Sequence[str]) -> str:
        found = {self.names.get(source, "") for source in ids}
        return found.pop() if len(found) == 1 else ""

    def _only(self, nodes: Sequence[Node], wanted: set[str]) -> Iterator[Node]:
        for node in nodes:
            if not node.regions:
                if node.id in wanted:
                    yield replace(node, name=self.names.get(node.id, ""))
                continue
            parts = tuple(self._only(node.parts, wanted))
            regions = (replace(region, nodes=tuple(self._only(region.nodes, wanted))) for region in node.regions)
            full = tuple(region for region in regions if region.nodes)
            if parts or full:
                yield replace(node, parts=parts, regions=full)


def _at(values: Sequence[str], k: int) -> str:
    return values[k] if k < len(values) else ""
