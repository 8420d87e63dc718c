"""Gradients of torch's own loop operators that are wrong without a word, beside graphweld's of the same loop.

Each test fails where graphweld is wrong, and also where torch no longer is: then the rule in
docs/design/002-gradients-of-our-own.md that stands in for torch's may go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch._higher_order_ops import while_loop  # noqa: E402

import graphweld as gw  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
MENDED = "torch has mended this fault: see docs/design/002-gradients-of-our-own.md"
START = torch.zeros((), dtype=torch.int64)


def gradients(fn: Callable[..., Any], *args: torch.Tensor) -> list[torch.Tensor]:
    """Of the sum of what `fn` returns, with respect to each float argument; zero where there is none."""
    args = tuple(a.clone().requires_grad_(a.is_floating_point()) for a in args)
    torch._dynamo.reset()
    torch.manual_seed(3)
    floats = [a for a in args if a.requires_grad]
    found = torch.autograd.grad(fn(*args).sum(), floats, allow_unused=True)
    return [torch.zeros_like(a) if g is None else g for a, g in zip(floats, found, strict=True)]


def is_close(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return all(torch.allclose(x, y, rtol=1e-5, atol=1e-6) for x, y in zip(a, b, strict=True))


def no_trip(x, n, w):
    for _ in range(int(n)):
        x = x.sin() * 3 + w * 0
    return x


def no_trip_by_hand(x, n, w):
    return while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y.sin() * 3 + w * 0), (START.clone(), x))[1]


def weights_only(x, n, w):
    y = torch.zeros(3)
    for _ in range(int(n)):
        y = y * 0.5 + w * x
    return y


def weights_only_by_hand(x, n, w):
    return while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 0.5 + w * x), (START.clone(), torch.zeros(3)))[1]


def appended(x, n, w):
    rows = []
    for _ in range(int(n)):
        x = x * w
        rows.append(x)
    return torch.stack(rows)


def appended_by_hand(x, n, w):
    def body(i, y, rows):
        y = y * w
        return i + 1, y, rows.index_copy(0, i.reshape(1), y.unsqueeze(0))

    return while_loop(lambda i, y, rows: i < n, body, (START.clone(), x, torch.zeros(4, 3)))[2]


def nested(x, n, w):
    for i in range(int(n)):
        for _ in range(i):
            x = x * w
        x = x + w
    return x


def nested_by_hand(x, n, w):
    def outer(i, y):
        inner = while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * w), (START.clone(), y))[1]
        return i + 1, inner + w

    return while_loop(lambda i, y: i < n, outer, (START.clone(), x))[1]


@pytest.mark.parametrize(
    ("loop", "by_hand", "trips"),
    [
        (no_trip, no_trip_by_hand, 0),
        (weights_only, weights_only_by_hand, 3),
        (appended, appended_by_hand, 4),
        (nested, nested_by_hand, 3),
    ],
    ids=["no_trip", "weights_only", "appended", "nested"],
)
def test_gradient(loop: Callable[..., Any], by_hand: Callable[..., Any], trips: int) -> None:
    args = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(trips), torch.tensor([0.5, 1.5, 2.0])
    want = gradients(loop, *args)
    assert is_close(gradients(gw.compile(loop, backend="aot_eager"), *args), want)
    compiled = torch.compile(by_hand, backend="aot_eager", fullgraph=True)
    assert torch.allclose(compiled(*args), loop(*args)), "the same loop"
    assert not is_close(gradients(compiled, *args), want), MENDED


def dropped(x, n):
    for _ in range(int(n)):
        x = torch.nn.functional.dropout(x, 0.5)
    return x


def dropped_by_hand(x, n):
    body = lambda i, y: (i + 1, torch.nn.functional.dropout(y, 0.5))
    return while_loop(lambda i, y: i < n, body, (START.clone(), x))[1]


def test_dropout() -> None:
    """What was dropped has no gradient, and what was kept has that of its scale: of ones, the result itself."""

    def differs(fn: Callable[..., Any]) -> bool:
        torch._dynamo.reset()
        torch.manual_seed(3)
        x = torch.ones(64, requires_grad=True)
        y = fn(x, torch.tensor(1))
        return not torch.equal(torch.autograd.grad(y.sum(), x)[0], y.detach())

    assert not differs(gw.compile(dropped, backend="aot_eager"))
    assert differs(torch.compile(dropped_by_hand, backend="aot_eager", fullgraph=True)), MENDED
