"""Names for generated values and functions that no name in scope can clash with.

>>> names = Names({"x", "then_1"})
>>> names.value("returned"), names.value("returned"), names.function("then")
('gw_returned_1', 'gw_returned_2', 'then_2')
"""

from __future__ import annotations

import ast
from collections.abc import Iterable


class Names:
    """Hands out each name once."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {"gw_factory", "gw_twin", *taken}

    def value(self, role: str) -> str:
        """A value, `gw_<role>_<n>`."""
        return self._fresh(f"gw_{role}")[0]

    def function(self, role: str) -> str:
        """A region function, `<role>_<n>`."""
        return self._fresh(role)[0]

    def together(self, *roles: str) -> list[str]:
        """Names of one statement, which share their number: `then_1`, `else_1`."""
        return self._fresh(*roles)

    def runtime(self) -> str:
        """The name that the runtime is imported under."""
        name, number = "gw", 0
        while name in self._taken:
            number += 1
            name = f"gw_{number}"
        self._taken.add(name)
        return name

    def _fresh(self, *roles: str) -> list[str]:
        number = 1
        while any(f"{role}_{number}" in self._taken for role in roles):
            number += 1
        names = [f"{role}_{number}" for role in roles]
        self._taken.update(names)
        return names


def names_in(node: ast.AST) -> set[str]:
    """Every identifier below `node` that is, or could be, a name in some scope."""
    names: set[str] = set()
    for child in ast.walk(node):
        match child:
            case ast.Name(id=name) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                names.update(several)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.MatchMapping(rest=str(name)):
                names.add(name)
    return names
