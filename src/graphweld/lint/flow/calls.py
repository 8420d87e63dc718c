"""Calls: of torch's functions, of a tensor's methods, of Python's builtins, and of what the file itself defines."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graphweld.lint.flow import torch_names as names
from graphweld.lint.flow.program import Function
from graphweld.lint.flow.values import (
    MASK,
    NUMBER,
    PLAIN,
    TENSOR,
    TENSORS,
    UNKNOWN,
    VARYING,
    Kind,
    Value,
    instance,
    join,
    pair,
    sequence,
)

if TYPE_CHECKING:
    from graphweld.lint.flow.expressions import Expressions

_PLAIN_BUILTINS = frozenset(
    "isinstance issubclass hasattr callable id type str repr len print format dir vars hash super".split()
)
_SCALAR_BUILTINS = frozenset({"int", "float", "bool", "complex"})
_COPIES = frozenset({"list", "tuple", "reversed", "sorted", "set", "iter", "deque", "frozenset"})
_READS_NUMBERS = frozenset({"math", "operator.index"})


def call(expr: Expressions, node: ast.Call) -> Value:
    """What a call gives."""
    args = [expr.value(arg) for arg in node.args]
    kwargs = {keyword.arg or "**": expr.value(keyword.value) for keyword in node.keywords}
    func = node.func
    _untraced(expr, node)
    if isinstance(func, ast.Name):
        return _by_name(expr, node, func, args, kwargs)
    dotted = expr.program.resolve(func)
    if dotted is not None and isinstance(func, ast.Attribute) and not is_local(expr, func):
        return _imported(expr, node, dotted, args, kwargs)
    if isinstance(func, ast.Attribute):
        return _method(expr, node, func, args, kwargs)
    return _called_object(expr, expr.value(func), args, kwargs)


def _untraced(expr: Expressions, node: ast.Call) -> None:
    """A call that torch cannot trace. Printing and logging mostly stand on paths that are hardly ever taken."""
    func = node.func
    name = expr.program.resolve(func) or (func.id if isinstance(func, ast.Name) else "")
    off = expr.program.functions.get(name)
    if name in names.BREAKING_CALLS or (off is not None and off.decorators & names.SWITCHED_OFF):
        expr.note("call", name, node, func, TENSOR._replace(sure=expr.function.is_reached))
    elif name in names.SAYING_CALLS or (
        isinstance(func, ast.Attribute)
        and func.attr in names.SAYING_METHODS
        and isinstance(func.value, ast.Name)
        and func.value.id in names.LOGGERS
    ):
        expr.note("call", name.rpartition(".")[2] or ast.unparse(func).rpartition(".")[2], node, func, TENSOR.guessed())


def enter(
    expr: Expressions, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value], owner: Value | None
) -> Value:
    """A call of a function in this file: its parameters get what is passed; it gives what it was found to give."""
    positional = list(function.parameters)
    if function.takes_self and owner is not None:
        positional = positional[1:]
    variadic = function.node.args.vararg
    for name, value in zip(positional, args, strict=False):
        if variadic is not None and name == variadic.arg:
            break
        _give(function, name, value)
    for name, value in kwargs.items():
        if name in positional:
            _give(function, name, value)
    expr.function.callees.add(function)
    function.callers.add(expr.function)
    return function.result


def _give(function: Function, name: str, value: Value) -> None:
    function.given[name] = join(function.given[name], value) if name in function.given else value


def is_local(expr: Expressions, func: ast.Attribute) -> bool:
    """Whether a dotted name starts at a variable of the function, and not at an import."""
    base = func.value
    while isinstance(base, ast.Attribute):
        base = base.value
    return isinstance(base, ast.Name) and base.id in expr.env


def _by_name(expr: Expressions, node: ast.Call, func: ast.Name, args: list[Value], kwargs: dict[str, Value]) -> Value:
    name = func.id
    if name in expr.env:
        return _called_object(expr, expr.env[name], args, kwargs)
    if name in expr.program.functions:
        return enter(expr, expr.program.functions[name], args, kwargs, None)
    if name in expr.program.classes:
        made = expr.program.method(name, "__init__")
        if made is not None:
            enter(expr, made, args, kwargs, instance(name))
        return instance(name)
    dotted = expr.program.resolve(func)
    if dotted is not None:
        return _imported(expr, node, dotted, args, kwargs)
    return _builtin(expr, node, name, args)


def _builtin(expr: Expressions, node: ast.Call, name: str, args: list[Value]) -> Value:
    first = args[0] if args else PLAIN
    if name in _SCALAR_BUILTINS:
        return _scalar(expr, node, name, first)
    if name == "len":
        return NUMBER._replace(sure=first.sure) if first.varies else PLAIN
    if name == "range":
        numbers = [arg for arg in args if arg.kind in (Kind.NUMBER, Kind.TENSOR)]
        if numbers:
            return sequence(NUMBER, varies=True, sure=any(n.sure for n in numbers))
        return sequence(PLAIN)
    if name == "enumerate":
        return sequence(pair(PLAIN, first.item()), varies=first.varies, sure=first.sure)
    if name == "zip":
        varying = [arg for arg in args if arg.varies]
        sure = any(arg.sure for arg in varying) if varying else True
        return sequence(pair(*(arg.item() for arg in args)), varies=bool(varying), sure=sure)
    if name in _COPIES:
        return sequence(first.item(), varies=first.varies, sure=first.sure) if args else sequence(PLAIN)
    if name in ("any", "all"):
        item = first.item()
        if first.kind in (Kind.TENSOR, Kind.SEQUENCE) and item.steers:
            expr.note("scalar", name, node, node.args[0], item)
            return NUMBER._replace(sure=item.sure)
        return PLAIN
    if name in ("sum", "max", "min", "abs", "round", "divmod", "pow"):
        return join(*(arg.item() if arg.kind is Kind.SEQUENCE else arg for arg in args)) if args else UNKNOWN
    if name in _PLAIN_BUILTINS:
        return PLAIN
    return UNKNOWN


def _scalar(expr: Expressions, node: ast.Call, name: str, value: Value) -> Value:
    """A tensor read into a Python value."""
    if value.kind is Kind.TENSOR:
        expr.note("scalar", f"{name}()", node, node.args[0], value)
        return NUMBER._replace(sure=value.sure)
    return value if value.kind is Kind.NUMBER else PLAIN if value.kind is Kind.PLAIN else UNKNOWN


def _imported(expr: Expressions, node: ast.Call, dotted: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    module, _, name = dotted.rpartition(".")
    if module in names.TENSOR_MODULES:
        return _torch_function(expr, node, name, args, kwargs) if name[:1].islower() else PLAIN
    if module in ("torch.nn", "torch.nn.modules"):
        return _layer(name, args)
    if module == "torch.nn.parameter":
        return TENSOR
    if module == "numpy":
        return _array_function(name, args)
    if module == "math" and any(arg.kind in (Kind.TENSOR, Kind.NUMBER) for arg in args):
        read = join(*args)
        if read.kind is Kind.TENSOR:
            expr.note("scalar", f"math.{name}()", node, node, read)
        return NUMBER._replace(sure=read.sure)
    if dotted == "itertools.groupby" and args:
        return sequence(pair(UNKNOWN, args[0]), varies=_holds_numbers(args[0]), sure=args[0].sure)
    if dotted.startswith(("itertools.", "collections.")) and args:
        return sequence(args[0].item(), varies=args[0].varies, sure=args[0].sure)
    if dotted.startswith(("os.", "re.", "math.", "typing.", "torch.")):
        return PLAIN
    return UNKNOWN


def _holds_numbers(value: Value) -> bool:
    """Whether numbers read out of a tensor are among the items, also below."""
    return value.kind is Kind.NUMBER or (
        value.kind is Kind.SEQUENCE and any(_holds_numbers(v) for v in (value.item(), *value.items))
    )


def _torch_function(expr: Expressions, node: ast.Call, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    given = [arg for arg in (*args, *kwargs.values()) if arg.kind is Kind.TENSOR]
    sure = not given or any(arg.sure for arg in given)
    if name in names.SIZE_FUNCTIONS:
        _sizes(expr, node, args[:1] if name == "full" else args[1:] if name == "split" else args)
    if name in names.TRUTH_FUNCTIONS:
        return NUMBER._replace(sure=sure)
    if name in names.PLAIN_FUNCTIONS or name.startswith(("is_", "set_", "get_")):
        return PLAIN
    is_selecting = name == "where" and len(node.args) == 1 and not node.keywords
    if name in names.VARYING_FUNCTIONS or is_selecting:
        expr.note("size", f"torch.{name}()", node, node, TENSOR)
        return sequence(VARYING) if is_selecting or _is_true(node, "as_tuple") else VARYING
    if name == "repeat_interleave":
        return _repeated(expr, node, args[1:], kwargs)
    if name in names.SEQUENCE_FUNCTIONS:
        return TENSORS
    if name in names.PAIR_FUNCTIONS or (name in names.PAIR_WITH_DIM and _has_dim(args, kwargs)):
        return pair(TENSOR, TENSOR)
    return MASK if name in names.MASK_FUNCTIONS or _is_bool_dtype(node) else TENSOR


def _repeated(expr: Expressions, node: ast.Call, rest: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`repeat_interleave` with counts in a tensor: their sum is the size."""
    counts = rest[0] if rest else kwargs.get("repeats", PLAIN)
    if counts.kind is Kind.TENSOR and "output_size" not in kwargs:
        expr.note("size", "repeat_interleave()", node, node, counts)
        return VARYING._replace(sure=counts.sure)
    return TENSOR


def _sizes(expr: Expressions, node: ast.Call, args: Sequence[Value]) -> None:
    """A tensor given as a size is read."""
    parts = [part for arg in args for part in ((arg.item(), *arg.items) if arg.kind is Kind.SEQUENCE else (arg,))]
    tensors = [part for part in parts if part.kind is Kind.TENSOR]
    if tensors:
        expr.note("scalar", "a size", node, node, join(*tensors))


def _has_dim(args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    return "dim" in kwargs or (len(args) > 1 and args[1].kind is Kind.PLAIN)


def _is_true(node: ast.Call, name: str) -> bool:
    return any(k.arg == name and isinstance(k.value, ast.Constant) and k.value.value is True for k in node.keywords)


def _is_bool_dtype(node: ast.Call) -> bool:
    values = [k.value for k in node.keywords if k.arg == "dtype"] + node.args[:1]
    return any(isinstance(v, ast.Attribute) and v.attr == "bool" for v in values)


def _array_function(name: str, args: list[Value]) -> Value:
    if name in names.ARRAY_MAKERS or any(arg.is_array for arg in args):
        return TENSOR._replace(is_array=True)
    return UNKNOWN


def _layer(name: str, args: list[Value]) -> Value:
    if name in names.CONTAINER_LAYERS:
        made = args[0].item() if args else UNKNOWN
        return sequence(made if made.kind is Kind.OBJECT else UNKNOWN)
    if name in ("Parameter", "Buffer"):
        return TENSOR
    return UNKNOWN if name in names.NO_LAYERS else instance(f"torch.nn.{name}")


def _method(
    expr: Expressions, node: ast.Call, func: ast.Attribute, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    name = func.attr
    base = expr.value(func.value)
    if base.kind is Kind.OBJECT:
        return _object_method(expr, node, base, name, args, kwargs)
    if base.kind is Kind.TENSOR:
        return _tensor_method(expr, node, func, base, args, kwargs)
    if base.kind is Kind.SEQUENCE:
        if name in ("append", "add", "appendleft") and isinstance(func.value, ast.Name) and args:
            expr.env[func.value.id] = sequence(join(base.item(), args[0]) if base.items or base.element else args[0])
        elif name == "extend" and isinstance(func.value, ast.Name) and args:
            expr.env[func.value.id] = sequence(join(base.item(), args[0].item()))
        return base.item() if name == "pop" else UNKNOWN if name == "copy" else PLAIN
    if base.kind is Kind.NUMBER:
        return base
    if base.kind is Kind.UNKNOWN and name in names.TELLING_METHODS:
        sure = name in names.CERTAIN_METHODS and not args and expr.function.is_likely_traced
        guess = TENSOR._replace(sure=sure)
        return _tensor_method(expr, node, func, guess, args, kwargs)
    return PLAIN if base.kind is Kind.PLAIN else UNKNOWN


def _object_method(
    expr: Expressions, node: ast.Call, base: Value, name: str, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    method = expr.program.method(base.name, name)
    if method is not None:
        return enter(expr, method, args, kwargs, base)
    if name == "register_buffer" and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
        cls = expr.program.classes.get(base.name)
        if cls is not None and args[1].kind in (Kind.TENSOR, Kind.UNKNOWN):
            cls.attributes[str(node.args[0].value)] = TENSOR
        return PLAIN
    member = expr.program.attribute(base.name, name)
    return UNKNOWN if member is None else _called_object(expr, member, args, kwargs)


def _called_object(expr: Expressions, value: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`layer(x)`: what its forward gives."""
    if value.kind is not Kind.OBJECT:
        return UNKNOWN
    if value.name.startswith("torch.nn."):
        return pair(TENSOR, UNKNOWN) if value.name.rpartition(".")[2] in names.PAIR_LAYERS else TENSOR
    forward = expr.program.method(value.name, "forward") or expr.program.method(value.name, "__call__")
    return UNKNOWN if forward is None else enter(expr, forward, args, kwargs, value)


def _tensor_method(
    expr: Expressions, node: ast.Call, func: ast.Attribute, base: Value, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    name = func.attr
    if name in names.SCALAR_METHODS:
        expr.note("scalar", f".{name}()", node, func.value, base)
        return NUMBER._replace(sure=base.sure)
    if name in names.LIST_METHODS:
        expr.note("scalar", f".{name}()", node, func.value, base)
        return sequence(sequence(NUMBER)._replace(kind=Kind.NUMBER), varies=base.varies, sure=base.sure)
    if name in names.SIZE_METHODS:
        _sizes(expr, node, args)
    if name in names.TRUTH_METHODS:
        return NUMBER._replace(sure=base.sure)
    if name in names.PLAIN_METHODS:
        is_size = name in ("numel", "nelement") or (name == "size" and node.args and _is_zero(node.args[0]))
        return NUMBER._replace(sure=base.sure) if base.varies and is_size else PLAIN
    if name.startswith(names.NO_TENSOR_METHOD):
        return UNKNOWN
    if name in names.VARYING_METHODS:
        expr.note("size", f".{name}()", node, node, base)
        found = VARYING._replace(sure=base.sure, is_array=base.is_array)
        return sequence(found) if _is_true(node, "as_tuple") else found
    if name == "repeat_interleave":
        return _repeated(expr, node, args, kwargs)
    if name in names.SEQUENCE_METHODS:
        return sequence(TENSOR._replace(sure=base.sure), varies=name == "unbind" and base.varies)
    if name in names.PAIR_METHODS or (name in names.PAIR_WITH_DIM and _has_dim(args, kwargs) and not base.is_array):
        return pair(base, base)
    is_mask = name in names.MASK_METHODS or _is_bool_dtype(node) or (base.is_bool and name in names.SAME_TYPE_METHODS)
    is_reduced = name in ("sum", "mean", "max", "min", "any", "all", "argmax", "argmin", "prod", "norm", "std", "var")
    return base._replace(is_bool=is_mask, varies=base.varies and not is_reduced)


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


__all__ = ["call", "enter", "is_local"]
