"""Buffers that a program changes, in an ONNX model: inputs that have defaults, and outputs."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnxruntime as ort
import torch

import graphweld as gw

X = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))


class Normalized(torch.nn.Module):
    calls: torch.Tensor
    last: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        if x.sum() > 0:
            self.calls.add_(1)
        self.last.copy_(x[0])
        return self.norm(x) * self.calls

    def counted(self, x):
        self.calls = self.calls * 2 + 1 if x.sum() > 0 else self.calls + 3
        return self.calls


def fed(model: torch.onnx.ONNXProgram, state: dict[str, Any], x: torch.Tensor) -> dict[str, Any]:
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(model.model_proto.SerializeToString(), options)
    return dict(
        zip(
            [o.name for o in session.get_outputs()],
            session.run(None, {session.get_inputs()[0].name: x.numpy(), **state}),
            strict=True,
        )
    )


@pytest.mark.parametrize("way", ["module", "method", "function"])
def test_what_comes_out_goes_back_in(way: str) -> None:
    net = Normalized()
    target = {"module": net, "method": net.forward, "function": lambda x: net(x)}[way]
    before = {name: value.clone() for name, value in net.state_dict().items()}
    model = gw.export_onnx(target, (X,), verify=[(-X,)])
    assert all(value.equal(before[name]) for name, value in net.state_dict().items())
    names = ["calls", "last", "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"]
    names = [f"net.{name}" if way == "function" else name for name in names]
    assert sorted(v.name for v in model.model.graph.inputs) == sorted(["x", *names])
    session = ort.InferenceSession(model.model_proto.SerializeToString())
    assert [v.name for v in session.get_inputs()] == ["x"]
    state: dict[str, Any] = {}
    for k in range(4):
        x = X * (k - 1) + k
        found = fed(model, state, x)
        state = {name: found[f"{name}_after"] for name in names}
        torch.testing.assert_close(torch.from_numpy(next(iter(found.values()))), net(x))
    for name in names:
        torch.testing.assert_close(torch.from_numpy(state[name]), net.state_dict()[name.removeprefix("net.")])


def test_who_gives_nothing_starts_anew() -> None:
    net = Normalized()
    with torch.no_grad():
        net.calls.fill_(7)
    model = gw.export_onnx(net.counted, (X.abs(),))
    net.counted(X.abs())  # the model has what was there when it was made
    for _ in range(2):
        assert fed(model, {}, X.abs()) == {"calls_after": 15} | dict.fromkeys(fed(model, {}, X.abs()), 15)


def test_a_parameter_that_changes() -> None:
    layer = torch.nn.Linear(3, 3)

    def f(x):
        layer.bias.data.add_(1)
        return layer(x)

    model = gw.export_onnx(f, (X,), verify=[(-X,)])
    found = fed(model, {}, X)
    torch.testing.assert_close(torch.from_numpy(found["layer.bias_after"]), layer.bias.detach() + 1)


@pytest.mark.parametrize("layer", [torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3, momentum=0.3, affine=False)])
def test_statistics_of_a_batch(layer: torch.nn.Module) -> None:
    model = gw.export_onnx(layer, (X,), verify=[(X * 3 + 1,)])
    found = fed(model, {}, X * 5)
    torch.testing.assert_close(torch.from_numpy(next(iter(found.values()))), layer(X * 5), rtol=1e-4, atol=1e-5)
    for name, value in layer.named_buffers():
        torch.testing.assert_close(torch.from_numpy(found[f"{name}_after"]), value)
