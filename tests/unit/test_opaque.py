"""`gw.opaque`: functions that torch cannot trace, in branches and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import graphweld as gw
from tests.conformance.harness import CountingBackend


def _smooth(x: torch.Tensor, k: int = 2) -> Any:
    assert type(x) is torch.Tensor
    return np.convolve(x.numpy(), np.ones(k) / k, mode="same").astype("float32")


def _given_and_sorted(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x, torch.from_numpy(np.sort(x.numpy()))


smooth = gw.opaque(_smooth, out=lambda x, k=2: torch.empty_like(x))
given_and_sorted = gw.opaque(_given_and_sorted, out=lambda x: (torch.empty_like(x), torch.empty_like(x)))


def program(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = smooth(x, 3)
    for _ in range(int(n)):
        a, b = given_and_sorted(x)
        x = smooth(a + b)
    return x


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_as_the_function_itself(backend: str) -> None:
    counter = CountingBackend(backend)
    compiled = gw.compile(program, backend=counter)
    for sign in (1.0, -1.0):
        for n in (0, 2):
            x = torch.tensor([1.0, 3.0, 2.0]) * sign
            want = torch.from_numpy(_smooth(x, 3)) if sign > 0 else x
            for _ in range(n):
                want = torch.from_numpy(_smooth(want + _given_and_sorted(want)[1]))
            torch.testing.assert_close(compiled(x, torch.tensor(n)), want)
            torch.testing.assert_close(program(x, torch.tensor(n)), want)
    assert counter.count == 1


def test_no_gradient_flows_through() -> None:
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(gw.GraphweldError, match="no gradient flows through the opaque function _smooth"):
        smooth(x)
    with pytest.raises(gw.GraphweldError):
        gw.compile(smooth, backend="eager")(x)
    with torch.no_grad():
        assert torch.equal(smooth(x), torch.from_numpy(_smooth(x.detach())))


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(gw.GraphweldError, match="cannot be called"):
        gw.opaque(_smooth, out=torch.float32)  # type: ignore[arg-type]
