"""Each code has a program that gives it: the refusal is real, and its place is the user's line."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from typing import Any

import pytest
import torch

import graphweld as gw
from graphweld.diagnostics.codes import CODES

X = torch.ones(3)

# Codes that nothing gives yet, and why.
NOT_YET = {"GW111": "loops that tensor values steer come with a later change"}


def source_unavailable(x):
    namespace: dict[str, Any] = {}
    exec("def pick(x): return x if x.sum() > 0 else -x", namespace)
    return namespace["pick"](x)


def unsupported_syntax(x):
    def halves():
        if x.sum() > 0:
            yield x / 2
        yield x

    return list(halves())


def branches_disagree(x):
    if x.sum() > 0:
        y = x
    else:
        y = torch.zeros(3, device="meta")
    return y * 2


def maybe_unbound(x):
    if x.sum() > 0:
        y = x * 2
    return y + 1


def type_depends_on_data(x):
    mask = None
    if x.sum() > 0:
        mask = x > 0
    return x * mask


class Recorder:
    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, x):
        if x.sum() > 0:
            self.seen.add("positive")
        return x


class Refused(ValueError):
    def __init__(self, value: torch.Tensor) -> None:
        super().__init__(f"not {value.sum().item()}")


def region_raises(x):
    if x.sum() > 0:
        raise Refused(x)
    return x * 2


@torch.compiler.disable
def untraceable(x):
    return x + 1


def region_breaks(x):
    if x.sum() > 0:
        x = untraceable(x)
    return x


def loop_not_welded(x):
    n = int(x.sum().item())
    for i in range(n):
        x = x + i
    return x


def torch_break(x):
    return untraceable(x * 2)


# Code, program, and the text of the line that the finding must point at (None where there is no line to point at).
REPROS: dict[str, tuple[Callable[..., Any], str | None]] = {
    "GW001": (source_unavailable, None),
    "GW002": (unsupported_syntax, "if x.sum() > 0:"),
    "GW101": (branches_disagree, "if x.sum() > 0:"),
    "GW102": (maybe_unbound, "return y + 1"),
    "GW103": (type_depends_on_data, "return x * mask"),
    "GW104": (Recorder(), 'self.seen.add("positive")'),
    "GW105": (region_raises, "raise Refused(x)"),
    "GW106": (region_breaks, "x = untraceable(x)"),
    "GW110": (loop_not_welded, "for i in range(n):"),
    "GW120": (torch_break, "return untraceable(x * 2)"),
}


@pytest.mark.parametrize("code", REPROS)
def test_the_program_gives_the_code(code: str) -> None:
    program, line = REPROS[code]
    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(program, backend="eager")(X)
    findings = [finding for finding in error.value.diagnostics if finding.code == code]
    assert findings, str(error.value)
    if line is not None:
        span = findings[0].span
        assert span is not None
        assert span.file == inspect.getfile(branches_disagree)
        assert linecache.getline(span.file, span.line).strip() == line


def test_wrong_usage_is_gw003() -> None:
    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(3)
    assert [finding.code for finding in error.value.diagnostics] == ["GW003"]


def test_unsupported_torch_is_gw130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.12.0")
    with pytest.raises(gw.GraphweldError) as error:
        gw.compile(torch_break)
    assert [finding.code for finding in error.value.diagnostics] == ["GW130"]


def test_every_code_has_a_repro() -> None:
    assert set(REPROS) | {"GW003", "GW130"} | set(NOT_YET) == set(CODES)
