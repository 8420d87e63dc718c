"""The greatest, the least and orders in ONNX models, of elements among which there is a NaN."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import torch

import graphweld as gw

NAN, INF = float("nan"), float("inf")
ROWS = [
    [3.0, NAN, 1.0, INF, NAN, -INF, 3.0, 2.0],
    [3.0, 3.0, INF, -INF, -INF, INF, 0.0, 2.0],
    [0.0] * 8,
    [-INF] * 8,
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x.max(), x.min(), x.argmax(), x.argmin(), x.argmax(1, keepdim=True)),
        lambda x: (*x.max(1), *x.min(1, keepdim=True), *x.max(0)),
        lambda x: (x.amax(0), x.amin((0, 1)), x.amax((0, 1), keepdim=True), x.logsumexp(1), x.logsumexp(0, True)),
        lambda x: (*x.sort(1), *x.sort(dim=1, stable=True), *x.sort(dim=1, stable=True, descending=True)),
        lambda x: (x[0, 0].max(), x[0, 0].argmax(), x[0, 0].logsumexp(0), x.int().amax(1), x[x > 0].max()),
    ],
)
def test_as_eager(program: Any, dtype: torch.dtype) -> None:
    x = torch.tensor(ROWS, dtype=dtype)
    rows = [(x,), (x.flip(1),), (x[[1, 1, 2, 3]],), (-x,)]
    gw.export_onnx(program, (torch.arange(32, dtype=dtype).reshape(4, 8),), verify=rows)


def test_a_branch_on_the_greatest_goes_the_way_of_python() -> None:
    def f(x):
        return x * 2 if x.max() > 2 else x - 1

    gw.export_onnx(f, (torch.ones(3),), verify=[(torch.tensor([3.0, NAN, 1.0]),), (torch.tensor([3.0, 0.0, 1.0]),)])
