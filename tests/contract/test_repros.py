"""Each code has a program that gives it: the refusal is real, and its place is the user's line."""

from __future__ import annotations

import inspect
import linecache
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import graphweld as gw
from graphweld.diagnostics.codes import CODES

X = torch.ones(3)

NAMESPACE: dict[str, Any] = {}
exec("def pick(x): return x if x.sum() > 0 else -x", NAMESPACE)


def source_unavailable(x):
    return NAMESPACE["pick"](x)


def unsupported_syntax(x):
    y = x + 1 if x.sum() > 0 else x
    return y, sorted(locals())


def branches_disagree(x):
    if x.sum() > 0:
        rows = iter([x * 2, x])
    else:
        rows = iter([x])
    return next(rows)


TOTAL = torch.ones(3, requires_grad=True) * 1


def maybe_unbound(x):
    TOTAL.add_(x)
    if x.sum() > 0:
        y = x * 2
    return y + 1


def type_depends_on_data(x):
    y = (x, x) if x.sum() > 0 else x
    if isinstance(y, tuple):
        return y[0]
    return y


def region_mutates(x):
    steps = deque([x * 2, x])
    while x.sum() > 0:
        x = x - steps.pop()
    return x


def checked(x):
    if x.sum() > 0:
        raise ValueError("positive")
    return x


def region_raises(x):
    TOTAL.add_(x)
    return checked(x)


@torch.compiler.disable
def untraceable(x):
    return x + 1


def region_breaks(x):
    if x.sum() > 0:
        x = untraceable(x)
    return x


def carry_changes(x):
    rows = None
    for i in range(int(x.sum())):
        rows = iter([x, x + i])
    return rows


def loop_not_welded(x):
    def deeper(v, k):
        if k <= 0:
            return v
        return v + deeper(v * 2, k - 1)

    return deeper(x, x.sum())


def list_length_depends_on_data(x):
    out = [x]
    for i in range(int(x.sum())):
        out[len(out) :] = [x * i]
    return torch.stack(out)


def torch_break(x):
    return untraceable(x * 2)


# Code, program, and the line that the finding must point at (empty where there is no line to point at).
REPROS: dict[str, tuple[Callable[..., Any], str]] = {
    "GW001": (source_unavailable, ""),
    "GW002": (unsupported_syntax, "return y, sorted(locals())"),
    "GW101": (branches_disagree, "if x.sum() > 0:"),
    "GW102": (maybe_unbound, "return y + 1"),
    "GW103": (type_depends_on_data, "if isinstance(y, tuple):"),
    "GW104": (region_mutates, "while x.sum() > 0:"),
    "GW105": (region_raises, "if x.sum() > 0:"),
    "GW106": (region_breaks, "x = untraceable(x)"),
    "GW110": (loop_not_welded, "if k <= 0:"),
    "GW111": (carry_changes, "for i in range(int(x.sum())):"),
    "GW112": (list_length_depends_on_data, "out[len(out) :] = [x * i]"),
    "GW120": (torch_break, "return untraceable(x * 2)"),
}


@pytest.mark.parametrize("code", REPROS)
def test_the_program_gives_the_code(code: str) -> None:
    program, line = REPROS[code]
    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(program, backend="eager")(X.clone())
    findings = [finding for finding in error.value.diagnostics if finding.code == code]
    assert findings, str(error.value)
    if line:
        span = findings[0].span
        assert span is not None
        assert span.file == inspect.getfile(branches_disagree)
        assert linecache.getline(span.file, span.line).strip() == line


def test_a_backend_that_fails_is_gw121() -> None:
    def backend(graph: Any, inputs: Any) -> Any:
        raise NotImplementedError("no such operator here")

    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(lambda x: x + 1, backend=backend)(X.clone())
    assert [finding.code for finding in error.value.diagnostics] == ["GW121"]
    assert "no such operator here" in str(error.value)


def test_wrong_usage_is_gw003() -> None:
    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(3)
    assert [finding.code for finding in error.value.diagnostics] == ["GW003"]


def test_unsupported_torch_is_gw130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.12.0")
    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(torch_break)
    assert [finding.code for finding in error.value.diagnostics] == ["GW130"]


CHECKED = {
    "GW201": "if x.sum() > 0: x = -x",
    "GW202": "while x.sum() > 0: x = x - 1",
    "GW203": "n = x.item()",
    "GW204": "x = x[x > 0]",
    "GW205": "breakpoint()",
}


@pytest.mark.parametrize("code", CHECKED)
def test_the_static_check_gives_the_code(code: str, tmp_path: Path) -> None:
    text = f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    {CHECKED[code]}\n    return x\n"
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    (finding,) = gw.check(tmp_path)
    assert finding.code == code
    assert finding.span is not None
    assert finding.span.line == 6


EXPORTS: dict[str, Callable[[], object]] = {
    "GW140": lambda: gw.export(lambda x: print(x), (X,)),
    "GW141": lambda: gw.export(lambda x: x + torch.ones(3), (X,), dynamic_shapes=({0: torch.export.Dim("n")},)),
    "GW142": lambda: gw.export_onnx(lambda x: x.half() * 60000 / 60000 * 2, (X * 9,)),
}


@pytest.mark.parametrize("code", EXPORTS)
def test_the_export_gives_the_code(code: str) -> None:
    with pytest.raises(gw.GraphweldError) as error:
        EXPORTS[code]()
    assert [finding.code for finding in error.value.diagnostics] == [code]


def test_every_code_has_a_repro() -> None:
    assert set(REPROS) | set(CHECKED) | set(EXPORTS) | {"GW003", "GW121", "GW130"} == set(CODES)
