"""Random numbers in ONNX models: refused by default, and of the right distributions where they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import torch
from torch.nn import functional

import graphweld as gw

X = torch.ones(3)
MANY = 20_000


def noisy(x):
    if x.sum() > 0:
        return x
    return x + torch.rand(3)


def test_they_are_refused_by_name() -> None:
    line = noisy.__code__.co_firstlineno + 3
    with pytest.raises(gw.GraphweldError, match=rf"GW140: .*random numbers of eager Python \(at {__file__}:{line}\)"):
        gw.export_onnx(noisy, (X,))  # on a path that draws none
    assert gw.export_onnx(noisy, (X,), verify=False)(X)[0].equal(X)


def run(program: Any, *args: Any) -> Any:
    model = gw.export_onnx(program, args, verify=False)
    first, second = model(*args), model(*args)
    assert not all(map(torch.equal, first, second))
    return second[0]


def test_each_trip_draws_anew() -> None:
    def f(x, n):
        for _ in range(int(n)):
            x = x + functional.dropout(torch.ones(64), 0.5) + torch.bernoulli(torch.full((64,), 0.5))
        return x

    assert run(f, torch.ones(64), torch.tensor(6)).unique().numel() > 5


@pytest.mark.parametrize(
    ("program", "mean", "std"),
    [
        (lambda x: functional.dropout(x, 0.25), 1.0, (1 / 3) ** 0.5),
        (lambda x: functional.alpha_dropout(x, 0.0) * torch.rand(MANY), 0.5, 12**-0.5),
        (lambda x: torch.bernoulli(x * 0.3), 0.3, 0.21**0.5),
        (lambda x: torch.empty(MANY).uniform_(2.0, 4.0), 3.0, 3**-0.5),
        (lambda x: torch.normal(2.0, 3.0, (MANY,)), 2.0, 3.0),
        (lambda x: torch.randint(3, 9, (MANY,)), 5.5, (35 / 12) ** 0.5),
        (lambda x: torch.multinomial(torch.tensor([0.25, 0.0, 0.75]), MANY, True), 1.5, 0.75**0.5),
        (lambda x: torch.multinomial(torch.tensor([[0.25, 0.0, 0.75]]).expand(MANY, 3), 1), 1.5, 0.75**0.5),
    ],
)
def test_distributions(program: Any, mean: float, std: float) -> None:
    found = run(program, torch.ones(MANY)).double()
    assert found.numel() == MANY
    assert found.mean().item() == pytest.approx(mean, abs=0.05 * std)
    assert found.std().item() == pytest.approx(std, rel=0.05)


def test_drawn_without_being_put_back() -> None:
    found = run(lambda x: torch.multinomial(torch.tensor([0.1, 0.2, 0.0, 0.7]).expand(200, 4), 3), X)
    assert all(row.unique().tolist() == [0, 1, 3] for row in found)
    assert (found[:, 0] == 3).double().mean().item() == pytest.approx(0.7, abs=0.15)


def test_no_draw_where_nothing_is_dropped() -> None:
    assert gw.export_onnx(torch.nn.Dropout(0.5).eval(), (X,))(X)[0].equal(X)
