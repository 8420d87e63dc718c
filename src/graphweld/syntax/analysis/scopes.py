"""Whose name is it? The scope of one function.

>>> import ast
>>> def_f = ast.parse('''
... def f(x):
...     global g
...     g = y = x
...     return lambda: y
... ''').body[0]
>>> scope = scope_of(def_f)
>>> scope.parameters, sorted(scope.locals), sorted(scope.captured)
(('x',), ['x', 'y'], ['y'])
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from graphweld.syntax.analysis.events import Kind, bound_names, events

FunctionLike = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# A generator expression, or a key function, that is given to one of these has run when the call returns.
_CONSUMERS = {"all", "any", "dict", "frozenset", "join", "list", "max", "min", "set", "sort", "sorted", "sum", "tuple"}


@dataclass(frozen=True)
class Scope:
    parameters: tuple[str, ...]
    locals: frozenset[str]
    """Parameters included."""
    declared: frozenset[str]
    """Named in a `global` or `nonlocal` statement."""
    global_names: frozenset[str]
    captures: Mapping[str, tuple[ast.expr | ast.stmt, ...]]
    """Locals that the user's own nested functions read or bind, with those functions: shared cells, not values."""

    @property
    def captured(self) -> frozenset[str]:
        return frozenset(self.captures)


def parameters_of(function: FunctionLike) -> tuple[str, ...]:
    """Names of all parameters, in the order of the code object's variables."""
    a = function.args
    return tuple(p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None)


def scope_of(function: FunctionLike) -> Scope:
    body = body_of(function)
    parameters = parameters_of(function)
    declared = _declared(body)
    annotated = {
        node.target.id
        for node in walk_scope(body)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    own = (frozenset(parameters) | annotated | frozenset(bound_names(body))) - declared
    captures: dict[str, tuple[ast.expr | ast.stmt, ...]] = {}
    for inner in deferred_scopes(body):
        for name in free_names(inner) & own:
            captures[name] = (*captures.get(name, ()), inner)
    return Scope(parameters, own, declared, _declared(body, ast.Global), captures)


def body_of(function: FunctionLike) -> list[ast.stmt] | list[ast.expr]:
    return [function.body] if isinstance(function, ast.Lambda) else function.body


def walk_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of one scope: of a function in it the parts that are evaluated here, not its body.

    A class body belongs to the scope, as it is executed there and then; the methods in it do not.
    """
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, _SCOPES):
            inside = {id(part) for part in body_of(node)}
            children = [child for child in children if id(child) not in inside]
        pending.extend(reversed(children))


def nested_functions(nodes: Iterable[ast.AST]) -> list[FunctionLike]:
    """Functions and lambdas that stand directly in this scope."""
    return [node for node in walk_scope(nodes) if isinstance(node, _SCOPES)]


def deferred_scopes(nodes: Iterable[ast.AST]) -> Iterator[FunctionLike | ast.GeneratorExp]:
    """What may run later than where it stands: functions, lambdas, generator expressions that escape."""
    consumed: set[int] = set()
    for node in walk_scope(nodes):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _CONSUMERS:
                used = (*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "key"))
                consumed.update(id(argument) for argument in used)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node
            case ast.Lambda() | ast.GeneratorExp() if id(node) not in consumed:
                yield node


def free_names(node: FunctionLike | ast.GeneratorExp) -> set[str]:
    """Names that a nested scope takes from the scopes around it."""
    if isinstance(node, ast.GeneratorExp):
        return {event.name for event in events(node) if event.kind is Kind.READ}
    body = body_of(node)
    used = {event.name for event in events(*body)}
    for inner in nested_functions(body):
        used |= free_names(inner)
    own = (set(parameters_of(node)) | set(bound_names(body))) - _declared(body)
    return used - own - _declared(body, ast.Global)


def _declared(body: Iterable[ast.AST], *kinds: type[ast.Global] | type[ast.Nonlocal]) -> frozenset[str]:
    wanted = kinds or (ast.Global, ast.Nonlocal)
    return frozenset(name for part in walk_scope(body) if isinstance(part, wanted) for name in part.names)
