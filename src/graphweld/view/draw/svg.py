"""A picture that Graphviz laid out, made ready to be shown: with fonts that every machine has, in light and in dark."""

from __future__ import annotations

import re

from graphweld.view.draw.palette import FAINT, dark_rules

FONTS = 'ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace'


def finished(svg: str, title: str) -> str:
    """Graphviz's SVG as one element that stands alone."""
    start = svg.index("<svg")
    body = svg[svg.index(">", start) + 1 :]
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg[start:])
    box = re.search(r'viewBox="([^"]+)"', svg[start:])
    assert size is not None, "Graphviz writes its size"
    assert box is not None, "and its view box"
    dark = dark_rules("svg.graphweld")
    style = f"svg.graphweld text{{font-family:{FONTS}}}\n@media (prefers-color-scheme:dark){{{dark}}}"
    body = body.replace(f'fill="{FAINT}"', f'class="faint" fill="{FAINT}"')
    named = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return (
        f'<svg class="graphweld" role="img" aria-label="{named}" width="{size[1]}pt" height="{size[2]}pt" '
        f'viewBox="{box[1]}" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<style>{style}</style>{body.strip()}\n"
    )
