"""Pictures show what the graph has: regions, names, lines, what flows, what decides; before welding, each break."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

import graphweld as gw
from graphweld.view.draw.dot import closed_at_first, dot_text, scene
from graphweld.view.drawing import Drawing
from graphweld.view.model import Edge, Graph, Node
from tests.corpus import program as corpus
from tests.unit.view import programs

X, W = torch.ones(3, 3), torch.ones(3, 3)


def find(graph: Graph, kind: str, name: str = "") -> Node:
    (found,) = [n for n in graph.walk() if n.kind == kind and name in ("", n.name, n.label)]
    return found


def edges(graph: Graph, kind: str) -> set[tuple[str, str]]:
    """Edges by what stands at their ends: the name of a node or its label, the kind of a region."""
    named = {n.id: n.name or n.label for n in graph.walk()}
    named |= {region.id: region.kind for n in graph.walk() for region in n.regions}
    return {(named[e.source], named[e.target]) for e in graph.edges if e.kind == kind}


def labels(nodes: tuple[Node, ...]) -> list[str]:
    return [f"{n.name} = {n.label}" if n.name else n.label for n in nodes]


def test_an_if_holds_both_sides_and_what_decides() -> None:
    graph = gw.draw(programs.choose, (X, W)).graph
    box = find(graph, "if")
    assert [(r.kind, labels(r.nodes)) for r in box.regions] == [
        ("then", ["z = softmax(y, -1)"]),
        ("else", ["relu(y)", "z = · @ w"]),
    ]
    assert [(p.kind, p.name or p.label) for p in box.parts] == [("test", "if y.mean() > 0:"), ("result", "z")]
    assert edges(graph, "test") == {
        ("· > 0", "if y.mean() > 0:"),
        ("if y.mean() > 0:", "then"),
        ("if y.mean() > 0:", "else"),
    }
    assert {("x", "y"), ("w", "y"), ("y", "mean(y)"), ("z", "z"), ("z", "z + x")} <= edges(graph, "data")


def test_nodes_have_the_lines_they_come_from() -> None:
    text = programs.FIGURES.read_text(encoding="utf-8").splitlines()
    for node in gw.draw(programs.choose, (X, W)).graph.walk():
        if node.kind == "op":
            assert node.place is not None
            assert node.place.text == text[node.place.line - 1].strip()
            assert not node.name or node.place.text.startswith(node.name)


def test_a_loop_carries_values_back_to_its_start() -> None:
    graph = gw.draw(programs.count_down, (torch.ones(3), torch.tensor(3))).graph
    box = find(graph, "loop")
    assert [n.name for n in box.parts if n.kind == "carry"] == ["x", "total", "n"]
    assert edges(graph, "again") == {("x", "x"), ("n", "n"), ("total", "total"), ("n > 0", "while n > 0:")}
    assert labels(box.regions[0].nodes) == ["x = x * 0.5", "sum(x)", "total = total + ·", "n = n - 1", "n > 0"]


def test_what_a_line_only_passes_to_a_call_is_not_what_it_assigns() -> None:
    graph = gw.draw(programs.through_a_call, (X,)).graph
    assert {n.label: n.name for n in graph.walk() if n.kind == "op"} == {
        "relu(x)": "",
        "sum(·)": "",
        "· > 0": "",
        "softmax(·, -1)": "",
        "· @ ·": "t",
        "t * 2": "",
        "· + 1": "",
    }


def test_a_picked_side_is_one_node() -> None:
    graph = gw.draw(programs.pick, (X,)).graph
    assert not any(n.regions for n in graph.walk())
    assert find(graph, "select").label == "if x.sum() > 0"
    assert ("· > 0", "x") in edges(graph, "test")


def test_what_is_changed_in_place_is_read_as_changed() -> None:
    graph = gw.draw(programs.change_in_place, (X,)).graph
    assert ("y", "y + 1") in edges(graph, "data")
    assert {n.label for n in graph.walk() if n.name == "y"} == {"x * 2", "add_(y, 3)"}


def test_module_tensors_stand_in_the_labels() -> None:
    torch.manual_seed(0)
    graph = gw.draw(programs.Gate(), (X,)).graph
    assert "linear(x, lin.weight, lin.bias)" in {n.label for n in graph.walk()}
    assert [n.name for n in graph.walk() if n.kind == "input"] == ["x"]


def test_breaks_stand_between_the_graphs() -> None:
    drawing = gw.draw(programs.choose, (X, W), welded=False)
    pieces = [n for n in drawing.graph.nodes if n.kind == "piece"]
    assert [p.label for p in pieces] == ["Graph 1", "Graph 2"]
    python = find(drawing.graph, "python")
    assert (python.label, python.detail) == ("if y.mean() > 0:", "Data-dependent branching")
    assert edges(drawing.graph, "break") == {("if y.mean() > 0:", "piece")}
    assert edges(drawing.graph, "test") == {("· > 0", "if y.mean() > 0:")}
    assert ("y", "z") in edges(drawing.graph, "data"), "what one graph gives, the next reads"


def test_a_break_before_any_operator_comes_first() -> None:
    graph = gw.draw(programs.repeat, (torch.ones(3), torch.tensor(2)), welded=False).graph
    assert [n.kind for n in graph.nodes if n.kind in ("python", "piece")] == ["python", "piece"]


def test_what_does_not_break_is_one_graph() -> None:
    graph = gw.draw(lambda x: x + 1, (X,), welded=False).graph
    assert [n.kind for n in graph.nodes] == ["input", "op", "output"]


def test_what_cannot_be_welded_raises() -> None:
    with pytest.raises(gw.GraphweldError, match="GW"):
        gw.draw(programs.refused, (torch.ones(3),))


def test_the_programs_own_exception_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        gw.draw(programs.fails, (X,))


def check(graph: Graph) -> str:
    """Every edge has ends, nothing is twice, and any boxes can be closed."""
    ids = [n.id for n in graph.walk()]
    ids += [region.id for n in graph.walk() for region in n.regions]
    assert len(set(ids)) == len(ids)
    assert {end for e in graph.edges for end in (e.source, e.target)} <= set(ids)
    pieces = scene(graph)
    boxes = [n.id for n in graph.walk() if n.regions]
    dot_text(pieces, boxes)
    for box in boxes:
        dot_text(pieces, [box])
    return dot_text(pieces)


PROGRAMS = [p for p in corpus.programs() if p.name.startswith(("nested.", "decoding."))]


@pytest.mark.parametrize("way", ["welded", "broken"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs_of_the_corpus_are_drawn(program: corpus.Program, way: str) -> None:
    call = program.calls()[0]
    try:
        drawn = gw.draw(program.make(), call.args, call.kwargs, welded=way == "welded").graph
    except gw.GraphweldError:
        assert way == "welded", "torch alone refuses nothing"
        return
    text = check(drawn)
    for kind in ("if", "loop", "piece"):
        assert text.count(f'class="{kind}"') == sum(n.kind == kind for n in drawn.walk())


def test_large_graphs_are_closed_from_the_inside() -> None:
    graph = gw.draw(programs.deep, (X, torch.tensor(3))).graph
    outer, branch, inner = (n for n in graph.walk() if n.regions)
    shown = Counter(n.kind for n in graph.walk() if not n.regions).total()
    assert closed_at_first(graph, shown) == set()
    assert closed_at_first(graph, shown - 1) == {inner.id}
    assert closed_at_first(graph, 1) == {inner.id, branch.id, outer.id}


def test_modules_of_a_large_graph_are_boxes() -> None:
    small, large = (gw.draw(programs.Tower(count), (X,)).graph for count in (2, 16))
    assert [n.label for n in small.walk() if n.kind == "call"] == []
    boxes = [n for n in large.nodes if n.kind == "call"]
    assert [n.label for n in boxes] == [f"blocks.{k} Block" for k in range(16)]
    assert all(any(inner.kind == "if" for inner in box.walk()) for box in boxes)
    check(large)
    assert closed_at_first(large, 20) == {n.id for n in large.walk() if n.regions}


def test_a_closed_box_stands_for_what_is_in_it() -> None:
    graph = Graph(
        "t",
        (Node("a", "input", "a"), gw.draw(programs.count_down, (torch.ones(3), torch.tensor(1))).graph.nodes[-1]),
        (),
    )
    assert "a -> " not in dot_text(scene(graph))
    whole = gw.draw(programs.count_down, (torch.ones(3), torch.tensor(1))).graph
    box = find(whole, "loop")
    lines = [line for line in dot_text(scene(whole), [box.id]).splitlines() if " -> " in line]
    assert sorted(line.split(" [")[0].replace(box.id, "BOX") for line in lines if box.id in line.split(" [")[0])
    assert len(lines) == len(set(lines)), "edges that now have the same ends are one"


@pytest.mark.parametrize(
    ("name", "words"),
    [("f.png", "an .svg, .html or .dot file, not f.png"), ("no/f.dot", "cannot write")],
)
def test_wrong_paths_are_usage_errors(name: str, words: str, tmp_path: Path) -> None:
    drawing = Drawing(Graph("t", (Node("a", "input", "a"),), ()))
    with pytest.raises(gw.GraphweldError, match=words):
        drawing.save(tmp_path / name)


def test_edges_are_plain_data() -> None:
    assert Edge("a", "b") == Edge("a", "b", "data")
