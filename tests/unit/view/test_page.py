"""The page of a picture: put together by its script as by Python, and drawn, opened and closed in a browser."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from graphweld.diagnostics import GraphweldError
from graphweld.view import layout
from graphweld.view.draw.dot import dot_text, scene
from graphweld.view.draw.page import page
from graphweld.view.drawing import Drawing
from graphweld.view.model import Edge, Graph, Node, Place, Region
from tests import browser
from tests.contract.tree import ROOT

TEST = Node("t", "test", 'if <b> & "q":', "", Place("/a/model.py", 7, 'if <b> & "q":'))
GRAPH = Graph(
    "f <welded>",
    (
        Node("x", "input", "x", "x", None, "f32[3]"),
        Node(
            "i", "if", "If", "", TEST.place, "", (TEST, Node("r", "result", "·", "y")),
            (
                Region("then", "then", (Node("a", "op", "x + 1", "y", Place("/a/model.py", 8, "y = x + 1")),)),
                Region("else", "else", (Node("b", "kept", "x as it is"),)),
            ),
        ),
        Node(
            "l", "loop", "Loop", "", None, "", (Node("c", "carry", "y"), Node("n", "result", "y")),
            (Region("body", "body", (Node("d", "op", "y - 1"),)),),
        ),
        Node("o", "output", "return y"),
    ),
    (
        Edge("x", "t", "test"), Edge("t", "then", "test"), Edge("t", "else", "test"), Edge("x", "a"), Edge("x", "b"),
        Edge("a", "r"), Edge("b", "r"), Edge("r", "c"), Edge("c", "d"), Edge("d", "n"), Edge("n", "c", "again"),
        Edge("n", "o"),
    ),
)  # fmt: skip
BOXES = ["i", "l"]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
SHIM = """
const closed = JSON.parse(process.argv[1]), text = require("fs").readFileSync(0, "utf8");
const data = JSON.parse(text.match(/<script type="application\\/json">([^]*?)<\\/script>/)[1]);
const canvas = {}, tools = { addEventListener() {} }, root = { dataset: {} };
const parts = { script: { textContent: JSON.stringify({ ...data, closed }) }, ".canvas": canvas, ".tools": tools };
globalThis.document = { querySelectorAll: () => [{ querySelector: (name) => parts[name] }], documentElement: root };
globalThis.Graphviz = { load: async () => ({ layout(dot) { process.stdout.write(dot); throw new Error("enough"); } }) };
eval(require("fs").readFileSync(process.argv[2], "utf8"));
"""


@needs_node
@pytest.mark.parametrize("closed", [[], ["i"], ["l"], BOXES])
def test_the_script_puts_the_same_text_together(closed: list[str]) -> None:
    script = Path(layout.__file__).parent / "draw" / "templates" / "picture.js"
    done = subprocess.run(
        ["node", "-e", SHIM, json.dumps(closed), str(script)],
        input=page(GRAPH),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == dot_text(scene(GRAPH), closed)


@needs_node
def test_an_svg_has_what_the_graph_has() -> None:
    svg = Drawing(GRAPH).to_svg()
    assert svg.startswith('<svg class="graphweld" role="img" aria-label="f &lt;welded>"')
    assert svg.count('class="node ') == 9
    assert svg.count('class="cluster ') == 5
    assert svg.count('class="edge ') == len(GRAPH.edges)
    assert "if &lt;b&gt; &amp; &quot;q&quot;:" in svg or 'if &lt;b&gt; &amp; "q":' in svg
    assert "prefers-color-scheme:dark" in svg
    assert "file://" not in svg


def test_without_a_program_an_svg_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(GraphweldError, match="needs the program `dot`"):
        Drawing(GRAPH).to_svg()
    assert Drawing(GRAPH)._repr_svg_() is None
    assert Drawing(GRAPH)._repr_html_().startswith("<iframe srcdoc=")


def test_what_the_program_says_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "_command", lambda: ("false",))
    with pytest.raises(GraphweldError, match="false could not lay out the picture"):
        layout.lay_out("digraph{}")


def test_the_graphviz_in_the_package_is_the_recorded_one(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = runpy.run_path(str(ROOT / "tools" / "vendor_graphviz.py"))
    assert vendor["sha256"](layout.ENGINE) == vendor["SHA256_WRITTEN"]
    assert vendor["LICENSE"].exists()
    assert layout.ENGINE.read_text(encoding="utf-8").startswith(vendor["NOTE"])


def test_a_module_becomes_a_script() -> None:
    as_script = runpy.run_path(str(ROOT / "tools" / "vendor_graphviz.py"))["as_script"]
    module = "var a=1;export{b as Graph,a as Graphviz};\n//# sourceMappingURL=x"
    assert as_script(module) == "(() => { var a=1;globalThis.Graphviz = a; })();\n"


PROBE = """
  const count = (what) => document.querySelectorAll(`.canvas .${what}`).length;
  const seen = [[count("node"), count("cluster")]];
  document.getElementById("i").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  seen.push([count("node"), count("cluster")]);
  const expanded = document.getElementById("i").getAttribute("aria-expanded");
  document.getElementById("i").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  seen.push([count("node"), count("cluster")]);
  const focused = document.activeElement.id;
  document.querySelector("[data-do=close]").click();
  seen.push([count("node"), count("cluster")]);
  document.querySelector("[data-do=open]").click();
  return { seen, expanded, focused, wide: document.documentElement.scrollWidth > innerWidth };
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_draws_opens_and_closes(width: int, tmp_path: Path) -> None:
    drawn = 'document.querySelector(".canvas svg")'
    told, shot = browser.look(page(GRAPH), ready=drawn, probe=PROBE, width=width, height=900, folder=tmp_path)
    assert told["seen"] == [[9, 5], [6, 2], [9, 5], [4, 0]]
    assert (told["expanded"], told["focused"], told["wide"]) == ("false", "i", False)
    assert shot.read_bytes().startswith(b"\x89PNG")
    assert shot.stat().st_size > 10_000, "more than an empty page"
