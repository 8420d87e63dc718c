"""Whole algorithms in one ONNX file, run by ONNX Runtime and as plain Python on inputs that take other paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

import graphweld as gw  # noqa: E402
from tests.models import test_decoding as decoding  # noqa: E402
from tests.models import test_libraries as libraries  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


@pytest.mark.parametrize("make", decoding.LOOPS, ids=lambda make: make.__name__)
def test_a_greedy_decode_is_one_file(make: Callable[[], Any]) -> None:
    torch.manual_seed(0)
    with torch.no_grad():
        decode = make()
        end = decoding._end_token(decode)

        def run(ids: Any) -> Any:
            return decode(ids, end)

        first, *others = decoding.PROMPTS
        model = gw.export_onnx(run, (first,), verify=[(ids,) for ids in others])
    assert kinds(model) >= {"If", "Loop"}


@pytest.mark.parametrize("make", [libraries.viterbi, libraries.crf_likelihood, libraries.entmax_bisection])
def test_algorithms(make: Callable[[], Any]) -> None:
    torch.manual_seed(0)
    run, (first, *others) = make()
    gw.export_onnx(run, first, verify=others)


def test_an_adaptive_solver() -> None:
    _, solve = libraries._odeint("dopri5")
    start = torch.tensor([1.0, 0.5])
    with torch.no_grad():
        model = gw.export_onnx(solve, (start, torch.tensor([0.0, 1.0])), verify=[(start, torch.tensor([2.0, -1.0]))])
    assert "Loop" in kinds(model)


def kinds(model: Any) -> set[str]:
    """The kinds of nodes, at any depth."""
    return {node.op_type for graph in (model.model.graph, *model.model.graph.subgraphs()) for node in graph}
