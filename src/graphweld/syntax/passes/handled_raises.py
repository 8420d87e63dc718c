"""A `raise` inside a region, to a handler of the same function, becomes a value and a flag; its handlers, branches.

>>> show(lower_handled_raises, '''
... def f(x):
...     try:
...         if x < 0: raise ValueError(x)
...         y = g(x)
...     except ValueError as error:
...         y = h(error)
...     return y
... ''')
def f(x):
    gw_raised_1 = False
    gw_exception_1 = gw.UNDEFINED
    try:
        if x < 0:
            gw_exception_1 = gw.raised(ValueError(x))
            gw_raised_1 = True
        else:
            y = g(x)
    except BaseException as gw_error_1:
        gw_exception_1 = gw_error_1
        gw_raised_1 = True
    if gw_raised_1:
        if gw.catches(gw_exception_1, ValueError):
            error = gw_exception_1
            y = h(error)
        else:
            raise gw_exception_1
    return y

Exceptions that are raised otherwise take the same way. Left as they are: handlers that ask for the exception that is
being handled, as `logger.exception` does, and a `raise` inside a `with` whose manager may want to see it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from graphweld.syntax.analysis.completion import falls_through, loop_exits, may_suppress
from graphweld.syntax.analysis.plain_statements import suspends
from graphweld.syntax.analysis.scopes import walk_scope
from graphweld.syntax.blocks import Block, blocks_of, rewrite_blocks
from graphweld.syntax.passes.exits import ExitLowering, holds_exit, is_caught
from graphweld.syntax.templates import assign, at, attribute, call, constant, load
from graphweld.syntax.unit import Unit

ASKS = {"exc_info", "exception", "format_exc", "print_exc", "print_exception", "print_last", "format_exception"}


def lower_handled_raises(unit: Unit) -> None:
    def rewrite(block: Block) -> Block:
        made: Block = []
        for node in block:
            made.extend(_lower(node, unit) if isinstance(node, ast.Try) and _is_lowered(node, unit) else [node])
        return made

    unit.body = rewrite_blocks(unit.body, rewrite)


def _is_lowered(node: ast.Try, unit: Unit) -> bool:
    return (
        bool(node.handlers)
        and not suspends([node])
        and any(holds_exit(part, ast.Raise, True, unit) for part in node.body)
        and all(_can_leave(part, False, unit) for part in node.body)
        and not any(_asks(part) for handler in node.handlers for part in ast.walk(handler))
        and not any(isinstance(part, ast.Return) for part in walk_scope(node.finalbody))
        and not loop_exits(node.finalbody)
    )


def _can_leave(node: ast.stmt, in_region: bool, unit: Unit) -> bool:
    """Whether each `raise` in a region can become a flag: it names its exception, and all around it heed the flag."""
    if isinstance(node, ast.Raise):
        return not in_region or node.exc is not None
    if holds_exit(node, ast.Raise, not in_region, unit):
        if isinstance(node, ast.With | ast.AsyncWith) and may_suppress(node):
            return False
        if isinstance(node, ast.For | ast.AsyncFor | ast.While) and not unit.is_region(node):
            return False
    inside = in_region or unit.is_region(node)
    blocks = [block for _, name, block in blocks_of(node) if not is_caught(node, name)]
    return all(_can_leave(part, inside, unit) for block in blocks for part in block)


def _asks(node: ast.AST) -> bool:
    """Whether code looks for the exception that is being handled."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=name):
            return name in ASKS
    return False


def _lower(node: ast.Try, unit: Unit) -> Block:
    flag, exception, error = unit.new_flag("raised"), unit.names.value("exception"), unit.names.value("error")
    site = next(part for part in walk_scope(node.body) if part in unit.sites)

    def replace(statement: ast.stmt) -> Block:
        assert isinstance(statement, ast.Raise)
        given = [part for part in (statement.exc, statement.cause) if part is not None]
        made = assign(exception, call(unit.runtime, "raised", *given))
        return [at(made, statement), at(assign(flag, constant(True)), statement)]

    body = ExitLowering(unit, ast.Raise, flag, replace, site).lower(node.body, hard=True)
    caught: Block = [assign(exception, load(error)), assign(flag, constant(True))]
    handler = at(ast.ExceptHandler(load("BaseException"), error, caught), node)
    dispatch = at(ast.If(load(flag), _handlers(node, exception, site, unit), node.orelse), node)
    unit.sites.alias(dispatch, site)
    start = [assign(flag, constant(False)), assign(exception, attribute(unit.runtime, "UNDEFINED"))]
    done: Block = [*(at(part, node) for part in start), at(ast.Try(body, [handler], [], []), node), dispatch]
    return [at(ast.Try(done, [], [], node.finalbody), node)] if node.finalbody else done


def _handlers(node: ast.Try, exception: str, site: ast.AST, unit: Unit) -> Block:
    """The chain of branches that the handlers are."""
    chain: Block = [at(ast.Raise(load(exception), None), node)]
    for handler in reversed(node.handlers):
        body = _with_exception(handler.body, exception)
        if handler.name:
            body.insert(0, at(assign(handler.name, load(exception)), handler))
            if _is_named_elsewhere(handler.name, handler, unit) and falls_through(body):
                body += [at(statement, handler) for statement in _forget(handler.name)]
        if handler.type is None:
            chain = body
            continue
        branch = at(ast.If(call(unit.runtime, "catches", load(exception), handler.type), body, chain), handler)
        unit.sites.alias(branch, site)
        chain = [branch]
    return chain


def _with_exception(block: Sequence[ast.stmt], exception: str) -> Block:
    """A handler's statements, with the exception named where a bare `raise` raises it again."""
    made: Block = []
    for node in block:
        if isinstance(node, ast.Raise) and node.exc is None:
            node.exc = at(load(exception), node)
        for holder, name, inner in blocks_of(node):
            if not isinstance(holder, ast.ExceptHandler):  # which handles another one
                setattr(holder, name, _with_exception(inner, exception))
        made.append(node)
    return made


def _forget(name: str) -> Block:
    return [assign(name, constant(None)), ast.Delete([ast.Name(name, ast.Del())])]


def _is_named_elsewhere(name: str, handler: ast.ExceptHandler, unit: Unit) -> bool:
    inside = set(ast.walk(handler))
    return any(
        (isinstance(part, ast.Name) and part.id == name) and part not in inside for part in ast.walk(unit.function)
    )
