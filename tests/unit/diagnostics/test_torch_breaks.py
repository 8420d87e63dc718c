"""Causes of torch's breaks: each fits some of them, and few fit none."""

from __future__ import annotations

import pytest

from graphweld.diagnostics.torch_breaks import CAUSES, cause_of


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("Data-dependent branching: Detected data-dependent branching", "data-dependent control flow"),
        ("Unsupported Tensor.item() call with capture_scalar_outputs=False: ...", "tensor read into Python"),
        ("Dynamic shape operator: Operator `aten.nonzero.default`'s output shape", "size that the data decides"),
        ("Failed to trace builtin operator: how to trace builtin operator `print`", "printing, logging, warnings"),
        (
            "Failed to trace builtin operator: how to trace builtin operator `open`",
            "builtin or method that torch does not trace",
        ),
        ("Skip calling `torch.compiler.disable()`d function", "switched off on purpose"),
        ("HOP: Unsafe side effect", "higher-order operator"),
        ("Attempt to trace generator: Generators cannot be compiled directly", "generators and iterators"),
        ("Attempted to call function marked as skipped: ...", "function that torch skips"),
        ("Unsupported Tensor.backward() call", "autograd inside of what is compiled"),
        ("Dynamo recompile limit exceeded", "recompiled too often"),
        ("issubclass() with non-constant arguments", "builtin or method that torch does not trace"),
    ],
)
def test_the_cause_of_a_break(reason: str, name: str) -> None:
    cause = cause_of(reason)
    assert cause is not None
    assert cause.name == name


def test_an_unknown_break_has_no_cause() -> None:
    assert cause_of("Something that torch will name one day") is None


@pytest.mark.needs_torch
def test_each_cause_fits_some_break_of_torch_and_hardly_any_break_fits_none() -> None:
    from graphweld.capture.registry import torch_breaks

    names = torch_breaks()
    causes = [cause_of(name) for name in names.values()]
    assert {cause.name for cause in CAUSES} == {cause.name for cause in causes if cause is not None}
    assert causes.count(None) < 0.05 * len(names)
