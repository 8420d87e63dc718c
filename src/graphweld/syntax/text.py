"""Converted code as text to be read: what no pass changed is shown as its author wrote it, with the comments.

>>> import ast
>>> before = '''
... def f(x,
...       z=0):
...     y = {'a' : x}  # odd spacing
...     # Why not.
...     if x: y = 2
...     return y'''
>>> after = '''
... def f(x,
...       z=0):
...     y = {'a' : x}
...
...     def then_1(y):
...         y = 2
...         return (y,)
...     (y,) = gw.if_stmt(x, then_1, else_1, (y,), ("y",), 0)
...     return y'''
>>> print(text_of(ast.parse(after).body[0], ast.parse(before).body[0], before.splitlines(True)), end="")
def f(x,
      z=0):
    y = {'a' : x}  # odd spacing
<BLANKLINE>
    # Why not.
    def then_1(y):
        y = 2
        return (y,)
<BLANKLINE>
    (y,) = gw.if_stmt(x, then_1, else_1, (y,), ('y',), 0)
    return y
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence

from graphweld.syntax.blocks import Block
from graphweld.syntax.python_versions import TryStar

_LONE_TARGET = re.compile(r"^(\w+), = ")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def text_of(node: ast.stmt, original: ast.AST | None = None, lines: Sequence[str] = ()) -> str:
    """The text of `node`, converted from `original` in a file of `lines`."""
    writer = _Writer(original or ast.Module([], []), lines)
    writer.write(node, 0)
    return "\n".join(writer.out) + "\n"


class _Writer:
    def __init__(self, original: ast.AST, lines: Sequence[str]) -> None:
        self.out: list[str] = []
        self._lines = lines
        self._first = getattr(original, "lineno", len(lines))
        self._originals = {
            (part.lineno, part.col_offset): part for part in ast.walk(original) if isinstance(part, ast.stmt)
        }
        self._commented: set[int] = set()

    def write(self, node: ast.stmt, indent: int) -> None:
        is_definition = isinstance(node, _DEFINITIONS)
        if is_definition and self.out and not self.out[-1].endswith(":"):
            self._line("")
        self._comments_above(node, indent)
        kept = self._kept(node)
        if kept is not None:
            for line in kept:
                self._line(line, indent)
        else:
            self._changed(node, indent)
        if is_definition and indent:
            self._line("")

    def block(self, statements: Block, indent: int) -> None:
        for node in statements:
            self.write(node, indent + 1)
        if not self.out[-1]:
            self.out.pop()  # the blank line after a last definition

    def _line(self, text: str, indent: int = 0) -> None:
        if text or (self.out and self.out[-1]):
            self.out.append("    " * indent + text if text else "")

    def _changed(self, node: ast.stmt, indent: int) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.With() | ast.AsyncWith():
                self._part(self._header(node), node.body, indent)
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
                self._part(self._header(node), node.body, indent)
                if node.orelse:
                    self._part(["else:"], node.orelse, indent)
            case ast.Try() | TryStar():
                self._part(["try:"], node.body, indent)
                for handler in node.handlers:
                    header = _shallow(handler)
                    if isinstance(node, TryStar):
                        header = [line.replace("except", "except*", 1) for line in header]
                    self._part(header, handler.body, indent)
                if node.orelse:
                    self._part(["else:"], node.orelse, indent)
                if node.finalbody:
                    self._part(["finally:"], node.finalbody, indent)
            case ast.Match():
                self._line(f"match {ast.unparse(node.subject)}:", indent)
                for case in node.cases:
                    self._part(_shallow(case), case.body, indent + 1)
            case _:
                for line in ast.unparse(node).splitlines():
                    self._line(_LONE_TARGET.sub(r"(\1,) = ", line), indent)

    def _part(self, header: Sequence[str], block: Block, indent: int) -> None:
        for line in header:
            self._line(line, indent)
        self.block(block, indent)

    def _header(self, node: ast.stmt) -> list[str]:
        original = self._originals.get((node.lineno, node.col_offset))
        if isinstance(node, _DEFINITIONS) and type(original) is type(node) and original.name == node.name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            body = original.body[0]
            if body.lineno > node.lineno and not self._lines[body.lineno - 2].lstrip().startswith("#"):
                return self._dedented(first, body.lineno - 1, node.col_offset)
        return _shallow(node)

    def _kept(self, node: ast.stmt) -> list[str] | None:
        """The lines of a statement that is as it was."""
        original = self._originals.get((node.lineno, node.col_offset))
        if original is None or type(original) is not type(node) or ast.unparse(original) != ast.unparse(node):
            return None
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        last = original.end_lineno or node.lineno
        if not self._stands_alone(original, last) or _has_long_text(original):
            return None
        return self._dedented(first, last, node.col_offset)

    def _stands_alone(self, node: ast.stmt, last: int) -> bool:
        """Whether nothing but a comment shares its lines, and it is no `elif`."""
        first = self._lines[node.lineno - 1].encode()
        if first[node.col_offset :].startswith(b"elif"):
            return False
        before = first[: node.col_offset]
        after = self._lines[last - 1].encode()[node.end_col_offset or 0 :].strip()
        return not before.strip() and (not after or after.startswith(b"#"))

    def _dedented(self, first: int, last: int, indent: int) -> list[str]:
        return [
            line[indent:].rstrip() if not line[:indent].strip() else line.strip()
            for line in self._lines[first - 1 : last]
        ]

    def _comments_above(self, node: ast.stmt, indent: int) -> None:
        line = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        comments: list[str] = []
        while self._first < (line := line - 1) <= len(self._lines) and line not in self._commented:
            text = self._lines[line - 1].strip()
            if not text.startswith("#"):
                break
            self._commented.add(line)
            comments.insert(0, text)
        for comment in comments:
            self._line(comment, indent)


def _shallow(node: ast.AST) -> list[str]:
    """The header of a compound statement."""
    empty = copy.copy(node)
    empty.body = [ast.Pass()]  # type: ignore[attr-defined]
    if hasattr(empty, "orelse"):
        empty.orelse = []
    return ast.unparse(empty).strip("\n").splitlines()[:-1]


def _has_long_text(node: ast.AST) -> bool:
    """Whether a string in it spans lines, which another indentation would change."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False  # a docstring
    return any(
        isinstance(part, ast.Constant | ast.JoinedStr) and part.lineno != part.end_lineno for part in ast.walk(node)
    )
