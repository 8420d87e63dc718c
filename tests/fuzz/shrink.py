"""The smallest program that fails as a given one does: statements and parts of expressions are left out, one by one."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator


def shrink(text: str, fails: Callable[[str], bool], seconds: float = 120) -> str:
    """`text` with as much left out as `fails` still holds for, as far as that is found in time."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(text):
            if time.monotonic() > end:
                break
            if fails(candidate):
                text, smaller = candidate, True
                break
    return text


def _smaller(text: str) -> Iterator[str]:
    """Programs with one thing less; those that are no Python are left out."""
    tree = ast.parse(text)
    for number, node in enumerate(ast.walk(tree)):
        for field, replacements in _replacements(node):
            for replacement in replacements:
                other = copy.deepcopy(tree)
                at = next(n for k, n in enumerate(ast.walk(other)) if k == number)
                setattr(at, field, replacement)
                candidate = ast.unparse(ast.fix_missing_locations(other))
                if _compiles(candidate) and candidate != text:
                    yield candidate


def _compiles(text: str) -> bool:
    try:
        compile(text, "<candidate>", "exec")
    except SyntaxError:
        return False
    return True


def _replacements(node: ast.AST) -> Iterator[tuple[str, list[object]]]:
    """Fields of a node, each with what may stand in its place."""
    for field, value in ast.iter_fields(node):
        if field in ("body", "orelse", "finalbody") and isinstance(value, list):
            yield field, list(_blocks(value, field))
        elif isinstance(value, ast.expr) and field in ("value", "test", "left", "right", "operand"):
            yield field, _parts(value)


def _blocks(block: list[ast.stmt], field: str) -> Iterator[list[ast.stmt]]:
    if field != "body" and block:
        yield []
    for k, statement in enumerate(block):
        if not _counts(statement):
            yield [*block[:k], *block[k + 1 :]] or [ast.Pass()]
        for inner in ("body", "orelse", "finalbody"):
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef) and getattr(statement, inner, None):
                yield [*block[:k], *getattr(statement, inner), *block[k + 1 :]]


def _counts(statement: ast.stmt) -> bool:
    """Is it what ends a loop? Without it a program would run for ever."""
    text = ast.unparse(statement)
    return "turn" in text and not isinstance(statement, ast.For | ast.While)


def _parts(value: ast.expr) -> list[object]:
    match value:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=values) if "turn" not in ast.unparse(value):
            return list(values)
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call(args=[first, *_]):
            return [first]
        case ast.Call(func=ast.Attribute(value=of)) if not isinstance(of, ast.Name):
            return [of]
    return []
