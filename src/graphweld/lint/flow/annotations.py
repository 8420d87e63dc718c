"""Annotations and names of parameters to what they hold.

>>> import ast
>>> for text in ("torch.Tensor | None", "Optional[list[torch.LongTensor]]", "int", "'Tensor'", "Config"):
...     value = of_annotation(ast.parse(text, mode="eval").body)
...     print(text, "->", value and value.kind.name)
torch.Tensor | None -> TENSOR
Optional[list[torch.LongTensor]] -> SEQUENCE
int -> PLAIN
'Tensor' -> TENSOR
Config -> None
"""

from __future__ import annotations

import ast

from graphweld.lint.flow import torch_names as names
from graphweld.lint.flow.values import MASK, PLAIN, TENSOR, Value, join, pair, sequence


def of_annotation(node: ast.expr | None) -> Value | None:
    """What an annotation promises; None where it says nothing about tensors or plain values."""
    match node:
        case ast.Constant(value=None):
            return PLAIN
        case ast.Constant(value=str(text)):
            try:
                return of_annotation(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return None
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _named(name)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _either([left, right])
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _generic(name, parts)
    return None


def _named(name: str) -> Value | None:
    if name == "BoolTensor":
        return MASK
    if name in names.TENSOR_TYPES:
        return TENSOR
    return PLAIN if name in names.PLAIN_TYPES else None


def _generic(name: str, parts: list[ast.expr]) -> Value | None:
    if name in names.UNION_TYPES:
        return _either(parts)
    if name == "Annotated":
        return of_annotation(parts[0])
    if name in names.TENSOR_TYPES:  # such as jaxtyping's
        return TENSOR
    if name in names.SEQUENCE_TYPES:
        items = [of_annotation(part) for part in parts if not (isinstance(part, ast.Constant) and part.value is ...)]
        known = [item for item in items if item is not None]
        if len(known) != len(items) or not known:
            return None
        is_fixed = name in ("tuple", "Tuple") and len(items) == len(parts)
        return pair(*known) if is_fixed else sequence(join(*known))
    return None


def _either(parts: list[ast.expr]) -> Value | None:
    """A union: of a tensor and a number it is not told which one comes."""
    found = [of_annotation(part) for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    known = [value for value in found if value is not None]
    if not known:
        return PLAIN if not found else None
    value = join(*known)
    is_mixed = len(known) != len(found) or any(other.kind is not value.kind for other in known)
    return value.guessed() if is_mixed else value
