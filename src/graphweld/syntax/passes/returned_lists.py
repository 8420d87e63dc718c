"""A `return` of what its loop appends to moves behind the loop, where the list is whole.

>>> show(return_lists_behind_loops, '''
... def f(x):
...     out = []
...     while True:
...         if x > 9: return stack(out)
...         out.append(x)
...         x = g(x)
... ''')
def f(x):
    out = []
    while True:
        if x > 9:
            break
        out.append(x)
        x = g(x)
    return stack(out)
>>> show(return_lists_behind_loops, '''
... def f(xs):
...     out = []
...     for x in xs:
...         out += [x]
...         if x > 9: return out[0]
... ''')
def f(xs):
    out = []
    gw_leaves_1 = False
    for x in xs:
        out += [x]
        if x > 9:
            gw_leaves_1 = True
            break
    if gw_leaves_1:
        return out[0]

Nothing of the loop runs between the two places, so the names in the returned expression stand for the same values.
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.completion import has_own_break
from graphweld.syntax.analysis.data_dependence import is_endless
from graphweld.syntax.analysis.scopes import walk_scope
from graphweld.syntax.blocks import Block, blocks_of
from graphweld.syntax.python_versions import TryStar
from graphweld.syntax.templates import assign, at, constant, load
from graphweld.syntax.unit import Loop, Unit

GROWING = {"append", "extend", "insert"}


def return_lists_behind_loops(unit: Unit) -> None:
    unit.body = _rewrite(unit.body, frozenset(), unit)


def _rewrite(block: Block, grown: frozenset[str], unit: Unit) -> Block:
    """`grown` are the lists that the loops around the block append to."""
    out: Block = []
    for node in block:
        is_loop = isinstance(node, ast.For | ast.While) and unit.is_region(node)
        parts = walk_scope(node.body) if is_loop else ()  # type: ignore[attr-defined]
        inside = grown.union(ast.unparse(receiver) for part in parts for receiver in _receivers(part))
        for holder, name, inner in list(blocks_of(node)):
            setattr(holder, name, _rewrite(inner, inside, unit))
        out.extend(_lower(node, inside, unit) if is_loop else [node])  # type: ignore[arg-type]
    return out


def _lower(loop: Loop, grown: frozenset[str], unit: Unit) -> Block:
    found: list[tuple[Block, ast.Return]] = []
    _collect(loop.body, grown, found)
    if not found:
        return [loop]
    others = sum(isinstance(part, ast.Return) for part in walk_scope(loop.body)) - len(found)
    ends_here = isinstance(loop, ast.While) and is_endless(loop.test) and not has_own_break(loop) and not others
    before: Block = []
    behind: Block = []
    for block, node in found:
        place = block.index(node)
        leave: Block = [at(ast.Break(), node)]
        if ends_here and node is found[-1][1]:
            behind.append(node)
        else:
            flag = unit.new_flag("leaves")
            before.append(at(assign(flag, constant(False)), loop))
            leave.insert(0, at(assign(flag, constant(True)), node))
            guard = at(ast.If(load(flag), [], []), node)
            guard.body = [node]
            unit.sites.alias(guard, loop)
            behind.append(guard)
        block[place:] = leave
    return [*before, loop, *behind]


def _receivers(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in GROWING:
            return [receiver]
        case ast.AugAssign(target=target, op=ast.Add(), value=ast.List() | ast.ListComp()):
            return [target]
    return []


def _collect(block: Block, grown: frozenset[str], found: list[tuple[Block, ast.Return]]) -> None:
    """The returns that leave this loop alone: none in a loop, a `try` or a `with` inside of it."""
    for node in block:
        if isinstance(node, ast.Return) and node.value is not None:
            if any(isinstance(part, ast.expr) and ast.unparse(part) in grown for part in ast.walk(node.value)):
                found.append((block, node))
            return
        if not isinstance(node, ast.For | ast.While | ast.Try | TryStar | ast.With | ast.AsyncFor | ast.AsyncWith):
            for _, _, inner in blocks_of(node):
                _collect(inner, grown, found)
