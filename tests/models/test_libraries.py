"""Libraries of algorithms, unchanged, in one graph and equal to eager on every input."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

import graphweld as gw  # noqa: E402
from tests.conformance import snapshot  # noqa: E402
from tests.conformance.harness import CountingBackend  # noqa: E402

MASKS = [torch.tensor(m, dtype=torch.bool) for m in ([[1, 1, 1, 1], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 1, 1, 1]])]


def _crf() -> Any:
    torch.manual_seed(0)
    return pytest.importorskip("torchcrf").CRF(5, batch_first=True)


def viterbi() -> tuple[Any, list[tuple[Any, ...]]]:
    crf = _crf()
    return crf.decode, [(torch.randn(2, 4, 5), mask) for mask in MASKS]


def crf_likelihood() -> tuple[Any, list[tuple[Any, ...]]]:
    crf, tags = _crf(), torch.randint(0, 5, (2, 4))
    return lambda scores, mask: crf(scores, tags, mask), [(torch.randn(2, 4, 5), mask) for mask in MASKS]


def entmax_bisection() -> tuple[Any, list[tuple[Any, ...]]]:
    entmax = pytest.importorskip("entmax")
    return lambda x: entmax.entmax_bisect(x, alpha=1.5), [(torch.randn(3, 6),), (torch.randn(3, 6) * 5,)]


def sparsemax() -> tuple[Any, list[tuple[Any, ...]]]:
    entmax = pytest.importorskip("entmax")
    return lambda x: entmax.sparsemax(x, dim=-1), [(torch.randn(3, 6),), (torch.randn(3, 6) * 5,)]


class Field(torch.nn.Module):
    """A small vector field."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(2, 4), torch.nn.Linear(4, 2)

    def forward(self, t: Any, y: Any) -> Any:
        return self.outer(torch.tanh(self.inner(y))) * torch.cos(5 * t)


def _odeint(method: str) -> tuple[Any, Any]:
    torchdiffeq = pytest.importorskip("torchdiffeq")
    torch.manual_seed(0)
    field = Field()
    return field, lambda y, t: torchdiffeq.odeint(field, y, t, method=method, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "method", ["bosh3", *(pytest.param(m, marks=pytest.mark.slow) for m in ("dopri5", "adaptive_heun"))]
)
@pytest.mark.parametrize("backend", ["eager", pytest.param("aot_eager", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore")
def test_adaptive_steps(method: str, backend: str) -> None:
    """Forwards and backwards in time, a few steps and many: values and gradients."""
    torch._dynamo.reset()
    field, solve = _odeint(method)
    counter = CountingBackend(backend)
    compiled = gw.compile(solve, backend=counter)
    for times in ([0.0, 1.0], [2.0, -1.0]):
        found = []
        for fn in (solve, compiled):
            field.zero_grad()
            y, t = torch.tensor([1.0, 0.5], requires_grad=True), torch.tensor(times, requires_grad=True)
            out = fn(y, t)
            out.square().sum().backward()
            found.append([out.detach(), y.grad, t.grad, *(p.grad for p in field.parameters())])
        torch.testing.assert_close(found[1], found[0])
    assert len(counter.graphs) == 1


@pytest.mark.parametrize("make", [viterbi, crf_likelihood, entmax_bisection, sparsemax], ids=lambda make: make.__name__)
@pytest.mark.filterwarnings("ignore")
def test_one_graph(make: Any) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    fn, inputs = make()
    counter = CountingBackend("eager")
    compiled = gw.compile(fn, backend=counter)
    for args in inputs:
        snapshot.compare(snapshot.take(out=fn(*args)), snapshot.take(out=compiled(*args)))
    assert len(counter.graphs) == 1
