"""What a line of the user's says about the values on it."""

from __future__ import annotations

import ast
from functools import cache

from graphweld.view.model import Place


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
