"""A picture that Graphviz laid out, made ready to be shown: with fonts that every machine has, in light and in dark."""

from __future__ import annotations

import re

from graphweld.view.draw.palette import FAINT, dark_rules

FONTS = 'ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace'


def finished(svg: str, title: str) -> str:
    """Graphviz's SVG as one element that stands alone."""
    element = re.search(r"<svg ([^>]*)>", svg)
    assert element is not None, "Graphviz writes one"
    body = svg[element.end() :]
    dark = dark_rules("svg.graphweld")
    style = f"svg.graphweld text{{font-family:{FONTS}}}\n@media (prefers-color-scheme:dark){{{dark}}}"
    body = body.replace(f'fill="{FAINT}"', f'class="faint" fill="{FAINT}"')
    named = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    start = f'<svg class="graphweld" role="img" aria-label="{named}" {" ".join(element[1].split())}>'
    return f"{start}<style>{style}</style>{body.strip()}\n"
