"""The HTML page: its text, and (where there is a Chromium) what a browser makes of it."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from graphweld.report import Compiled, Report, RunReport, SourceReport
from graphweld.report.render import html
from graphweld.view.model import Edge, Graph, Node
from tests import browser
from tests.unit.report.samples import ALL, REFUSED

VOID = {"meta", "br", "link", "img", "input", "hr"}
SOURCE = SourceReport(
    file="model.py",
    first_line=20,
    function="Solver.forward",
    indent=4,
    original='def forward(self, x):\n    tol = "<b>&"\nwhile err > tol:\n    x = x / 2',
    converted="def forward(self, x):\n    return gw.while_stmt(test_1, body_1)\n",
)
SITES = tuple(dataclasses.replace(site, end_line=site.line, end_column=site.column + 15) for site in REFUSED.sites)
FULL = dataclasses.replace(REFUSED, sites=SITES, sources=(SOURCE,))
PICTURE = Graph("f </script>", (Node("x", "input", "x"), Node("y", "output", "return")), (Edge("x", "y"),))
DRAWN = dataclasses.replace(FULL, before=dataclasses.replace(FULL.before, picture=PICTURE))
PAGE = html.page(DRAWN)
RUN = RunReport(
    script="train.py",
    welded=True,
    compiled=(
        Compiled("torch.compile", "f", "model.py", 3, 2, ALL["welded"].before, ALL["welded"].after, 1, 1.5, 0.5),
        Compiled("torch.compile", "g", "model.py", 20, 1, None, REFUSED.after, sites=SITES, sources=(SOURCE,)),
        Compiled("torch.compile", "never", "model.py", 9, 0, None, None),
    ),
    seconds=3.0,
    ended="exit code 0",
    torch_version="2.13.0",
)


class Checker(HTMLParser):
    """Fails at tags that do not match; collects ids, links and the names of tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if named.get("id"):
            self.ids.append(str(named["id"]))
        self.links += [str(named[key]) for key in ("href", "src") if named.get(key)]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert all(link.startswith("#") and link[1:] in checker.ids for link in checker.links), "nothing from outside"
    return checker


@pytest.mark.parametrize("report", [*ALL.values(), FULL], ids=[*ALL, "full"])
def test_each_report_is_a_whole_page(report: Report) -> None:
    checked(report.to_html())


def test_a_run_has_a_section_for_each_function_that_was_called() -> None:
    checker = checked(html.run_page(RUN))
    assert [name for name in checker.ids if re.fullmatch(r"f\d+", name)] == ["f1", "f2"]


def test_the_source_is_marked_where_the_sites_are() -> None:
    marks = re.findall(r'<mark class="(\w+)"[^>]*>([^<]*)</mark>', PAGE)
    assert marks == [("refused", "while err &gt; tol")]
    assert "&lt;b&gt;&amp;" in PAGE
    assert '<span class="number" aria-hidden="true">22</span>' in PAGE
    assert "gw.while_stmt(test_1, body_1)" in PAGE


def test_pictures_are_there_with_what_draws_them() -> None:
    checked(PAGE)
    assert re.findall(r"<h3>(Graphs? \w+)</h3>", PAGE) == ["Graphs before"]
    data = re.search(r'<script type="application/json">(.*?)</script>', PAGE, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["title"] == "f </script>"
    assert "globalThis.Graphviz" in PAGE
    assert "globalThis.Graphviz" not in html.page(FULL), "a page without a picture is without what draws one"


def test_a_picture_that_welding_left_alone_is_shown_once() -> None:
    whole = dataclasses.replace(ALL["nothing_breaks"].before, picture=PICTURE)
    report = dataclasses.replace(ALL["nothing_breaks"], before=whole, after=whole)
    assert re.findall(r"<h3>(Graphs? \w+)</h3>", report.to_html()) == ["Graph after"]


def test_pictures_are_no_part_of_the_json() -> None:
    assert DRAWN.to_dict() == FULL.to_dict()


def test_each_site_of_the_table_leads_to_its_mark() -> None:
    assert 'href="#f1-s2"' in PAGE
    assert 'id="f1-s2"' in PAGE


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    shown = FULL._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert shown.count('"') == 8, "the page is quoted whole"


PROBE = """
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
  const seen = [];
  press("n"); seen.push(document.activeElement.id);
  press("p"); seen.push(document.activeElement.id);
  const paper = () => getComputedStyle(document.body).backgroundColor;
  const papers = [paper()];
  document.getElementById("theme").click(); papers.push(paper());
  const drawn = document.querySelectorAll(".canvas svg .node").length;
  return { seen, papers, drawn, wide: document.documentElement.scrollWidth > innerWidth };
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_shows_it(width: int, tmp_path: Path) -> None:
    drawn = 'document.querySelector(".canvas svg")'
    told, _ = browser.look(PAGE, ready=drawn, probe=PROBE, width=width, height=3000, folder=tmp_path)
    assert told["seen"] == ["f1-s2", "f1-s2"], "n and p go from site to site"
    assert len(set(told["papers"])) == 2, "light and dark differ"
    assert told["drawn"] == 2
    assert not told["wide"], "nothing sticks out to the side"
