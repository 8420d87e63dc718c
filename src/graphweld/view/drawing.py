"""What `gw.draw` gives: a graph that can be shown, and saved."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from graphweld.diagnostics import UsageError
from graphweld.view.draw.dot import dot_text, scene
from graphweld.view.draw.page import framed, page
from graphweld.view.draw.svg import finished
from graphweld.view.layout import can_lay_out, lay_out
from graphweld.view.model import Graph


def check_suffix(file: Path) -> None:
    """UsageError for a file that no picture can be written to."""
    if file.suffix not in (".svg", ".html", ".dot"):
        raise UsageError.because(f"a picture is an .svg, .html or .dot file, not {file.name}")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of a graph; a notebook shows it. `graph` is what it shows, as plain data."""

    graph: Graph

    def to_dot(self) -> str:
        """The picture in Graphviz's language."""
        return dot_text(scene(self.graph))

    def to_svg(self) -> str:
        """The picture as one SVG element.

        Raises:
            UsageError: where neither `dot` nor `node` is installed, to lay it out.
        """
        return finished(lay_out(self.to_dot()), self.graph.title)

    def to_html(self) -> str:
        """A page that needs nothing else; the browser lays it out, and a click opens or closes an If or Loop."""
        return page(self.graph)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write an .svg, .html or .dot file, by its suffix.

        Raises:
            UsageError: for another suffix, a path that cannot be written, or as `to_svg`.
        """
        file = Path(path)
        check_suffix(file)
        text = {".svg": self.to_svg, ".html": self.to_html, ".dot": self.to_dot}[file.suffix]()
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError.because(f"cannot write {file}: {error.strerror}") from error
        return file

    def _repr_svg_(self) -> str | None:
        """What a notebook shows where it shows no HTML."""
        return self.to_svg() if can_lay_out() else None

    def _repr_html_(self) -> str:
        """What a notebook shows: the page, in a frame, so that its style and names stay its own."""
        return framed(self.to_html())
