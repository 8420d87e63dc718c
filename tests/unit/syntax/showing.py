"""What a pass does to a function, as text: the `show` of the docstrings in `syntax/passes`."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable

from graphweld.syntax.analysis.sites import find_sites
from graphweld.syntax.blocks import statements
from graphweld.syntax.names import Names, names_in
from graphweld.syntax.passes.outlining import outline_regions
from graphweld.syntax.passes.unbound_names import check_unbound_names
from graphweld.syntax.pipeline import make_unit
from graphweld.syntax.text import text_of
from graphweld.syntax.unit import Unit


def show(*passes_and_text: Callable[[Unit], object] | str) -> None:
    """Print a function after some passes; the flags that end a loop follow its header."""
    *passes, text = passes_and_text
    assert isinstance(text, str)
    function = ast.parse(text.strip("\n")).body[0]
    assert isinstance(function, ast.FunctionDef)
    unit = make_unit(function, Names(names_in(function)), find_sites(function, function.name), "gw")
    unit.generated.update(node for node in ast.walk(function) if isinstance(node, ast.Lambda))
    for run in passes:
        assert not isinstance(run, str)
        run(unit)
    for node in statements(unit.body):
        flags = unit.exit_flags.get(node)
        if flags and isinstance(node, ast.For | ast.While):
            header = "iter" if isinstance(node, ast.For) else "test"
            mark = ast.Call(ast.Name("until", ast.Load()), [getattr(node, header), *map(ast.Constant, flags)], [])
            setattr(node, header, mark)
    lines = [line for line in text_of(function).splitlines() if line]
    print("\n".join(re.sub(r"until\((.*), '(\w+)'\):$", r"\1:  # until \2", _as_later(line)) for line in lines))


def _as_later(line: str) -> str:
    """A line of `ast.unparse` as Python 3.11 and later write it."""
    if sys.version_info >= (3, 11):
        return line
    line = line.replace("lambda :", "lambda:")
    return re.sub(r"^( *)\((\w+(?:, \w+)+)\) = ", r"\1\2 = ", line)


def outline_and_check(unit: Unit) -> None:
    outline_regions(unit)
    check_unbound_names(unit)
