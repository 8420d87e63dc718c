"""A compiled program over its life: in several threads, reset, retrained, monkeypatched, its flags changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import graphweld as gw  # noqa: E402

from .harness import CountingBackend  # noqa: E402

UP, DOWN = torch.ones(3), -torch.ones(3)


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _steered(k: int) -> Any:
    def program(x: torch.Tensor) -> Any:
        if x.sum() > 0:
            return x * k
        n = 0
        while x.abs().sum() > 1:
            x, n = x / 2, n + 1
        return x - k, n

    return program


def test_threads_compile_and_call_at_once() -> None:
    backends = [CountingBackend("eager") for _ in range(4)]
    compiled = [gw.compile(_steered(k), backend=backend) for k, backend in enumerate(backends)]

    def work(i: int) -> bool:
        k, x = i % 4, (UP if i % 3 else DOWN) * (i + 1)
        want, got = _steered(k)(x), compiled[k](x)
        torch.testing.assert_close(got, want)
        return type(got) is type(want)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))
        made = [backend.count for backend in backends]  # threads that come while torch compiles do so, too
        assert all(pool.map(work, range(64)))
    assert [backend.count for backend in backends] == made


def test_reset_compiles_again() -> None:
    backend = CountingBackend("eager")
    compiled = gw.compile(_steered(3), backend=backend)
    for graphs in (1, 2):
        for x in (UP, DOWN):
            torch.testing.assert_close(compiled(x), _steered(3)(x))
        assert backend.count == graphs
        torch.compiler.reset()


def test_a_flag_that_changes_compiles_again_and_stays_right() -> None:
    class Net(torch.nn.Module):
        flag = True

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.sum() > 0 and self.flag:
                return x + 1
            return x * 2 if self.training else x

    net, backend = Net(), CountingBackend("eager")
    compiled = gw.compile(net, backend=backend)
    for training in (True, False):
        for flag in (True, False):
            net.train(training)
            net.flag = flag
            for x in (UP, DOWN):
                torch.testing.assert_close(compiled(x), net.forward(x))
    assert backend.count == 4


def test_a_helper_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = gw.compile(_calls_helper, backend="eager")
    torch.testing.assert_close(compiled(UP), UP + 1)
    monkeypatch.setattr(f"{__name__}._helper", lambda x: x * 5 if x.sum() > 0 else x * 6)
    torch.testing.assert_close(compiled(UP), UP * 5)
    torch.testing.assert_close(compiled(DOWN), DOWN * 6)


def _helper(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x + 1
    return x - 1


def _calls_helper(x: torch.Tensor) -> torch.Tensor:
    return _helper(x)


def test_one_program_in_two_backends() -> None:
    first, second = CountingBackend("eager"), CountingBackend("aot_eager")
    for backend in (first, second):
        compiled = gw.compile(_steered(2), backend=backend)
        for x in (UP, DOWN):
            torch.testing.assert_close(compiled(x), _steered(2)(x))
    assert (first.count, second.count) == (1, 1)


def test_a_kept_int_that_passes_64_bits() -> None:
    class Growing(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = 2**40

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.sum() > 0:
                x = x + 1
            if self.scale > 2**50:
                x = x * 3
            self.scale *= 2**12
            return x

    module, plain, backend = Growing(), Growing(), CountingBackend("eager")
    compiled = gw.compile(module, backend=backend)
    for x in (UP, DOWN, UP, DOWN):
        torch.testing.assert_close(compiled(x), plain(x))
        assert module.scale == plain.scale
    assert backend.count == 3  # one for each value that no input holds
