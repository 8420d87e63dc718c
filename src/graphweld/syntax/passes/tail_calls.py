"""A function that ends in a call of itself becomes a loop, as how deep it goes may depend on data.

>>> show(loop_tail_calls, '''
... def f(x, n):
...     if n <= 0: return x
...     return f(x * 2, n - 1)
... ''')
def f(x, n):
    while True:
        if n <= 0:
            return x
        if gw.is_self(f, 'f', 1):
            x, n = (x * 2, n - 1)
            continue
        return f(x * 2, n - 1)

Whether the name still is this function's, and no wrapper's around it, is known when the code runs. Every call must give
all parameters; and nothing may tell one call's variables from the next one's: no function that keeps them, and no read
of one that may be unbound.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from graphweld.syntax.analysis.completion import falls_through
from graphweld.syntax.analysis.scopes import deferred_scopes, walk_scope
from graphweld.syntax.blocks import Block
from graphweld.syntax.templates import at, call, constant, load, store
from graphweld.syntax.unit import Unit


def loop_tail_calls(unit: Unit) -> None:
    function = unit.function
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if (
        not names
        or arguments.vararg
        or arguments.kwarg
        or arguments.kwonlyargs
        or not isinstance(function, ast.FunctionDef)
    ):
        return
    calls = {
        ret: values for ret in _last_returns(unit.body) if (values := _own_arguments(ret.value, function.name, names))
    }
    site = next((part for part in walk_scope(unit.body) if part in unit.sites), None)
    if not calls or site is None or unit.unbound or _keeps_variables(unit):
        return
    line = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])

    def replace(block: Block) -> Block:
        made: Block = []
        for node in block:
            if isinstance(node, ast.If):
                node.body, node.orelse = replace(node.body), replace(node.orelse)
            elif isinstance(node, ast.Return) and node in calls:
                following = at(_next_call(node, calls[node], line, unit), node)
                unit.sites.alias(following, site)
                made.append(following)
            made.append(node)
        return made

    body = replace(unit.body)
    if falls_through(body):
        body.append(at(ast.Return(constant(None)), body[-1]))
    loop = at(ast.While(constant(True), body, []), site)
    unit.sites.alias(loop, site)
    unit.body = [loop]


def _last_returns(block: Block) -> Iterator[ast.Return]:
    """`return` statements outside of loops, `try` and `with`."""
    for node in block:
        if isinstance(node, ast.Return):
            yield node
        elif isinstance(node, ast.If):
            yield from _last_returns([*node.body, *node.orelse])


def _own_arguments(value: ast.expr | None, name: str, names: list[str]) -> dict[str, ast.expr] | None:
    """What a call of the function itself, or of the method itself, gives each parameter."""
    match value:
        case ast.Call(func=ast.Name(id=called)) if called == name:
            given: dict[str, ast.expr] = {}
            rest = names
        case ast.Call(func=ast.Attribute(value=ast.Name(id=receiver), attr=called)) if (receiver, called) == (
            names[0],
            name,
        ):
            given, rest = {names[0]: load(names[0])}, names[1:]
        case _:
            return None
    if any(isinstance(argument, ast.Starred) for argument in value.args) or len(value.args) > len(rest):
        return None
    given |= dict(zip(rest, value.args, strict=False))
    for keyword in value.keywords:
        if keyword.arg is None or keyword.arg in given:
            return None
        given[keyword.arg] = keyword.value
    return given if set(given) == set(names) else None


def _keeps_variables(unit: Unit) -> bool:
    nodes = list(walk_scope(unit.body))
    return any(True for _ in deferred_scopes(unit.body)) or any(
        isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.Delete | ast.Global | ast.Nonlocal)
        for node in nodes
    )


def _next_call(node: ast.Return, given: dict[str, ast.expr], line: int, unit: Unit) -> ast.stmt:
    """Give the parameters their next values and go round, if it is the function itself that would be called."""
    assert isinstance(node.value, ast.Call)
    order = [name for name, value in given.items() if not (isinstance(value, ast.Name) and value.id == name)]
    changes: Block = []
    if order:
        values = ast.Tuple([copy.deepcopy(given[name]) for name in order], ast.Load())
        changes.append(ast.Assign([ast.Tuple([store(name) for name in order], ast.Store())], values))
    asked = call(unit.runtime, "is_self", copy.deepcopy(node.value.func), constant(unit.function.name), constant(line))
    return ast.If(asked, [*changes, ast.Continue()], [])
