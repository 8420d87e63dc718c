"""The public functions: arguments that are wrong are told at once."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import graphweld as gw


@pytest.mark.parametrize("call", [gw.compile, gw.source, gw.diff, lambda fn: gw.explain(fn, ())])
def test_what_cannot_be_called_is_refused(call: Any) -> None:
    with pytest.raises(gw.GraphweldError, match="int object 3 cannot be called"):
        call(3)


def test_a_backend_is_a_name_or_a_function() -> None:
    with pytest.raises(gw.GraphweldError, match="backend must be a name or a function, not int"):
        gw.compile(len, backend=3)  # type: ignore[call-overload]


def test_explain_wants_a_tuple() -> None:
    with pytest.raises(gw.GraphweldError, match=r"args must be a tuple .* not Tensor(.|\n)*write `\(x,\)`"):
        gw.explain(torch.sin, torch.ones(3))  # type: ignore[arg-type]


@pytest.mark.parametrize("call", [gw.compile, lambda fn: gw.explain(fn, ())])
def test_a_torch_that_is_not_supported_is_refused(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.12.1")
    with pytest.raises(gw.GraphweldError) as error:
        call(len)
    assert [finding.code for finding in error.value.diagnostics] == ["GW130"]


def test_compile_is_a_decorator_with_and_without_arguments() -> None:
    @gw.compile
    def plain(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @gw.compile(backend="eager")
    def chosen(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if x.sum() > 0 else x - 1

    assert callable(plain)
    assert chosen(torch.ones(2)).tolist() == [2.0, 2.0]
    assert chosen(-torch.ones(2)).tolist() == [-2.0, -2.0]
    assert chosen.__name__ == "chosen"


def test_a_dimension_that_a_tensor_sized_by_data_has_not_is_the_operators_own_error() -> None:
    def squeezed(x: torch.Tensor) -> torch.Tensor:
        return x[x > 0].squeeze(1)

    with pytest.raises(IndexError, match="Dimension out of range"):
        gw.compile(squeezed, backend="eager")(torch.tensor([1.0, -1.0]))
