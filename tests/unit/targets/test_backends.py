"""Backends that are functions: what they make of a welded graph is right, whatever they call."""

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
