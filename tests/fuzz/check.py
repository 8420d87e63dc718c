"""Is a random program, compiled, as it is in plain Python?"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

import torch

from tests.conformance import harness
from tests.corpus.program import Program, s, t

FOLDER = Path(tempfile.mkdtemp(prefix="graphweld-fuzz-"))
LEFT_OUT = ("aliases", "strides", "requires_grad")  # known gaps, told in docs/limits.md
NO_GRADIENT = "no gradient in plain Python"  # autograd objects: a value that it needs, or a row's tensor, was changed
_numbers = itertools.count()


class EndlessError(BaseException):
    """A program, or its trace, takes longer than it may. Nothing on the way may catch it."""


@contextlib.contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    """Of the processor's time: a machine that is busy with other things makes no program endless."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise EndlessError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def load(text: str) -> ModuleType:
    """A program as a module of its own file, as graphweld reads sources from files."""
    path = FOLDER / f"program_{next(_numbers)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _program(module: ModuleType, grad: bool) -> Program:
    def inputs() -> list[tuple[object, ...]]:
        return [
            (t(1.0, 2.0, 3.0), t(0.5, -0.25, 4.0), s(2), 3, module.Box(t(1.0, 1.0, 1.0))),
            (t(-1.0, -2.0, -3.0), t(0.5, -0.25, 4.0), s(0), 3, module.Box(t(0.0, 1.0, 2.0))),
            (t(0.1, -0.2, 0.3), t(-2.0, 1.0, -4.0), s(1), 3, module.Box(t(-1.0, 1.0, -5.0))),
            (t(-4.0, 8.0, 0.0), t(3.0, 3.0, 3.0), s(3), 3, module.Box(t(2.0, 1.0, -1.0))),
        ]

    return Program(
        "fuzz.program", lambda: module.program, inputs, frozenset({"state"}), grad, None, None, None, 0, module.program
    )


def check(text: str, target: str, grad: bool, seen: Counter[str]) -> None:
    """Raise AssertionError, or whatever else went wrong, unless the program is right or refused with a code."""
    module = load(text)
    try:
        seen[_kind(_program(module, grad), target, grad)] += 1
    except (Exception, EndlessError):
        seen["wrong"] += 1
        raise
    finally:
        torch._dynamo.reset()
        del sys.modules[module.__name__]
        Path(str(module.__file__)).unlink()


def _kind(program: Program, target: str, grad: bool) -> str:
    try:
        with _at_most(2):
            plain = harness.run(program, "tensor", None, grad=grad)
    except EndlessError:  # a list that grows while the program goes through it
        return "endless in plain Python"
    except RuntimeError:
        assert grad
        return NO_GRADIENT
    if grad and any(call.raised and call.raised[0] == "RuntimeError" for call in plain):
        return NO_GRADIENT
    try:
        with _at_most(60):
            harness.check(program, harness.TARGETS[target], "tensor", grad=grad, without=LEFT_OUT, plain=plain)
    except Exception as error:
        codes = harness.refusal_codes(error)
        if not codes:
            raise
        return codes[0]
    return "right"
