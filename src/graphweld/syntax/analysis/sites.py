r"""The places where a tensor value could steer Python, numbered in source order.

>>> import ast
>>> text = "def f(x):\n    if x > 0 and x < 9: return 1"
>>> sites = find_sites(ast.parse(text).body[0], "f", text.splitlines())
>>> [(site.construct, site.line, site.column, site.end_column) for site in sites.infos]
[('if', 2, 4, 22), ('and', 2, 7, 22)]
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphweld.syntax.analysis.completion import loop_exits
from graphweld.syntax.analysis.data_dependence import is_endless, is_fixed_sequence, is_never_data_dependent
from graphweld.syntax.analysis.scopes import FunctionLike, body_of


@dataclass(frozen=True)
class SiteInfo:
    """One place in the source where a tensor value could steer Python. Lines count from 1, columns from 0."""

    construct: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """Its first source line, stripped."""
    function: str
    """Qualified name of the function it stands in."""


@dataclass
class Sites:
    """Sites of one conversion, and which node belongs to which."""

    infos: list[SiteInfo] = field(default_factory=list)
    _index: dict[ast.AST, int] = field(default_factory=dict)

    def add(self, node: ast.AST, info: SiteInfo) -> None:
        self._index[node] = len(self.infos)
        self.infos.append(info)

    def index(self, node: ast.AST) -> int:
        return self._index[node]

    def alias(self, generated: ast.AST, origin: ast.AST) -> None:
        """`generated` stands for `origin`."""
        self._index[generated] = self._index[origin]

    def __contains__(self, node: ast.AST) -> bool:
        return node in self._index


def find_sites(function: FunctionLike, qualname: str, lines: Sequence[str] | None = None) -> Sites:
    """Sites of `function` and of the functions nested in it."""
    sites = Sites()
    _Finder(sites, qualname, lines).visit_block(body_of(function))
    return sites


class _Finder:
    def __init__(self, sites: Sites, qualname: str, lines: Sequence[str] | None) -> None:
        self._sites = sites
        self._qualname = qualname
        self._lines = lines

    def visit_block(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def visit(self, node: ast.AST) -> None:
        construct, end = _construct(node)
        if construct:
            self._add(node, construct, end)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self.visit_block([child for child in ast.iter_child_nodes(node) if child not in body_of(node)])
                name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
                inner = _Finder(self._sites, f"{self._qualname}.<locals>.{name}", self._lines)
                inner.visit_block(body_of(node))
            case ast.ClassDef():
                inner = _Finder(self._sites, f"{self._qualname}.<locals>.{node.name}", self._lines)
                inner.visit_block(node.body)
            case ast.If(orelse=[ast.If() as other]) if _is_elif(node, other):
                self.visit_block([node.test, *node.body])
                if not is_never_data_dependent(other.test):
                    self._add(other, "elif", other.test)
                self.visit_block([other.test, *other.body, *other.orelse])
            case _:
                self.visit_block(list(ast.iter_child_nodes(node)))

    def _add(self, node: ast.AST, construct: str, end: ast.expr) -> None:
        assert isinstance(node, ast.stmt | ast.expr)
        line, column = node.lineno, node.col_offset
        end_line, end_column = end.end_lineno or line, end.end_col_offset or column
        text = ""
        if self._lines is not None:
            raw = self._lines[line - 1]
            text = raw.strip()
            # The parser counts bytes; people count characters.
            column = _characters(raw, column)
            end_column = _characters(self._lines[end_line - 1], end_column)
        self._sites.add(node, SiteInfo(construct, line, column, end_line, end_column, text, self._qualname))


def _characters(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode(errors="replace"))


def _is_elif(node: ast.If, other: ast.If) -> bool:
    return other.col_offset == node.col_offset and other.lineno > node.lineno


def _construct(node: ast.AST) -> tuple[str, ast.expr]:
    """The name of the construct, empty where it is no site, and the expression that ends its header."""
    match node:
        case ast.If(test=test) if not is_never_data_dependent(test):
            return "if", test
        case ast.While(test=test) if not is_never_data_dependent(test) or is_endless(test) or _has_exit(node):
            return "while", test
        case ast.For(iter=iterable) if not is_fixed_sequence(iterable) or _has_exit(node):
            return "for", iterable
        case ast.Match(subject=subject):
            return "match", subject
        case ast.Assert(test=test) if not is_never_data_dependent(test):
            return "assert", test
        case ast.ListComp() | ast.SetComp() | ast.DictComp() if any(map(_may_vary, node.generators)):
            return "comprehension", node
        case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as inner, *_]) if _is_gone_through(name, inner):
            return name, node
        case ast.IfExp(test=test) if not is_never_data_dependent(test):
            return "conditional expression", node
        case ast.BoolOp(op=op, values=values) if not all(is_never_data_dependent(value) for value in values[:-1]):
            return "and" if isinstance(op, ast.And) else "or", node
        case ast.UnaryOp(op=ast.Not(), operand=operand) if not is_never_data_dependent(operand):
            return "not", node
        case ast.Compare(ops=ops) if not is_never_data_dependent(node):
            if len(ops) > 1:
                return "comparison chain", node
            if isinstance(ops[0], ast.In):
                return "in", node
            if isinstance(ops[0], ast.NotIn):
                return "not in", node
    return "", ast.Constant(None)


# Builtins that go through a generator expression before they return.
CONSUMERS = {"all", "any", "list", "max", "min", "sum", "tuple"}


def _is_gone_through(name: str, generator: ast.GeneratorExp) -> bool:
    """Whether data could decide how far a builtin goes through a generator expression."""
    steers = name in ("any", "all") and not is_never_data_dependent(generator.elt)
    return name in CONSUMERS and (steers or any(map(_may_vary, generator.generators)))


def _may_vary(generator: ast.comprehension) -> bool:
    """Whether the number of items could depend on data: by a condition, or by what is gone through."""
    match generator.iter:
        case ast.Call(func=ast.Name(id="range"), args=arguments) if all(isinstance(a, ast.Constant) for a in arguments):
            is_fixed = True
        case iterable:
            is_fixed = is_fixed_sequence(iterable)
    return not is_fixed or not all(map(is_never_data_dependent, generator.ifs))


def _has_exit(loop: ast.For | ast.While) -> bool:
    returns = any(isinstance(part, ast.Return) for statement in loop.body for part in ast.walk(statement))
    return returns or bool(loop_exits(loop.body))
