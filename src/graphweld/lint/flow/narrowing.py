"""What a test tells about names: `isinstance(x, int)` holds, so x is no tensor there.

>>> import ast
>>> from graphweld.lint.flow.program import Program
>>> program = Program(ast.parse("import torch"))
>>> told = narrowed(ast.parse("isinstance(x, torch.Tensor)", mode="eval").body, program)
>>> told.then["x"].kind.name, told.orelse["x"].kind.name
('TENSOR', 'PLAIN')
>>> narrowed(ast.parse("torch.compiler.is_compiling()", mode="eval").body, program).orelse is None
True
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from graphweld.lint.flow import torch_names
from graphweld.lint.flow.annotations import of_annotation
from graphweld.lint.flow.program import Program
from graphweld.lint.flow.values import PLAIN, TENSOR, UNKNOWN, Kind, Value, sequence


class Narrowed(NamedTuple):
    """Names by what they hold if a test holds, and if not; None for an outcome that never comes while torch traces."""

    then: dict[str, Value] | None
    orelse: dict[str, Value] | None


_NOTHING = Narrowed({}, {})


def narrowed(test: ast.expr, program: Program) -> Narrowed:
    """What either outcome of a test tells."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            told = narrowed(operand, program)
            return Narrowed(told.orelse, told.then)
        case ast.BoolOp(op=op, values=values):
            return _combined([narrowed(value, program) for value in values], isinstance(op, ast.And))
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), types]):
            return _isinstance(name, types)
        case ast.Call(func=func, args=args):
            dotted = program.resolve(func) or ""
            if dotted in torch_names.GUARDS:
                return Narrowed({}, None) if dotted in torch_names.TRUE_WHILE_TRACING else Narrowed(None, {})
            if dotted.rpartition(".")[2] in ("is_tensor", "is_torch_tensor") and isinstance(args[0], ast.Name):
                return Narrowed({args[0].id: TENSOR}, {args[0].id: PLAIN})
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return Narrowed({name: PLAIN}, {})
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return Narrowed({}, {name: PLAIN})
    return _NOTHING


def _isinstance(name: str, types: ast.expr) -> Narrowed:
    parts = types.elts if isinstance(types, ast.Tuple) else [types]
    kinds = [_kind(part) for part in parts]
    if all(kind is Kind.TENSOR for kind in kinds):
        return Narrowed({name: TENSOR}, {name: PLAIN})
    if Kind.TENSOR in kinds:
        return _NOTHING
    if all(kind is Kind.SEQUENCE for kind in kinds):
        return Narrowed({name: sequence(UNKNOWN)}, {})
    return Narrowed({name: PLAIN if all(kind is Kind.PLAIN for kind in kinds) else UNKNOWN}, {})


def _kind(part: ast.expr) -> Kind:
    value = of_annotation(part)
    if value is not None:
        return value.kind
    if isinstance(part, ast.Name) and part.id in torch_names.SEQUENCE_TYPES:
        return Kind.SEQUENCE
    return Kind.UNKNOWN


def _combined(parts: list[Narrowed], is_and: bool) -> Narrowed:
    """Of `a and b`: if it holds, all that both tell; if not, nothing is known."""
    certain = [part.then if is_and else part.orelse for part in parts]
    merged: dict[str, Value] | None = {}
    for told in certain:
        if told is None:
            merged = None
            break
        assert merged is not None
        merged = {**merged, **told}
    return Narrowed(merged, {}) if is_and else Narrowed({}, merged)
