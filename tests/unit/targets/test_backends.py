"""Backends that are functions, and programs that break: what graphweld relies on elsewhere does not hold there."""

import pytest

torch = pytest.importorskip("torch")

import graphweld as gw  # noqa: E402


def shrinks(x, w):
    h = x * w
    while h.norm() > 1:
        h = h * w.sigmoid()
    return h + x


@pytest.mark.filterwarnings("ignore")
def test_inductor_called_by_a_function_reuses_no_memory_of_a_region() -> None:
    inductor = torch._dynamo.lookup_backend("inductor")
    torch._dynamo.reset()
    compiled = gw.compile(shrinks, backend=lambda module, inputs: inductor(module, inputs))
    inputs = [(torch.arange(1, 9) / 4).requires_grad_(), (torch.arange(1, 9) / 8).requires_grad_()]
    want = torch.autograd.grad(shrinks(*inputs).square().sum(), inputs)
    got = torch.autograd.grad(compiled(*inputs).square().sum(), inputs)
    torch.testing.assert_close(got, want)


LOG: list[int] = []


def refuses_positive(x):
    if x.sum() > 0:
        raise ValueError("positive")
    return x * 2


def breaks_before(x):
    x.add_(1)
    LOG.append(1)
    torch._dynamo.graph_break()
    return refuses_positive(x)


@pytest.mark.parametrize("start", [-5.0, 1.0])
def test_a_raise_behind_a_break_repeats_nothing(start: float) -> None:
    torch._dynamo.reset()
    compiled = gw.compile(breaks_before, backend="eager", fullgraph=False)
    seen = []
    for call in (breaks_before, compiled):
        LOG.clear()
        x = torch.full((2,), start)
        try:
            result = call(x).tolist()
        except ValueError as error:
            result = repr(error)
        seen.append((result, x.tolist(), len(LOG)))
    assert seen[0] == seen[1]
