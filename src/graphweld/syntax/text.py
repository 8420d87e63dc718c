"""Converted code as text to be read.

>>> import ast
>>> print(text_of(ast.parse('''
... def f(x):
...     def then_1(x):
...         return (x,)
...     (x,) = gw.if_stmt(x, then_1, then_1, (x,), ("x",), 0)
... ''').body[0]))
def f(x):
<BLANKLINE>
    def then_1(x):
        return (x,)
<BLANKLINE>
    (x,) = gw.if_stmt(x, then_1, then_1, (x,), ('x',), 0)
<BLANKLINE>
"""

from __future__ import annotations

import ast
import re

_LONE_TARGET = re.compile(r"^( *)(\w+), = ")
_BLOCK = re.compile(r"(async )?def |class |@")


def text_of(node: ast.stmt) -> str:
    """`ast.unparse`, with the blank lines and parentheses that a person would write."""
    out: list[str] = []
    ends: list[int] = []  # indentation of the definitions that are open
    for line in ast.unparse(node).splitlines():
        stripped = line.lstrip()
        indent = len(line) - len(stripped)
        closed = False
        while stripped and ends and indent <= ends[-1]:
            ends.pop()
            closed = True
        if closed and out[-1]:
            out.append("")
        if _BLOCK.match(stripped):
            ends.append(indent)
        out.append(_LONE_TARGET.sub(r"\1(\2,) = ", line))
    return "\n".join(out) + "\n"
