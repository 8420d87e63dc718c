r"""Branches written out with `torch.cond`, for people who want to own such code: text in, text out.

>>> text = '''def f(x):
...     y = x * 2
...     if y.sum() > 0:
...         y = y + 1  # up
...     return y
... '''
>>> print(spell_out(text, {3}).replace("\n\n", "\n-\n"))
def f(x):
    y = x * 2
    # torch.cond: tensor values decide `y.sum() > 0`
-
    def then_1(y):
        y = y + 1  # up
        return (y,)
-
    def else_1(y):
        return (y.clone(),)
-
    (y,) = torch.cond(y.sum() > 0, then_1, else_1, (y,))
    return y
<BLANKLINE>

Whether the two sides give tensors of one type and size, as `torch.cond` asks, the text does not tell: the caller runs
the result and compares.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence

from graphweld.syntax.analysis.completion import falls_through
from graphweld.syntax.analysis.events import Kind, bound_names, events
from graphweld.syntax.analysis.scopes import scope_of, walk_scope
from graphweld.syntax.errors import UnsupportedSyntax
from graphweld.syntax.names import Names, names_in

_STEP = "    "
_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)
_DRAWS = re.compile(r".*drop.*|rand.*|(normal|bernoulli|multinomial|poisson|uniform|exponential|cauchy|geometric)_?")


def spell_out(text: str, lines: Collection[int]) -> str:
    """A function's own text, dedented, with the `if` statements on these lines (counted in it, from 1) written out.

    Raises UnsupportedSyntax for one that cannot be.
    """
    (function,) = ast.parse(text).body
    if not isinstance(function, ast.FunctionDef):
        raise UnsupportedSyntax("function", 1, 0, "it is no plain `def`")
    return _Writer(text, function, lines).function()


class _Writer:
    def __init__(self, text: str, function: ast.FunctionDef, lines: Collection[int]) -> None:
        self._source = text.splitlines()
        self._node = function
        self._lines = lines
        self._names = Names(names_in(function))
        self._indent = " " * function.body[0].col_offset

    def function(self) -> str:
        """The whole text."""
        head = self._source[: self._node.body[0].lineno - 1]
        while head and head[-1].strip().startswith("#"):
            head.pop()  # it is written with the statement below it
        body = self._block(self._node.body, self._indent, set(scope_of(self._node).parameters))
        return "\n".join([*head, *body]) + "\n"

    def _block(self, body: Sequence[ast.stmt], indent: str, bound: set[str]) -> list[str]:
        written: list[str] = []
        for number, statement in enumerate(body):
            rest = body[number + 1 :]
            self._refuse_shared_line(statement)
            if isinstance(statement, ast.If) and statement.lineno in self._lines:
                written += self._own(statement.lineno, statement.lineno, indent, body, number)[:-1]  # comments above it
                if self._returns(statement, rest):
                    return written + self._returning(statement, rest, indent, bound)
                written += self._assigning(statement, indent, bound)
            elif self._holds_site(statement):
                raise self._no(statement, "it stands inside of another statement")
            else:
                written += self._own(statement.lineno, statement.end_lineno or statement.lineno, indent, body, number)
            bound |= set(bound_names([statement]))
        return written

    def _returning(self, node: ast.If, rest: Sequence[ast.stmt], indent: str, bound: set[str]) -> list[str]:
        """Both ways end in `return`: what follows the branch is its other side."""
        orelse = [*node.orelse, *rest] if falls_through(node.orelse) else node.orelse
        changed = [name for name in bound_names([*node.body, *orelse]) if name in bound]
        operands = self._operands(list(dict.fromkeys(changed)))
        then, other = self._names.together("then", "else")
        inside = indent + _STEP
        parameters = ", ".join(dict.fromkeys(changed))
        return [
            f"{indent}# torch.cond: tensor values decide `{ast.unparse(node.test)}`",
            "",
            f"{indent}def {then}({parameters}):",
            *self._copying(node.body, inside, bound),
            "",
            f"{indent}def {other}({parameters}):",
            *self._copying(orelse, inside, bound),
            "",
            f"{indent}return torch.cond({ast.unparse(node.test)}, {then}, {other}, {operands})",
        ]

    def _assigning(self, node: ast.If, indent: str, bound: set[str]) -> list[str]:
        """Neither way leaves: each gives the names that either of them binds."""
        for part in walk_scope([*node.body, *node.orelse]):
            if isinstance(part, _EXITS):
                raise self._no(node, f"`{type(part).__name__.lower()}` on one of its sides only")
        sides = [set(bound_names(node.body)), set(bound_names(node.orelse))]
        names = [name for name in dict.fromkeys(bound_names([*node.body, *node.orelse])) if self._is_read(name, node)]
        for name in names:
            if name not in bound and not all(name in side for side in sides):
                raise self._no(node, f"`{name}` is set on one of its sides only")
        if not names:
            raise self._no(node, "it gives no value: what it does is done to objects")
        before = [name for name in names if name in bound]
        then, other = self._names.together("then", "else")
        parameters, operands, inside = ", ".join(before), self._operands(before), indent + _STEP
        given = [", ".join(n if n in side else f"{n}.clone()" for n in names) for side in sides]
        return [
            f"{indent}# torch.cond: tensor values decide `{ast.unparse(node.test)}`",
            "",
            f"{indent}def {then}({parameters}):",
            *self._block(node.body, inside, set(bound)),
            f"{inside}return ({given[0]},)",
            "",
            f"{indent}def {other}({parameters}):",
            *self._block(node.orelse, inside, set(bound)),
            f"{inside}return ({given[1]},)",
            "",
            f"{indent}({', '.join(names)},) = torch.cond({ast.unparse(node.test)}, {then}, {other}, {operands})",
        ]

    def _copying(self, body: Sequence[ast.stmt], indent: str, bound: set[str]) -> list[str]:
        """A side that returns; a name that it returns may be an operand, of which torch.cond wants a copy."""
        written = self._block(body, indent, set(bound))
        last = body[-1]
        if isinstance(last, ast.Return) and isinstance(last.value, ast.Name):
            written[-1] = written[-1].replace(f"return {last.value.id}", f"return {last.value.id}.clone()", 1)
        return written

    def _returns(self, node: ast.If, rest: Sequence[ast.stmt]) -> bool:
        """Whether both ways end in `return`, and nothing else leaves them."""
        orelse = [*node.orelse, *rest] if falls_through(node.orelse) else node.orelse
        return _ends(node.body) and _ends(orelse)

    def _is_read(self, name: str, node: ast.If) -> bool:
        """Whether a name is read anywhere but in the branch: what is not, need not come out of it."""
        inside = {id(part) for side in (node.body, node.orelse) for statement in side for part in ast.walk(statement)}
        return any(
            event.kind is Kind.READ and event.name == name and id(event.node) not in inside
            for event in events(*self._node.body)
        )

    def _own(self, first: int, last: int, indent: str, body: Sequence[ast.stmt], number: int) -> list[str]:
        """Lines as written, with the comments above them, at another depth."""
        before = (body[number - 1].end_lineno or 0) if number else 0
        while first - 1 > before and self._source[first - 2].strip().startswith("#"):
            first -= 1
        lines = self._source[first - 1 : last]
        strings = (part for part in ast.walk(body[number]) if isinstance(part, ast.Constant | ast.JoinedStr))
        if indent != self._indent and any(part.lineno != part.end_lineno for part in strings):
            raise self._no(body[number], "a string in it spans lines")
        return textwrap.indent(textwrap.dedent("\n".join(lines)), indent).split("\n")

    def _holds_site(self, statement: ast.stmt) -> bool:
        return any(isinstance(part, ast.If) and part.lineno in self._lines for part in ast.walk(statement))

    def _refuse_shared_line(self, statement: ast.stmt) -> None:
        """Text is moved by lines, so each statement has to begin its own."""
        line = self._source[statement.lineno - 1]
        is_elif = line.lstrip().startswith("elif") and isinstance(statement, ast.If)
        if len(line) - len(line.lstrip()) != statement.col_offset or (is_elif and statement.lineno not in self._lines):
            raise self._no(statement, "it shares a line with another statement")

    @staticmethod
    def _operands(names: Sequence[str]) -> str:
        return f"({', '.join(names)},)" if names else "()"

    @staticmethod
    def _no(node: ast.stmt, reason: str) -> UnsupportedSyntax:
        return UnsupportedSyntax(type(node).__name__.lower(), node.lineno, node.col_offset, reason)


def _ends(block: Sequence[ast.stmt]) -> bool:
    """Whether a block ends in a `return`, its only exit (or that of branches in it that end so too)."""
    if not block or falls_through(block):
        return False
    inner = [part for statement in block[:-1] for part in walk_scope([statement])]
    return not any(isinstance(part, _EXITS) for part in inner if not isinstance(part, ast.Return)) and isinstance(
        block[-1], ast.Return | ast.If
    )


def draws(text: str) -> Iterator[str]:
    """Names of calls that may draw random numbers: torch.cond's backward draws others."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if _DRAWS.fullmatch(name.rpartition(".")[2].lower()):
                yield name
