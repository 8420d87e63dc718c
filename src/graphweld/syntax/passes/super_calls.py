"""`super()` inside a region gets the arguments that Python would find in the frame of the method.

>>> show(spell_out_super, '''
... def f(self, x):
...     return gw.if_exp(x, lambda: super().f(x), lambda: x, 0)
... ''')
def f(self, x):
    return gw.if_exp(x, lambda: super(__class__, self).f(x), lambda: x, 0)
"""

from __future__ import annotations

import ast

from graphweld.syntax.analysis.scopes import body_of, walk_scope
from graphweld.syntax.templates import at, load
from graphweld.syntax.unit import Unit


def spell_out_super(unit: Unit) -> None:
    arguments = unit.function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if not positional or "super" in unit.scope.locals:
        return
    for function in unit.generated:
        assert isinstance(function, ast.FunctionDef | ast.Lambda)
        for node in walk_scope(body_of(function)):
            match node:
                case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]):
                    node.args = [at(load("__class__"), node), at(load(positional[0].arg), node)]
