"""`graphweld demo`: that its programs and inputs are what they are said to be, and what is told of each outcome."""

from __future__ import annotations

import dataclasses
import inspect
import io
from typing import Any

import pytest

from tests.unit.report.samples import NOTHING_BREAKS, REFUSED, WELDED

pytestmark = pytest.mark.needs_torch


def test_the_programs_stand_as_the_article_wrote_them() -> None:
    from graphweld.cli import demo_programs

    source = inspect.getsource(demo_programs)
    for line in (
        "if x.sum().item() > 0:",
        "if x.sum() > 0:",
        "n = int(x.sum().item())",
        "for i in range(n):",
        "for i in range(10):",
        "if x[i].item() < 0:",
        "return torch.stack(ys)",
    ):
        assert line in source


def test_inputs_take_each_way() -> None:
    from graphweld.cli.demo import _programs

    on_item, on_tensor, count, stop, stack = _programs()
    for case in (on_item, on_tensor):
        assert [case.fn(**kwargs)[0, 0].item() for kwargs in case.inputs] == [2.0, -2.0]
    assert [case_sum(count, kwargs) for kwargs in count.inputs] == [3.0 + 2 * (0 + 1 + 2), 0.0]
    ended, broke_off = (case_sum(stop, kwargs) for kwargs in stop.inputs)
    assert ended == 45 + 10 * 45
    assert broke_off == 15, "its first element is negative: it stops before the first addition"
    assert stack.fn(**stack.inputs[0]).shape == (3, 3)


def case_sum(case: Any, kwargs: Any) -> float:
    return case.fn(**kwargs).sum().item()


def test_one_of_two_inputs_overflows_in_bart() -> None:
    import torch

    from graphweld.cli.demo import _bart

    case = _bart()
    assert case is not None
    norm = case.fn.encoder.layers[-1].final_layer_norm  # type: ignore[attr-defined]
    finite: list[bool] = []
    norm.register_forward_hook(lambda _module, _args, out: finite.append(bool(torch.isfinite(out).all())))
    for kwargs in case.inputs:
        result = case.fn(**kwargs).last_hidden_state
        assert result.dtype == torch.float16
        assert torch.isfinite(result).all(), "the clamp did its work"
    assert finite == [False, True]


@pytest.mark.parametrize(
    ("report", "difference", "words"),
    [
        (WELDED, None, "welded (If); 2 inputs as in eager, from 1 graph"),
        (NOTHING_BREAKS, None, "does not break on this torch; 2 inputs as in eager"),
        (REFUSED, None, "not welded (GW110); left to torch, 2 inputs as in eager"),
        (WELDED, "input 1: 1, eager has 2", "WRONG: input 1: 1, eager has 2"),
    ],
)
def test_what_is_told(monkeypatch: pytest.MonkeyPatch, report: Any, difference: str | None, words: str) -> None:
    from rich.console import Console

    from graphweld.cli import demo

    monkeypatch.setattr(demo, "_run", lambda _: demo.Outcome(report, 1, difference))
    console = Console(file=io.StringIO(), width=120)
    demo._show(console, dataclasses.replace(demo._programs()[0], title="(z) a program"))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert words in shown
    assert "(z) a program" in shown
