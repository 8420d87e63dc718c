"""`FILE.py:NAME` and input expressions: what is found, and one line for everything that can go wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphweld.cli import target
from graphweld.diagnostics import UsageError

MODEL = """
import functools


class Net:
    scale = 3

    def forward(self, x):
        return x * self.scale

    def __call__(self, x):
        return self.forward(x)

    @staticmethod
    def double(x):
        return 2 * x

    @classmethod
    def named(cls, x):
        return cls.__name__ + x


class Sized:
    def __init__(self, size):
        self.size = size

    def forward(self, x):
        return x


class Plain:
    def go(self, x):
        return x + 1


net = Net()
three = 3
shape = (2, 3)


def f(x, *, k=1):
    return x - k


def boom(x):
    raise ValueError("first line\\nsecond line")
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "gw_model_for_tests.py"
    path.write_text(MODEL, encoding="utf-8")
    return str(path)


def load(file: str, name: str, instantiate: bool = True) -> Any:
    return target.load_target(file, name, instantiate=instantiate).fn


def problem(error: pytest.ExceptionInfo[UsageError]) -> str:
    (finding,) = error.value.diagnostics
    assert "\n" not in finding.message
    return finding.message


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("f", 9),
        ("net", 30),
        ("net.forward", 30),
        ("Net", 30),
        ("Net.forward", 30),
        ("Net.double", 20),
        ("Plain.go", 11),
    ],
)
def test_names_lead_to_something_that_can_be_called(model: str, name: str, result: int) -> None:
    assert load(model, name)(10) == result


def test_class_methods_belong_to_the_class(model: str) -> None:
    assert load(model, "Net.named")("!") == "Net!"


def test_without_an_instance_the_plain_function_is_given(model: str) -> None:
    assert load(model, "Sized.forward", instantiate=False).__name__ == "forward"
    assert load(model, "Sized", instantiate=False).__name__ == "forward"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("g", "has no 'g'"),
        ("net.nope", "has no 'net.nope'"),
        ("three", "is of type int, which cannot be called"),
        ("Plain", "Plain is a class"),
        ("Sized", "Sized() cannot be made without arguments: TypeError: "),
        ("Sized.forward", "Sized() cannot be made without arguments: TypeError: "),
    ],
)
def test_names_that_lead_nowhere(model: str, name: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        load(model, name)
    assert words in problem(error)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_module_at_all", "ModuleNotFoundError: No module named 'no_such_module_at_all' ({name}:1)"),
        ("x = 1\ndef f(:\n", "SyntaxError: invalid syntax ({name}:2)"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3 ({name}:2)"),
        ("raise ValueError('a\\nb')", "ValueError: a ({name}:1)"),
        ("raise ValueError", "ValueError ({name}:1)"),
    ],
)
def test_a_file_that_does_not_import(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "gw_broken_for_tests.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load(str(path), "f")
    assert problem(error) == f"{path} does not import: {words.format(name=path.name)}"


def test_a_file_named_like_a_module_in_use_does_not_replace_it(tmp_path: Path) -> None:
    path = tmp_path / "json.py"
    path.write_text("def f():\n    return 'mine'\n", encoding="utf-8")
    assert load(str(path), "f")() == "mine"
    import json

    assert json.dumps(1) == "1"


def test_neighbors_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "gw_neighbor_for_tests.py").write_text("seven = 7\n", encoding="utf-8")
    path = tmp_path / "gw_with_neighbor_for_tests.py"
    path.write_text("from gw_neighbor_for_tests import seven\ndef f():\n    return seven\n", encoding="utf-8")
    assert load(str(path), "f")() == 7


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, "the inputs do not fit f(x, *, k=1): missing a required argument: 'x'"),
        ((1, 2), {}, "the inputs do not fit f(x, *, k=1): too many positional arguments"),
        ((1,), {"n": 2}, "the inputs do not fit f(x, *, k=1): got an unexpected keyword argument 'n'"),
    ],
)
def test_inputs_that_do_not_fit(model: str, args: tuple[Any, ...], kwargs: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as error:
        target.check_fit(target.load_target(model, "f", instantiate=True), args, kwargs)
    assert problem(error) == words


def test_an_exception_of_the_users_is_told_in_one_line(model: str) -> None:
    with pytest.raises(ValueError, match="first line") as error:
        load(model, "boom")(1)
    assert target.raised(error.value, model) == "ValueError: first line (gw_model_for_tests.py:46)"


@pytest.mark.needs_torch
@pytest.mark.parametrize(
    ("expression", "shapes"),
    [
        ("torch.ones(3)", [(3,)]),
        ("torch.ones(3), torch.ones(2, 2)", [(3,), (2, 2)]),
        ("torch.ones(shape)", [(2, 3)]),
        ("torch.full((1,), math.pi),", [(1,)]),
        ("()", []),
    ],
)
def test_input_expressions(model: str, expression: str, shapes: list[tuple[int, ...]]) -> None:
    args = target.positional_arguments(expression, target.load_target(model, "f", instantiate=True))
    assert [tuple(arg.shape) for arg in args] == shapes


@pytest.mark.needs_torch
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("torch.ones(", "is not a Python expression"),
        ("x = 1", "is not a Python expression"),
        ("nope + 1", "does not evaluate: NameError: name 'nope' is not defined"),
        ("torch.ones(2) @ torch.ones(3)", "does not evaluate: RuntimeError: "),
    ],
)
def test_input_expressions_that_are_wrong(model: str, expression: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        target.positional_arguments(expression, target.load_target(model, "f", instantiate=True))
    assert words in problem(error)


@pytest.mark.needs_torch
def test_keyword_arguments(model: str) -> None:
    loaded = target.load_target(model, "f", instantiate=True)
    assert target.keyword_arguments("dict(k=three)", loaded) == {"k": 3}
    for wrong in ("3", "{1: 2}"):
        with pytest.raises(UsageError, match="is no dict of names"):
            target.keyword_arguments(wrong, loaded)
