"""A list comprehension whose length may depend on data becomes a function with a loop, which is converted in turn.

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
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.events import bound_names
from graphweld.syntax.blocks import Block
from graphweld.syntax.passes.thunks import Place, can_defer
from graphweld.syntax.templates import assign, at, function, load
from graphweld.syntax.unit import Unit


def is_convertible(node: ast.ListComp, place: Place, unit: Unit) -> bool:
    return node in unit.sites and place is not Place.INNER and can_defer(node, place=place)


def convert_comprehension(node: ast.ListComp, unit: Unit, before: Block) -> ast.expr:
    result, iterable = unit.names.value("list"), unit.names.value("iterable")
    first = node.generators[0].iter
    appended = ast.Call(ast.Attribute(load(result), "append", ast.Load()), [node.elt], [])
    block: Block = [ast.Expr(appended)]
    for number, generator in reversed(list(enumerate(node.generators))):
        for test in reversed(generator.ifs):
            block = [_site(ast.If(test, block, []), node, unit)]
        block = [_site(ast.For(generator.target, generator.iter if number else load(iterable), block, []), node, unit)]
    declared = unit.declare(bound_names([node]))  # by walrus: names of the function around
    start, end = assign(result, ast.List([], ast.Load())), ast.Return(load(result))
    maker = at(function(unit.names.function("list"), [iterable], [*declared, start, *block, end]), node)
    unit.generated |= {maker} | unit.convert_nested(maker)
    before.append(maker)
    return at(ast.Call(load(maker.name), [first], []), node)


def _site(loop: ast.stmt, node: ast.ListComp, unit: Unit) -> ast.stmt:
    unit.sites.alias(loop, node)
    return loop
