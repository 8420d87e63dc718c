"""`graphweld.testing`: that it passes what is right, and says what is wrong."""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Any

import pytest
import torch

from graphweld import testing
from graphweld.diagnostics import GraphBreakError, UsageError
from graphweld.testing import assert_whole, difference

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


ones = torch.ones(2)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        math.nan,
        "a",
        b"a",
        torch.float32,
        {1, 2},
        ones,
        torch.tensor(math.nan),
        torch.zeros(0, 3),
        [1, (2.0, {"k": ones})],
        Point(ones, 2),
        Pair(ones, [1]),
        Plain([ones]),
        len,
    ],
)
def test_a_value_is_as_itself(value: Any) -> None:
    assert difference(value, value) is None


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        (1, True, "int 1, eager has bool True"),
        (1.0, 1, "float 1.0, eager has int 1"),
        (torch.tensor(1), 1, "a Tensor of shape (), eager has int 1"),
        (1, None, "int 1, eager has NoneType None"),
        ("a", "b", "'a', eager has 'b'"),
        (1.0, 2.0, "1.0, eager has 2.0"),
        (ones, ones.double(), "dtype torch.float32, eager has torch.float64"),
        (ones, torch.ones(3), "shape (2,), eager has (3,)"),
        (ones, ones.clone().requires_grad_(), "requires_grad False, eager has True"),
        (torch.ones(2, 3), torch.ones(3, 2).t(), "strides (3, 1), eager has (1, 2)"),
        (ones, ones + 1, "Tensor-likes are not close!"),
        ([1], (1,), "list [1], eager has tuple (1,)"),
        ([1], [1, 2], "1 parts ([0]), eager has 2 parts ([0], [1])"),
        ({"a": [1]}, {"a": [2]}, "at ['a'][0]: 1, eager has 2"),
        (Point(1, 2), Point(1, 3), "at [1]: 2, eager has 3"),
        (Pair(1, 2), Pair(1, 3), "at .right: 2, eager has 3"),
        (Plain(1), Plain(2), "at .value: 1, eager has 2"),
        ({1}, {2}, "{1}, eager has {2}"),
    ],
)
def test_what_differs_is_said(actual: Any, expected: Any, words: str) -> None:
    found = difference(actual, expected)
    assert found is not None
    assert found.startswith(words)


def test_strides_that_nobody_can_see_do_not_matter() -> None:
    assert difference(torch.ones(1, 3), torch.ones(3, 1).t()) is None


def branch(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x + 1
    return x - 1


POSITIVE, NEGATIVE = torch.ones(3), -torch.ones(3)


def test_a_branch_is_whole() -> None:
    assert_whole(branch, [POSITIVE, NEGATIVE])
    assert_whole(branch, [(POSITIVE,), (NEGATIVE,)], grad=True)


class Counter(torch.nn.Module):
    """A module with a parameter, and a buffer that each call changes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return self.layer(x) if x.sum() > 0 else x * self.calls


def test_a_module_is_compared_with_its_state_and_left_as_it_was() -> None:
    module = Counter()
    assert_whole(module, [POSITIVE, NEGATIVE, NEGATIVE], grad=True)
    assert module.calls == 0
    assert module.layer.weight.grad is None


def test_a_method_is_compared_with_the_state_of_its_module() -> None:
    module = Counter()
    assert_whole(module.forward, [POSITIVE, NEGATIVE])
    assert module.calls == 0


def test_arguments_that_are_changed_are_compared() -> None:
    def add_one(x: torch.Tensor, seen: list[int]) -> None:
        x.add_(1)
        seen.append(1)

    x, seen = torch.zeros(2), []
    assert_whole(add_one, [(x, seen)])
    assert x.tolist() == [0.0, 0.0]
    assert seen == []


def test_the_inputs_are_not_changed_by_gradients() -> None:
    x = torch.ones(3)
    assert_whole(branch, [x], grad=True)
    assert x.grad is None
    assert not x.requires_grad


def test_random_numbers_are_the_same_in_both_runs() -> None:
    before = torch.get_rng_state()
    assert_whole(torch.nn.functional.dropout, [torch.ones(100)])
    assert torch.equal(torch.get_rng_state(), before)


def test_the_same_exception_is_no_difference() -> None:
    def fail(x: torch.Tensor) -> torch.Tensor:
        raise ValueError(f"no {x.shape[0]}")

    assert_whole(fail, [torch.ones(3)])


def wrong_by(change: Any) -> Any:
    """A stand-in for gw.compile that gets something wrong."""

    def compile(fn: Any, backend: Any) -> Any:  # noqa: A001
        compiled = torch.compile(fn, backend=backend)
        return lambda *args: change(compiled(*args), args)

    return compile


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda result, _: result + 1, r"inputs\[0\]: results differ from eager: Tensor-likes are not close"),
        (lambda result, _: result.double(), r"inputs\[0\]: results differ from eager: dtype"),
        (lambda result, args: (args[0].add_(1) and None) or result, r"inputs\[0\]: arguments after the call differ"),
    ],
)
def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch, change: Any, words: str) -> None:
    monkeypatch.setattr(testing.api, "compile", wrong_by(change))
    with pytest.raises(AssertionError, match=words):
        assert_whole(lambda x: x * 2, [torch.ones(1)])


def test_a_wrong_gradient_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing.api, "compile", wrong_by(lambda result, _: result.detach() * 2 - result))
    with pytest.raises(AssertionError, match=r"gradients of the arguments differ from eager: at \[0\]"):
        assert_whole(lambda x: x * 2, [torch.ones(1)], grad=True)


def test_a_graph_per_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing.api, "compile", wrong_by(lambda result, _: result))
    with pytest.raises(AssertionError, match="3 graphs for 1 kinds of inputs"):
        assert_whole(branch, [POSITIVE, NEGATIVE])


@torch.compiler.disable
def untraceable(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def test_what_cannot_be_one_graph_is_an_error_with_its_place() -> None:
    with pytest.raises(GraphBreakError) as error:
        assert_whole(lambda x: untraceable(x) * 2, [torch.ones(3)])
    assert error.value.diagnostics


def test_an_exception_that_only_one_of_them_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(result: Any, _: Any) -> Any:
        raise ValueError("no")

    monkeypatch.setattr(testing.api, "compile", wrong_by(fail))
    with pytest.raises(AssertionError, match=r"inputs\[0\]: raises ValueError: no, eager raises nothing"):
        assert_whole(lambda x: x * 2, [torch.ones(1)])


def test_wrong_usage() -> None:
    with pytest.raises(UsageError, match="unknown target 'onnx'"):
        assert_whole(branch, [POSITIVE], targets=("onnx",))
    with pytest.raises(UsageError, match="at least one"):
        assert_whole(branch, [])
