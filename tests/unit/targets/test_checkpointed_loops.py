"""`gw.compile(..., checkpoint=True)`: gradients as eager's, from much less memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import graphweld as gw  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def _linear() -> Any:
    torch.manual_seed(0)
    return torch.nn.Linear(4, 4, dtype=torch.float64)


def until_a_count() -> Callable[[Any, Any], Any]:
    linear = _linear()

    def program(x: Any, n: Any) -> Any:
        done = 0
        while done < n:
            x = x * 0.9 + 0.1 * torch.tanh(linear(x))
            done += 1
        return x, *linear.parameters()

    return program


def nested_with_a_branch() -> Callable[[Any, Any], Any]:
    linear = _linear()

    def program(x: Any, n: Any) -> Any:
        total = torch.zeros((), dtype=torch.float64)
        for i in range(int(n)):
            while total < i:
                total = total + x.abs().sum() * 0.1 + 0.3
            x = linear(x) + total if x.sum() > 0 else x - total
        return x, *linear.parameters()

    return program


def dropout_and_appends() -> Callable[[Any, Any], Any]:
    linear = _linear()

    def program(x: Any, n: Any) -> Any:
        out = [x]
        for _ in range(int(n)):
            x = torch.nn.functional.dropout(linear(x), 0.5) * 0.5
            out.append(x)
        return torch.stack(out).sum(0), *linear.parameters()

    return program


def operand_changed_behind() -> Callable[[Any, Any], Any]:
    def program(x: Any, n: Any) -> Any:
        scale, shift, done = torch.full_like(x, 0.5).detach(), torch.ones((), dtype=x.dtype), 0
        while done < n:
            x = torch.sin(x * 2 + shift)
            done += 1
        shift.add_(1)
        return (x * scale + shift,)

    return program


PROGRAMS = [until_a_count, nested_with_a_branch, dropout_and_appends, operand_changed_behind]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def test_gradients_as_eager(make: Any, backend: str) -> None:
    if backend == "inductor" and make is not until_a_count:
        pytest.skip("Inductor has draws of its own, and faults in nested loops with gradients")
    torch._dynamo.reset()
    program = make()
    compiled = gw.compile(program, backend=backend, checkpoint=True)
    for n in (0, 1, 2, 3, 4, 7, 20):
        found = []
        for run in (program, compiled):
            x = torch.linspace(-1, 2, 4, dtype=torch.float64, requires_grad=True)
            torch.manual_seed(n)
            y, *parameters = run(x, torch.tensor(n))
            grads = torch.autograd.grad(y.square().sum(), [x, *parameters], allow_unused=True)
            found.append([y, *(torch.zeros((), dtype=torch.float64) if g is None else g for g in grads)])
        for want, got in zip(*found, strict=True):
            torch.testing.assert_close(got, want.expand_as(got))


def _saved(run: Any, n: int) -> int:
    """Elements that a call keeps for its backward."""
    kept = 0

    def pack(tensor: Any) -> Any:
        nonlocal kept
        kept += tensor.numel()
        return tensor

    x = torch.ones(1000, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        run(x, torch.tensor(n))
    return kept


def test_what_is_kept_grows_with_the_square_root() -> None:
    torch._dynamo.reset()

    def program(x: Any, n: Any) -> Any:
        done = torch.zeros((), dtype=torch.int64)
        while done < n:
            x = x * 0.9 + 0.1 * torch.tanh(x)
            done = done + 1
        return x

    plain = gw.compile(program, backend="aot_eager")
    checkpointed = gw.compile(program, backend="aot_eager", checkpoint=True)
    assert _saved(plain, 800) > 800 * 1000
    assert _saved(checkpointed, 800) < 45 * 1000  # 40 segments: 1 + 2 + ... + 40 is 820
    assert _saved(checkpointed, 3200) < 85 * 1000
