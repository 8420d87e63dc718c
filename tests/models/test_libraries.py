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
