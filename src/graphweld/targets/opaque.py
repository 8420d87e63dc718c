"""`gw.opaque`: a function that torch cannot trace, as one operator of torch's."""

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import torch

from graphweld.diagnostics import UsageError

_numbers = itertools.count()


def opaque_target(fn: Callable[..., Any], out: Callable[..., Any]) -> Callable[..., Any]:
    """The operator that calls `fn`, and whose result is typed by `out`."""

    def run(*args: Any) -> Any:
        with torch.no_grad():
            result = fn(*args)
        taken = [arg for arg in args if isinstance(arg, torch.Tensor)]
        if isinstance(result, tuple):
            return tuple(_own(value, taken) for value in result)
        return _own(result, taken)

    parameters = [
        p.replace(annotation=torch.Tensor if p.annotation is p.empty else p.annotation, kind=p.POSITIONAL_OR_KEYWORD)
        for p in inspect.signature(fn, eval_str=True).parameters.values()
    ]
    schema = torch.library.infer_schema(_as_declared(parameters, _results_of(fn)), mutates_args=())
    name = getattr(fn, "__name__", "function").strip("<>")
    made = torch.library.custom_op(f"graphweld::{name}_{next(_numbers)}", run, mutates_args=(), schema=schema)
    made.register_fake(out)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in args):
            raise UsageError.because(
                f"no gradient flows through the opaque function {name}, and an argument of it requires one",
                "give it `x.detach()`, or call it under `torch.no_grad()`",
            )
        return made(*args, **kwargs)

    return call


def _results_of(fn: Callable[..., Any]) -> Any:
    annotation = inspect.signature(fn, eval_str=True).return_annotation
    return annotation if getattr(annotation, "__origin__", None) is tuple else torch.Tensor


def _as_declared(parameters: list[inspect.Parameter], returns: Any) -> Callable[..., Any]:
    """A function that has no more than a signature."""

    def declared() -> None: ...

    declared.__signature__ = inspect.Signature(parameters, return_annotation=returns)  # type: ignore[attr-defined]
    return declared


def _own(value: Any, taken: list[torch.Tensor]) -> torch.Tensor:
    """A tensor with memory of its own: operators give none of their arguments back."""
    tensor = torch.as_tensor(value)
    shares = any(tensor.untyped_storage().data_ptr() == arg.untyped_storage().data_ptr() for arg in taken)
    return tensor.clone() if shares else tensor
