"""Results that are of another kind on each path: optional values and text of ONNX."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnxruntime as ort
import torch

import graphweld as gw

X = torch.tensor([1.0, -2.0, 3.0])
CALLS = [(X * k,) for k in (1, -1, 0, 9)]


def none_or_tensor(x):
    return None if x.sum() > 0 else x * 2


def number_or_none(x):
    if x.sum() > 10:
        return {"best": None}
    return {"best": int(x.argmax()) if x.sum() > 0 else 7}


def labels(x):
    if x.sum() > 10:
        return "large", x
    return ("small" if x.sum() > 0 else "zähe"), x + 1


def text_or_none(x):
    return [None, x] if x.sum() > 10 else ["low" if x.sum() > 0 else "", x]


def two_ranks(x):
    return x[0] if x.sum() > 0 else x * 2


def always_the_same(x):
    return "done", x if x.sum() > 0 else x + 1


def none_or_raise(x):
    if x.sum() > 10:
        return None
    if x.sum() < 0:
        raise ValueError("negative")
    return x


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        (none_or_tensor, ["optional(tensor(float))"]),
        (number_or_none, ["optional(tensor(int64))"]),
        (labels, ["tensor(string)", "tensor(float)"]),
        (text_or_none, ["optional(tensor(string))", "tensor(float)"]),
        (two_ranks, ["optional(tensor(float))"]),
        (always_the_same, ["tensor(string)", "tensor(float)"]),
        (none_or_raise, ["optional(tensor(float))"]),
    ],
)
def test_it_is_what_python_gives(program: Any, kinds: list[str]) -> None:
    model = gw.export_onnx(program, CALLS[0], verify=CALLS)  # which compares
    session = ort.InferenceSession(model.model_proto.SerializeToString())
    assert [output.type for output in session.get_outputs()] == kinds


def test_what_the_runtime_gives() -> None:
    model = gw.export_onnx(number_or_none, CALLS[0])
    session = ort.InferenceSession(model.model_proto.SerializeToString())
    assert [session.run(["best"], {"x": x.numpy()})[0] for (x,) in CALLS] == [2, 7, 7, None]


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x if x.sum() > 0 else x.double(),
        lambda x: 1 if x.sum() > 0 else "no",
        lambda x: x if x.sum() > 0 else (x, x),
    ],
)
def test_others_are_refused(program: Any) -> None:
    with pytest.raises(gw.GraphweldError, match="GW140"):
        gw.export_onnx(program, (X,))


def test_an_exported_program_has_none() -> None:
    for program in (none_or_tensor, labels, two_ranks):
        with pytest.raises(gw.GraphweldError, match="GW140"):
            gw.export(program, (X,))


def test_other_containers_on_other_calls_are_told() -> None:
    def f(x):
        return {"a": x} if torch.compiler.is_compiling() else {"b": x}

    with pytest.raises(gw.GraphweldError, match="GW142"):
        gw.export_onnx(f, (X,))
