"""Whole models of `transformers`, unchanged, in one graph and equal to eager on both sides of their branches."""

from __future__ import annotations

import contextlib
import logging
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.conformance import snapshot  # noqa: E402
from tests.conformance.harness import CountingBackend  # noqa: E402
from tests.models.builders import CASES, Case  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
CASE = pytest.mark.parametrize("case", list(CASES.values()), ids=list(CASES))


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@contextlib.contextmanager
def _logged() -> Any:
    handler, logger = _Log(), logging.getLogger("transformers.models")
    logger.addHandler(handler)
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)


def _run(model: Any, call: Any, kwargs: dict[str, Any]) -> tuple[Any, list[str]]:
    torch.manual_seed(7)
    with _logged() as lines:
        out = call(**kwargs)
    return snapshot.take(out=out, args=kwargs, buffers=dict(model.named_buffers())), lines


@CASE
def test_inputs_take_both_sides(case: Case) -> None:
    sides = [case.sides(case.make(), kwargs) for kwargs in case.inputs()]
    assert set(sides) == {True, False}


SLOW = {"encodec"}  # a minute or more
EVERYDAY = [(name, "eager") for name in CASES if name not in SLOW] + [("bart_float16", "aot_eager")]
ROWS = [
    pytest.param(case, backend, id=f"{backend}-{name}", marks=[] if (name, backend) in EVERYDAY else pytest.mark.slow)
    for name, case in CASES.items()
    for backend in ("eager", "aot_eager", "inductor")
]


@pytest.mark.parametrize(("case", "backend"), ROWS)
def test_one_graph_as_eager(case: Case, backend: str) -> None:
    import graphweld as gw

    eager, welded = case.make(), case.make()
    torch._dynamo.reset()
    counter = CountingBackend(backend)
    compiled = gw.compile(welded, backend=counter)
    try:
        # Plain Python rounds half precision after each operator; Inductor does if it is asked to.
        rounding = torch._inductor.config.patch(emulate_precision_casts=True)
        with torch.set_grad_enabled(case.train), rounding:
            for want_kwargs, got_kwargs in zip(case.inputs(), case.inputs(), strict=True):
                want, want_lines = _run(eager, eager, want_kwargs)
                got, got_lines = _run(welded, compiled, got_kwargs)
                close = {"rtol": 1e-4, "atol": 1e-5} if backend == "inductor" else {}  # sums in another order
                snapshot.compare(want, got, strides=backend == "eager", **close)
                assert want_lines == got_lines
    finally:
        torch._dynamo.reset()
    signatures = len({snapshot.signature([kwargs], state=[]) for kwargs in case.inputs()})
    assert counter.count == signatures


@CASE
def test_breaks_without_graphweld(case: Case) -> None:
    """Else the case would prove nothing."""
    torch._dynamo.reset()
    counter = CountingBackend("eager")
    with torch._dynamo.config.patch(capture_scalar_outputs=True), torch.set_grad_enabled(case.train):
        model = torch.compile(case.make(), backend=counter, fullgraph=True)
        with pytest.raises(torch._dynamo.exc.TorchDynamoException):
            model(**case.inputs()[0])
    torch._dynamo.reset()


def _loss(out: Any) -> Any:
    return sum(
        (v.float() / (v.detach().abs().max() + 1)).square().sum()
        for v in out.values()
        if isinstance(v, torch.Tensor) and v.requires_grad
    )


@pytest.mark.parametrize("name", ["detr", "visual_bert"])
def test_gradients_as_eager(name: str) -> None:
    import graphweld as gw

    case = CASES[name]
    eager, welded = case.make(), case.make()
    torch._dynamo.reset()
    compiled = gw.compile(welded, backend="aot_eager")
    try:
        for kwargs in case.inputs():
            grads = []
            for model, call in ((eager, eager), (welded, compiled)):
                model.zero_grad()
                torch.manual_seed(7)
                _loss(call(**kwargs)).backward()
                grads.append({k: None if p.grad is None else p.grad.clone() for k, p in model.named_parameters()})
            for key, want in grads[0].items():
                got = grads[1][key]
                if want is None or got is None:
                    assert all(v is None or not v.any() for v in (want, got)), key
                else:
                    torch.testing.assert_close(got, want, equal_nan=True, msg=lambda m, key=key: f"{key}: {m}")
    finally:
        torch._dynamo.reset()
