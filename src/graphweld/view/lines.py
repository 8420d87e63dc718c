"""What a line of the user's says about the values on it."""

from __future__ import annotations

import ast
import linecache
import re
from functools import cache

from graphweld.view.model import Place

_FRAME = re.compile(r'File "([^"]+)", line (\d+), in ')


def frames(record: str) -> list[tuple[str, int]]:
    """The lines in a stack trace, the outermost first."""
    return [(file, int(line)) for file, line in _FRAME.findall(record)]


def place_at(file: str, line: int, record: str = "") -> Place:
    """A line as the innermost of a stack trace."""
    text = linecache.getline(file, line).strip()
    return Place(file, line, text, frozenset(frames(record)) - {(file, line)})


def header(place: Place | None, otherwise: str) -> str:
    """The text of a line, where there is one."""
    return place.text if place is not None and place.text else otherwise


@cache
def assigned(text: str) -> frozenset[str]:
    """The names that a line assigns."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return frozenset()  # the first line of several, or one that begins a block
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def variable_at(place: Place | None) -> str:
    """The one variable that a line assigns; nothing where it assigns none or several."""
    names = assigned(place.text) if place is not None else frozenset[str]()
    return next(iter(names)) if len(names) == 1 else ""


def variable_read(place: Place | None, reader: Place | None) -> str:
    """The variable in which a value of a line comes to another line, unless a call on the line itself leads there."""
    if place is None or reader is None:
        return ""
    here = place.file, place.line
    return "" if here == (reader.file, reader.line) or here in reader.callers else variable_at(place)
