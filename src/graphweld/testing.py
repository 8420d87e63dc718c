"""For users' own test suites: is my function one graph, and does it still do what plain eager Python does?"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeVar

import torch

from graphweld import api
from graphweld.diagnostics import UsageError

__all__ = ["CountingBackend", "assert_whole", "difference"]

T = TypeVar("T")

_TARGETS = ("compile",)
_SEED = 0


class CountingBackend:
    """A backend for `gw.compile` and `torch.compile` that runs graphs as they are, and counts them.

    `graphs` is the number of graphs it was given.
    """

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        """Take one graph."""
        self.graphs += 1
        return graph.forward


def assert_whole(
    fn: Callable[..., Any],
    inputs: Iterable[Any],
    *,
    targets: Sequence[str] = ("compile",),
    grad: bool = False,
) -> None:
    """Assert that a function becomes one graph, and that the graph does what plain eager Python does.

    In short::

        eager, welded = deepcopy(fn), gw.compile(deepcopy(fn))
        for args in inputs:                       # in order, each on fresh copies, with the same random seed
            assert same(welded(*args), eager(*args))
        assert graphs(welded) <= kinds(inputs)    # no graph per value

    Compared are results (values, dtypes, shapes, strides, Python types), changes made to the arguments, exceptions,
    and for modules their parameters and buffers after each call.

    Args:
        fn: a function, a method of a module, or a module.
        inputs: argument tuples; give at least one for each way through the function. What is no tuple is taken as a
            single argument.
        targets: what to run on. "compile" is the one there is.
        grad: compare gradients too, of every floating-point tensor in the arguments and of every parameter.

    Raises:
        AssertionError: that says on which inputs, and what differs.
        GraphBreakError: if the function cannot become one graph.
        UsageError: for an unknown target, or no inputs.

    Limits: a gradient of zeros is taken as equal to no gradient, and a result may require gradients where eager's does
    not, since an If node knows only both of its sides together. What a plain function keeps in globals or closures is
    not copied, and the two runs share it. Values are compared as by `torch.testing.assert_close`, NaN equal to NaN.
    """
    unknown = [target for target in targets if target not in _TARGETS]
    if unknown:
        raise UsageError.because(f"unknown target {unknown[0]!r}", f"known: {', '.join(_TARGETS)}")
    rows = [row if isinstance(row, tuple) else (row,) for row in inputs]
    if not rows:
        raise UsageError.because("assert_whole needs at least one tuple of inputs")

    eager, welded = _fresh(fn), _fresh(fn)
    backend = CountingBackend()
    compiled = api.compile(welded, backend=backend)
    signatures: list[Any] = []
    for number, row in enumerate(rows):
        expected = _run(eager, eager, row, grad)
        actual = _run(compiled, welded, row, grad)
        if "exception" in actual.keys() ^ expected.keys():
            raise AssertionError(f"inputs[{number}]: {_raised(actual)}, eager {_raised(expected)}")
        for what in expected:
            found = difference(actual[what], expected[what])
            if found:
                raise AssertionError(f"inputs[{number}]: {what} differ from eager: {found}")
        signature = _signature(row)
        if signature not in signatures:
            signatures.append(signature)
    if backend.graphs > len(signatures):
        raise AssertionError(
            f"{backend.graphs} graphs for {len(signatures)} kinds of inputs: compiled again for a value, or broken"
        )


def difference(actual: Any, expected: Any, path: str = "") -> str | None:
    """What differs between two results, in words, with the path to it; None if nothing does.

    Types must be the same, not just equal: True is not 1, and a tensor of one number is not that number.
    """
    where = f"at {path}: " if path else ""
    if type(actual) is not type(expected):
        return f"{where}{_kind(actual)}, eager has {_kind(expected)}"
    if isinstance(expected, torch.Tensor):
        found = _tensor_difference(actual, expected)
        return None if found is None else where + found
    if isinstance(expected, float):
        same = actual == expected or (math.isnan(actual) and math.isnan(expected)) or math.isclose(actual, expected)
        return None if same else f"{where}{actual!r}, eager has {expected!r}"
    parts = _parts(actual), _parts(expected)
    if parts[0] is None or parts[1] is None:
        return None if _is_equal(actual, expected) else f"{where}{actual!r:.80}, eager has {expected!r:.80}"
    if list(parts[0]) != list(parts[1]):
        return f"{where}{_keys(parts[0])}, eager has {_keys(parts[1])}"
    for key, value in parts[1].items():
        found = difference(parts[0][key], value, path + key)
        if found:
            return found
    return None


def _fresh(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A copy with state of its own: of a module, or of the module that a method belongs to."""
    if isinstance(fn, torch.nn.Module):
        return copy.deepcopy(fn)
    owner = getattr(fn, "__self__", None)
    if inspect.ismethod(fn) and not inspect.isclass(owner):
        return fn.__func__.__get__(copy.deepcopy(owner))  # type: ignore[no-any-return]
    return fn


def _run(fn: Callable[..., Any], original: Callable[..., Any], row: tuple[Any, ...], grad: bool) -> dict[str, Any]:
    """Everything about one call that eager and welded must agree on."""
    args = _clone(row, grad)
    module = original if isinstance(original, torch.nn.Module) else getattr(original, "__self__", None)
    parameters = dict(module.named_parameters()) if isinstance(module, torch.nn.Module) else {}
    for parameter in parameters.values():
        parameter.grad = None
    seen: dict[str, Any] = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        try:
            # What is changed in place may be a leaf that requires gradients; plain tensors in between allow it.
            called = _replaced(args, _passed_on) if grad else args
            result = fn(*called)
        except Exception as error:  # the function may raise anything, and both runs must raise the same
            if type(error).__module__.startswith("graphweld"):
                raise
            return {"exception": (type(error), str(error)), "arguments after the call": _detached(args)}
        seen["results"] = result
        if grad:
            _backward(result)
            seen["gradients of the arguments"] = [
                leaf.grad for _, leaf in _leaves(args) if isinstance(leaf, torch.Tensor)
            ]
            seen["gradients of the parameters"] = {name: _gradient(each) for name, each in parameters.items()}
    seen["arguments after the call"] = _detached(called)
    if isinstance(module, torch.nn.Module):
        seen["parameters and buffers after the call"] = _detached(dict(module.state_dict()))
    return seen


def _clone(row: tuple[Any, ...], grad: bool) -> tuple[Any, ...]:
    def fresh(value: torch.Tensor) -> torch.Tensor:
        leaf = value.detach().clone(memory_format=torch.preserve_format)
        wanted = value.requires_grad or (grad and (leaf.is_floating_point() or leaf.is_complex()))
        return leaf.requires_grad_(wanted)

    return _replaced(row, fresh)


def _replaced(tree: T, change: Callable[[torch.Tensor], torch.Tensor]) -> T:
    """A deep copy in which each tensor is what `change` makes of it; one that occurs twice is one again."""
    memo: dict[int, Any] = {id(leaf): change(leaf) for _, leaf in _leaves(tree) if isinstance(leaf, torch.Tensor)}
    return copy.deepcopy(tree, memo)


def _passed_on(leaf: torch.Tensor) -> torch.Tensor:
    return leaf.clone() if leaf.requires_grad else leaf


def _detached(tree: Any) -> Any:
    return _replaced(tree, lambda tensor: tensor.detach().clone())


def _backward(result: Any) -> None:
    outputs = [o for _, o in _leaves(result) if isinstance(o, torch.Tensor) and o.requires_grad]
    if outputs:
        # Gradients that differ from element to element, so that one in the wrong place shows.
        seeds = [torch.linspace(0.5, 1.5, o.numel(), dtype=torch.float64).reshape(o.shape).to(o) for o in outputs]
        torch.autograd.backward(outputs, seeds)


def _gradient(leaf: torch.Tensor) -> torch.Tensor | None:
    """A gradient as both runs show it: an If node gives zeros to what only its other side uses, eager gives nothing."""
    gradient = leaf.grad
    return None if gradient is None or not gradient.any() else gradient


def _raised(seen: Mapping[str, Any]) -> str:
    if "exception" not in seen:
        return "raises nothing"
    kind, text = seen["exception"]
    return f"raises {kind.__name__}: {text.partition(chr(10))[0]}"


def _leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a tree that has no parts, with the path to it."""
    parts = None if isinstance(tree, torch.Tensor) else _parts(tree)
    if parts is None:
        yield path, tree
        return
    for key, part in parts.items():
        yield from _leaves(part, path + key)


def _parts(value: Any) -> Mapping[str, Any] | None:
    """The parts of a container or a plain object by their path; None for what is compared as a whole."""
    if isinstance(value, Mapping):
        return {f"[{key!r}]": part for key, part in value.items()}
    if isinstance(value, list | tuple):
        return {f"[{index}]": part for index, part in enumerate(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f".{field.name}": getattr(value, field.name) for field in dataclasses.fields(value)}
    is_opaque = value is None or isinstance(value, str | bytes | int | complex | type | Set) or callable(value)
    has_own_equality = "__eq__" in {name for cls in type(value).__mro__[:-1] for name in vars(cls)}
    if not is_opaque and not has_own_equality and hasattr(value, "__dict__"):
        return {f".{name}": part for name, part in vars(value).items()}
    return None


def _tensor_difference(actual: torch.Tensor, expected: torch.Tensor) -> str | None:
    # A result of an If node requires gradients if either side's does; that eager's does and this one's not is a fault.
    named = ("dtype", "shape", "device", "layout", *(["requires_grad"] if expected.requires_grad else []))
    for what in named:
        one, other = getattr(actual, what), getattr(expected, what)
        if one != other:
            return f"{what} {_plain(one)}, eager has {_plain(other)}"
    if actual.layout is torch.strided and _strides(actual) != _strides(expected):
        return f"strides {actual.stride()}, eager has {expected.stride()}"
    try:
        torch.testing.assert_close(actual.detach(), expected.detach(), equal_nan=True)
    except AssertionError as error:
        return " ".join(str(error).split())
    return None


def _strides(tensor: torch.Tensor) -> list[int]:
    """The strides that a program can see: of dimensions with more than one element, of tensors with any."""
    if tensor.numel() == 0:
        return []
    return [step for step, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1]


def _signature(row: tuple[Any, ...]) -> Any:
    """What torch may compile again for: types, dtypes, shapes, devices, gradients, and Python values."""
    return [
        (path, type(leaf), leaf.dtype, leaf.shape, leaf.device, leaf.requires_grad)
        if isinstance(leaf, torch.Tensor)
        else (path, type(leaf), leaf)
        for path, leaf in _leaves(row)
    ]


def _is_equal(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a {type(value).__name__} of shape {tuple(value.shape)}"
    return f"{type(value).__name__} {value!r:.60}"


def _keys(parts: Mapping[str, Any]) -> str:
    return f"{len(parts)} parts ({', '.join(parts)})" if len(parts) < 8 else f"{len(parts)} parts"


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, torch.Size) else value
