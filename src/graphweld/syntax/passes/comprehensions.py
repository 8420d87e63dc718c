"""A comprehension whose length may depend on data becomes a function with a loop, which is converted in turn.

>>> show(convert_expressions, '''
... def f(xs):
...     return [x * 2 for x in xs if x > 0]
... ''')
def f(xs):
    def list_1(gw_iterable_1):
        gw_list_1 = []
        def body_1(x):
            def then_1():
                gw_list_1.append(x * 2)
                return ()
            def else_1():
                return ()
            gw.if_stmt(x > 0, then_1, else_1, (), (), 0)
            return ()
        gw.for_stmt(gw_iterable_1, body_1, (), (), 0, None)
        return gw_list_1
    return list_1(xs)

A set comprehension starts with an empty set, one of a dict with an empty dict, in which a key is made before its value.

>>> show(convert_expressions, '''
... def f(xs):
...     return {x: x * 2 for x in xs}
... ''')
def f(xs):
    def dict_1(gw_iterable_1):
        gw_dict_1 = {}
        def body_1(x):
            gw_key_1 = x
            gw_dict_1[gw_key_1] = x * 2
            return ()
        gw.for_stmt(gw_iterable_1, body_1, (), (), 0, None)
        return gw_dict_1
    return dict_1(xs)

So does a generator expression that a builtin goes through at once; for `any` and `all` the function returns early.

>>> show(convert_expressions, '''
... def f(n):
...     return sum(i * i for i in range(n))
... ''')
def f(n):
    def list_1(gw_iterable_1):
        gw_list_1 = []
        def body_1(i):
            gw_list_1.append(i * i)
            return ()
        gw.for_stmt(gw_iterable_1, body_1, (), (), 0, None)
        return gw_list_1
    return sum(list_1(range(n))) if gw.is_builtin(sum, 'sum') else sum((i * i for i in range(n)))
"""

from __future__ import annotations

import ast
import copy

from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.thunks import Place, can_defer
from graphweld.syntax.templates import assign, at, function, load
from graphweld.syntax.templates import call as runtime_call
from graphweld.syntax.unit import Unit

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp


def is_convertible(node: Comprehension | ast.Call, place: Place, unit: Unit) -> bool:
    return node in unit.sites and place is not Place.INNER and can_defer(node, place=place)


def convert_comprehension(node: Comprehension, unit: Unit, before: Block) -> ast.expr:
    kind = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}[type(node)]
    result = unit.names.value(kind)
    empty: ast.expr = ast.List([], ast.Load())
    if isinstance(node, ast.DictComp):
        empty, key = ast.Dict([], []), unit.names.value("key")
        stored = ast.Subscript(load(result), load(key), ast.Store())
        put: Block = [assign(key, node.key), ast.Assign([stored], node.value)]  # in Python's order
    else:
        if isinstance(node, ast.SetComp):
            empty = runtime_call(unit.runtime, "empty_set")
        change = ast.Attribute(load(result), "add" if isinstance(node, ast.SetComp) else "append", ast.Load())
        put = [ast.Expr(ast.Call(change, [node.elt], []))]
    return _call_loop(node, node, kind, [assign(result, empty)], put, ast.Return(load(result)), unit, before)


def convert_consumer(call: ast.Call, unit: Unit, before: Block) -> ast.expr:
    """`any(...)`, `sum(...)` and the like; whether the name is the builtin's, is known when the code runs."""
    assert isinstance(call.func, ast.Name)
    generator = call.args[0]
    assert isinstance(generator, ast.GeneratorExp)
    name, original = call.func.id, copy.deepcopy(call)
    if name in ("any", "all"):
        test = generator.elt if name == "any" else ast.UnaryOp(ast.Not(), generator.elt)
        found = ast.If(test, [ast.Return(ast.Constant(name == "any"))], [])
        unit.sites.alias(found, call)
        if name == "all":
            unit.sites.alias(test, call)
        made = _call_loop(call, generator, name, [], [found], ast.Return(ast.Constant(name == "all")), unit, before)
    else:
        listed = at(ast.ListComp(generator.elt, generator.generators), generator)
        unit.sites.alias(listed, call)
        call.args[0] = convert_comprehension(listed, unit, before)
        made = call
    asked = runtime_call(unit.runtime, "is_builtin", load(name), ast.Constant(name))
    return at(ast.IfExp(asked, made, original), call)


def _call_loop(
    node: ast.expr,
    comprehension: Comprehension | ast.GeneratorExp,
    role: str,
    start: Block,
    innermost: Block,
    end: ast.stmt,
    unit: Unit,
    before: Block,
) -> ast.expr:
    """Put a function with the loops of a comprehension before the statement, and return the call to it."""
    iterable = unit.names.value("iterable")
    first = comprehension.generators[0].iter
    block = innermost
    for number, generator in reversed(list(enumerate(comprehension.generators))):
        for test in reversed(generator.ifs):
            block = [_site(ast.If(test, block, []), node, unit)]
        block = [_site(ast.For(generator.target, generator.iter if number else load(iterable), block, []), node, unit)]
    declared = unit.declare(bound_names([comprehension]))  # by walrus: names of the function around
    maker = at(function(unit.names.function(role), [iterable], [*declared, *start, *block, end]), node)
    unit.generated |= {maker} | unit.convert_nested(maker)
    before.append(maker)
    return at(ast.Call(load(maker.name), [first], []), node)


def _site(loop: ast.stmt, node: ast.expr, unit: Unit) -> ast.stmt:
    unit.sites.alias(loop, node)
    return loop
