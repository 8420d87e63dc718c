"""A graph as DOT text, Graphviz's language, by way of a scene: the same as pieces of text, each box open or closed.

The page in `templates/` holds a scene, and puts it together by the same rules as `dot_text` here when a reader opens or
closes a box.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphweld.view.draw.palette import CLUSTERS, EDGES, FAINT, NODES
from graphweld.view.model import Edge, Graph, Node, Place, Region

Scene = Mapping[str, Any]

FONT = "Courier"  # Graphviz knows its widths without font files, and every monospaced font has about these
_HEAD = (
    "digraph graphweld { graph [compound=true,rankdir=TB,ranksep=0.32,nodesep=0.22,bgcolor=transparent,pad=0.1];\n"
    f'node [fontname="{FONT}",fontsize=11,height=0.3,margin="0.1,0.05"];\n'
    "edge [arrowsize=0.65];"
)
_LONGEST = 44
_SHAPES = {
    "op": 'shape=box,style="rounded,filled"',
    "select": 'shape=box,style="rounded,filled"',
    "python": 'shape=box,style="filled,dashed"',
    "test": 'shape=hexagon,style=filled,margin="0.02,0.02",ordering=out',
    "kept": 'shape=plain,style=""',
    "closed": "shape=box3d,style=filled",
}
_PILL = 'shape=box,style="rounded,filled,bold"'
_EDGE_STYLES = {
    "test": "penwidth=1.4,weight=3",
    "again": "dir=back,style=dashed,penwidth=1.6",
    "break": "style=dashed,penwidth=1.8,minlen=2",
}


def scene(graph: Graph) -> Scene:
    """The pieces of the text, for `dot_text` and for the page."""
    outputs = ";".join(node.id for node in graph.nodes if node.kind == "output")
    return {
        "head": _HEAD,
        "foot": f"{{rank=sink;{outputs}}}",
        "faint": FAINT,
        "items": [_item(node) for node in graph.nodes],
        "edges": [_edge(edge) for edge in graph.edges],
    }


def dot_text(scene: Scene, closed: Collection[str] = ()) -> str:
    """The text, with the boxes of these ids closed."""
    shown: dict[str, tuple[str, str]] = {}  # by id: the node that an edge is drawn to, and the box it ends at
    lines = [scene["head"]]
    for item in scene["items"]:
        lines += _open(item, closed, shown)
    drawn: dict[str, None] = {}
    for source, target, style in scene["edges"]:
        (tail, tail_box), (head, head_box) = shown[source], shown[target]
        if tail == head:
            continue
        ends = f',ltail="{tail_box}"' * bool(tail_box) + f',lhead="{head_box}"' * bool(head_box)
        drawn[f"{tail} -> {head} [{style}{ends}];"] = None
    return "\n".join([*lines, *drawn, scene["foot"], "}"])


def closed_at_first(graph: Graph, most: int) -> set[str]:
    """The boxes to close so that about `most` nodes are left: those furthest in, one level after the other."""
    levels: list[list[Node]] = []

    def walk(nodes: tuple[Node, ...], depth: int) -> None:
        for box in (node for node in nodes if node.regions):
            levels.extend([] for _ in range(depth + 1 - len(levels)))
            levels[depth].append(box)
            for region in box.regions:
                walk(region.nodes, depth + 1)

    walk(graph.nodes, 0)
    closed: set[str] = set()
    hidden: set[str] = set()
    while levels and sum(not node.regions and node.id not in hidden for node in graph.walk()) > most:
        level = levels.pop()
        closed |= {box.id for box in level}
        hidden |= {node.id for box in level for node in box.walk()}
    return closed


def _open(item: Scene, closed: Collection[str], shown: dict[str, tuple[str, str]]) -> Iterator[str]:
    if "items" not in item or item["id"] in closed:
        yield item["closed"]
        for inner in item["ids"]:
            shown[inner] = item["id"], ""
        return
    yield item["open"]
    for inner in item["items"]:
        yield from _open(inner, closed, shown)
    yield item["ranks"]
    for name in item["names"]:
        shown[name] = shown[item["first"]][0], item["box"]
    yield "}"


def _item(node: Node) -> Scene:
    if not node.regions:
        return {"id": node.id, "ids": [node.id], "closed": _node(node, node.kind, _label(node))}
    if node.kind in ("piece", "call"):  # one box for both
        made = _region(node.regions[0], node.kind, _title(node))
        made["names"].append(node.id)
    else:
        made = {
            "names": [node.id],
            "box": f"cluster_{node.id}",
            "open": _cluster(node.id, node.kind, _title(node, with_text=False)),
            "items": [
                *map(_item, node.parts),
                *(_region(region, region.kind, f"<b>{region.kind}</b>") for region in node.regions),
            ],
            "ranks": _ranks(node),
            "first": (node.parts or node.regions[0].nodes)[0].id,
        }
    many = sum(not inner.regions for inner in node.walk())
    ids = [inner.id for inner in node.walk()] + [region.id for inner in node.walk() for region in inner.regions]
    return {
        **made,
        "id": node.id,
        "ids": ids,
        "closed": _node(node, "closed", f"{_title(node)}{_small(f'{many} nodes')}"),
    }


def _region(region: Region, kind: str, title: str) -> dict[str, Any]:
    return {
        "id": region.id,
        "names": [region.id],
        "box": f"cluster_{region.id}",
        "open": _cluster(region.id, kind, title),
        "items": [_item(node) for node in region.nodes],
        "ranks": "",
        "first": region.nodes[0].id,
        "ids": [region.id],
        "closed": "",
    }


def _ranks(node: Node) -> str:
    """What enters a box stands in one row, and what leaves it in another."""
    rows = [[part.id for part in node.parts if part.kind in kinds] for kinds in (("test", "carry"), ("result",))]
    return " ".join(f"{{rank=same;{';'.join(row)}}}" for row in rows if len(row) > 1)


def _title(node: Node, *, with_text: bool = True) -> str:
    word = f"<b>{_escaped(node.label)}</b>"
    if node.place is None:
        return word
    text = f"  {_escaped(_short(node.place.text))}" if with_text else ""
    return f"{word}{text}{_small_inline(f'line {node.place.line}')}"


def _label(node: Node) -> str:
    line = f"line {node.place.line}" if node.place and node.kind in ("op", "select", "python") else ""
    under = "  ".join(filter(None, [line, node.detail]))
    text = _escaped(_short(node.label))
    if node.kind in ("result", "carry", "input", "output"):
        text = f"<b>{_escaped(node.name) or text}</b>"
    elif node.name and node.name != node.label:
        text = f"<b>{_escaped(node.name)}</b> = {text}"
    return f"{text}{_small(under)}" if under else text


def _node(node: Node, kind: str, label: str) -> str:
    look = NODES[kind]
    shape = _SHAPES.get(kind, _PILL)
    told = _quoted(_told(node.place)) if node.place is not None else '""'
    return (
        f'{node.id} [id="{node.id}",class="{kind}",{shape},color="{look.stroke}",fillcolor="{look.fill}",'
        f'fontcolor="{look.ink}",tooltip={told},label=<{label}>];'
    )


def _cluster(name: str, kind: str, title: str) -> str:
    look = CLUSTERS[kind]
    style = "dashed,filled" if kind == "piece" else "rounded,filled"
    width = 2 if kind in ("piece", "if", "loop") else 1.2
    return (
        f'subgraph cluster_{name} {{ graph [id="{name}",class="{kind}",style="{style}",color="{look.stroke}",'
        f'fillcolor="{look.fill}",fontcolor="{look.ink}",penwidth={width},fontname="{FONT}",fontsize=11,'
        f'labeljust=l,margin=10,tooltip="",label=<{title}>];'
    )


def _edge(edge: Edge) -> tuple[str, str, str]:
    color = EDGES[edge.kind].stroke
    style = f'class="{edge.kind}",color="{color}",tooltip=""'
    ends = (edge.target, edge.source) if edge.kind == "again" else (edge.source, edge.target)  # drawn up, laid out down
    return *ends, ",".join(filter(None, [style, _EDGE_STYLES.get(edge.kind, "")]))


def _small(text: str) -> str:
    return f'<br/><font point-size="8" color="{FAINT}">{_escaped(text)}</font>' if text else ""


def _small_inline(text: str) -> str:
    return f'  <font point-size="9" color="{FAINT}">{_escaped(text)}</font>'


def _told(place: Place) -> str:
    return f"{place.file.rpartition('/')[2]}:{place.line}  {place.text}".strip()


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
