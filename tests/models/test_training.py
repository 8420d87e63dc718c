"""Several optimizer steps through a welded module equal the eager ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from tests.conformance.harness import CountingBackend  # noqa: E402


class Net(nn.Module):
    """Which layer runs depends on the batch; dropout on one side; a guard on the loss."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.wide, self.narrow = nn.Linear(8, 8), nn.Linear(8, 8)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(8, 1)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = torch.tanh(self.first(x))
        if x.mean() > 0:
            h = self.drop(torch.relu(self.wide(h)))
        else:
            h = torch.relu(self.narrow(h)) + h
        prediction = self.head(h)
        loss = ((prediction - y) ** 2).mean()
        if loss > 1:
            loss = loss.sqrt()
        return loss, prediction


OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01),
}


def _train(
    compile_: Callable[[nn.Module], Any], optimizer: Callable[[Any], torch.optim.Optimizer], steps: int
) -> tuple[list[float], dict[str, torch.Tensor]]:
    torch.manual_seed(0)
    net = Net().train()
    step_fn = compile_(net)
    opt = optimizer(net.parameters())
    losses = []
    for step in range(steps):
        g = torch.Generator().manual_seed(step)
        x = torch.randn(16, 4, generator=g) + (1 if step % 3 else -1)
        y = x.sum(1, keepdim=True) * (3 if step % 2 else 0.2)
        torch.manual_seed(100 + step)
        loss, _ = step_fn(x, y)
        opt.zero_grad(set_to_none=False)  # a graph gives zeros where eager's untaken side gives None
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses, {k: v.detach().clone() for k, v in net.state_dict().items()}


@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_optimizer_steps_as_eager(backend: str, optimizer: str) -> None:
    import graphweld as gw

    counter = CountingBackend(backend)
    torch._dynamo.reset()
    try:
        want_losses, want = _train(lambda net: net, _with_zeros(OPTIMIZERS[optimizer]), 8)
        got_losses, got = _train(lambda net: gw.compile(net, backend=counter), _with_zeros(OPTIMIZERS[optimizer]), 8)
    finally:
        torch._dynamo.reset()
    assert got_losses == pytest.approx(want_losses, rel=1e-4)
    for key, value in want.items():
        torch.testing.assert_close(got[key], value, rtol=1e-4, atol=1e-5, msg=lambda m, key=key: f"{key}: {m}")
    assert counter.count == 1


def _with_zeros(make: Callable[[Any], torch.optim.Optimizer]) -> Callable[[Any], torch.optim.Optimizer]:
    """Start with gradients of zero, so that a parameter of the untaken side is treated alike in both runs."""

    def made(parameters: Any) -> torch.optim.Optimizer:
        parameters = list(parameters)
        for p in parameters:
            p.grad = torch.zeros_like(p)
        return make(parameters)

    return made


def test_train_and_eval_modes() -> None:
    """Changing the mode recompiles and stays right."""
    import graphweld as gw

    torch._dynamo.reset()
    torch.manual_seed(0)
    net = Net()
    compiled = gw.compile(net, backend="eager")
    x, y = torch.ones(3, 4), torch.zeros(3, 1)
    try:
        for training in (True, False, True):
            net.train(training)
            for sign in (1, -1):
                torch.manual_seed(5)
                want = net.forward(x * sign, y)
                torch.manual_seed(5)
                got = compiled(x * sign, y)
                torch.testing.assert_close(got, want)
    finally:
        torch._dynamo.reset()
