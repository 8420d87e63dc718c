"""Tests that can never depend on tensor values: left as they are.

>>> import ast
>>> for text in ("isinstance(x, int)", "self.training and not __debug__", "x > 0", "not x", "x is None"):
...     print(text, "->", is_never_data_dependent(ast.parse(text, mode="eval").body))
isinstance(x, int) -> True
self.training and not __debug__ -> True
x > 0 -> False
not x -> False
x is None -> False
"""

from __future__ import annotations

import ast

_BUILTINS = {"callable", "isinstance", "issubclass"}
_QUERIES = {"is_compiling", "is_grad_enabled", "is_scripting", "is_tracing"}
_FLAGS = {"TYPE_CHECKING", "__debug__"}


def is_never_data_dependent(expression: ast.expr) -> bool:
    match expression:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in _FLAGS
        case ast.Attribute(attr="training"):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _BUILTINS or name in _QUERIES
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _QUERIES
        case ast.Compare():
            return all(is_never_data_dependent(side) for side in (expression.left, *expression.comparators))
        case ast.BoolOp():
            return all(is_never_data_dependent(value) for value in expression.values)
        case ast.UnaryOp(op=ast.Not()):
            return is_never_data_dependent(expression.operand)
    return False


def is_endless(test: ast.expr) -> bool:
    """Whether the test of a `while` always holds: only an exit, or an exception, ends the loop."""
    return isinstance(test, ast.Constant) and bool(test.value)


def is_fixed_sequence(expression: ast.expr) -> bool:
    """A literal whose length stands in the source."""
    match expression:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return not any(isinstance(element, ast.Starred) for element in elements)
        case ast.Constant(value=str()):
            return True
    return False
