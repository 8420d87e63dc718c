"""A picture as a page that needs nothing else: it holds Graphviz, which lays the picture out in the browser."""

from __future__ import annotations

import json
from functools import cache

import jinja2
import markupsafe

from graphweld.view.draw.dot import closed_at_first, scene
from graphweld.view.draw.palette import dark_rules
from graphweld.view.draw.svg import FONTS
from graphweld.view.layout import engine
from graphweld.view.model import MOST_AT_FIRST, Graph


def page(graph: Graph) -> str:
    """The page of one picture."""
    return (
        _template("page.html").render(title=graph.title, picture=picture(graph), style=style(), script=script()) + "\n"
    )


def picture(graph: Graph) -> markupsafe.Markup:
    """The element of one picture, for a page that holds `style` and `script` once."""
    pieces = {"scene": scene(graph), "closed": sorted(closed_at_first(graph, MOST_AT_FIRST)), "title": graph.title}
    data = json.dumps(pieces, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return markupsafe.Markup(_template("picture.html").render(data=markupsafe.Markup(data), title=graph.title))


def style() -> markupsafe.Markup:
    """The style of pictures, light and dark."""
    dark = dark_rules("svg.graphweld")
    return markupsafe.Markup(
        f"{_text('picture.css')}\nsvg.graphweld text{{font-family:{FONTS}}}\n"
        f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{dark}}}}}\n'
        f':root[data-theme="dark"]{{{dark}}}\n'
    )


def script() -> markupsafe.Markup:
    """Graphviz, and what draws every picture of a page."""
    return markupsafe.Markup(f"{engine()}\n{_text('picture.js')}")


def framed(text: str) -> str:
    """A page as a frame for another page, such as a notebook."""
    return f'<iframe srcdoc="{markupsafe.escape(text)}" title="graphweld" width="100%" height="640"></iframe>'


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("graphweld.view.draw", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _template(name: str) -> jinja2.Template:
    return _environment().get_template(name)


def _text(name: str) -> str:
    return _template(name).render()
