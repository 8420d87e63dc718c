"""Runs one program eagerly and compiled, and compares all that can be seen.

The oracle is the plain eager run. Both runs get fresh callables and inputs; the calls run in order on one callable.
"""

from __future__ import annotations

import contextlib
import io
import logging
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from graphweld.capture.inductor import Inductor
from tests.corpus.program import Call, Program

from . import snapshot

SEED = 1234
ASPECTS = {"aliases", "strides", "requires_grad"}  # that an expectation may leave out of the comparison


@dataclass(frozen=True)
class Target:
    name: str
    backend: str
    dynamic: bool | None = None
    strides: bool = False
    rng: bool = False  # the generator's state after the call is compared, and random numbers are eager's own
    rtol: float | None = None
    atol: float | None = None


TARGETS = {
    t.name: t
    for t in (
        Target("eager", "eager", strides=True, rng=True),
        Target("aot_eager", "aot_eager", rng=True),
        Target("inductor", "inductor", rtol=1e-4, atol=1e-5),
        Target("dynamic", "eager", dynamic=True, strides=True, rng=True),
    )
}


class CountingBackend:
    """Counts the graphs given to a backend, and keeps them."""

    def __init__(self, backend: str = "eager") -> None:
        # What gw.compile makes of the name, as a backend given as a function is taken as it is
        self.inner: Any = Inductor(None, None, None) if backend == "inductor" else torch._dynamo.lookup_backend(backend)
        self.graphs: list[torch.fx.GraphModule] = []

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: list[Any]) -> Any:
        self.graphs.append(gm)
        return self.inner(gm, example_inputs)

    @property
    def count(self) -> int:
        return len(self.graphs)


@dataclass
class Outcome:
    """What one call showed."""

    signature: str
    raised: tuple[str, str] | None = None
    error: BaseException | None = None
    entries: list[snapshot.Entry] = field(default_factory=list)
    printed: str = ""
    warned: list[tuple[str, str]] = field(default_factory=list)
    logged: list[tuple[str, int, str]] = field(default_factory=list)
    rng: torch.Tensor | None = None
    gradients: list[torch.Tensor | None] | None = None


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.rows: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.rows.append((record.name, record.levelno, record.getMessage()))


@contextlib.contextmanager
def _observed(outcome: Outcome) -> Iterator[None]:
    """Collect what is printed, warned and logged (programs log to loggers under "corpus")."""
    handler, logger = _Records(), logging.getLogger("corpus")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    out, err = (
        io.StringIO(),
        io.StringIO(),
    )  # on stderr, torch itself speaks too: GraphModule prints the line that raised
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            warnings.simplefilter("always")
            yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    outcome.printed = out.getvalue()
    outcome.logged = handler.rows
    outcome.warned = [(w.category.__name__, str(w.message)) for w in caught if _is_users(w)]


def _is_users(w: warnings.WarningMessage) -> bool:
    # torch warns about itself (often once a process); a program of the corpus starts its warnings with the word
    return str(w.message).startswith("corpus")


def run(
    program: Program,
    variant: str,
    compile_: Callable[[Any], Any] | None,
    *,
    grad: bool = False,
    cap: int | None = None,
) -> list[Outcome]:
    """The outcomes of all calls of a program; `compile_` is None for the eager oracle."""
    torch.manual_seed(0)
    fn = program.make()
    compiled = compile_(fn) if compile_ is not None else fn
    outcomes: list[Outcome] = []
    kept: dict[str, Any] = {}
    watched = program.watch
    for number, c in enumerate(program.calls(variant)[:cap]):
        leaves = _require_grad(c) if grad else []
        outcome = Outcome(
            snapshot.signature([c.args, c.kwargs, torch.is_grad_enabled()], state=[fn, watched() if watched else None])
        )
        torch.manual_seed(SEED + number)
        random.seed(SEED + number)
        result: Any = None
        with _observed(outcome):
            try:
                result = compiled(*c.args, **c.kwargs)
            except Exception as error:  # noqa: BLE001  (whatever eager raises is what compiled must raise)
                outcome.raised = (type(error).__name__, str(error))
                outcome.error = error
        outcome.rng = torch.get_rng_state()
        kept[f"call{number}"] = (c.args, c.kwargs, result)
        outcome.entries = snapshot.take(
            args=c.args, kwargs=c.kwargs, out=result, state=fn, watched=watched() if watched else None
        )
        if grad and outcome.raised is None:
            outcome.gradients = _gradients(result, leaves + _parameters(fn))
        outcomes.append(outcome)
        if outcome.error is not None and refusal_codes(outcome.error):
            return outcomes  # further calls would be refused again
    # results of earlier calls must not have been changed by later ones
    last = Outcome("", entries=snapshot.take(**kept, state=fn, watched=watched() if watched else None))
    outcomes.append(last)
    return outcomes


def _require_grad(c: Call) -> list[torch.Tensor]:
    leaves = []
    for v in pytree.tree_leaves((c.args, c.kwargs)):
        if isinstance(v, torch.Tensor) and v.is_floating_point() and v.is_leaf:
            leaves.append(v.requires_grad_(True))
    return leaves


def _parameters(fn: Any) -> list[torch.Tensor]:
    return [p for p in fn.parameters() if p.requires_grad] if isinstance(fn, torch.nn.Module) else []


def _gradients(result: Any, wrt: list[torch.Tensor]) -> list[torch.Tensor | None]:
    loss: Any = 0.0
    for k, v in enumerate(_tensors(result, [])):  # by its place, as others may require grad or not
        if v.requires_grad and (v.is_floating_point() or v.is_complex()):
            v = torch.view_as_real(v) if v.is_complex() else v
            weights = torch.linspace(0.5, 1.5 + k, max(v.numel(), 1), dtype=torch.float64)[: v.numel()]
            loss = loss + (v.reshape(-1).double() * weights).sum()
    if not wrt or not isinstance(loss, torch.Tensor):
        return []
    return [None if g is None else g.detach().clone() for g in torch.autograd.grad(loss, wrt, allow_unused=True)]


def _tensors(value: Any, out: list[torch.Tensor], seen: set[int] | None = None) -> list[torch.Tensor]:
    seen = set() if seen is None else seen
    if isinstance(value, torch.Tensor):
        out.append(value)  # each time it is met, since whether it is one object may be left out of the comparison
        return out
    if id(value) in seen:
        return out
    seen.add(id(value))
    if isinstance(value, dict):
        for v in value.values():
            _tensors(v, out, seen)
    elif isinstance(value, (list, tuple, set)):
        for v in value:
            _tensors(v, out, seen)
    elif hasattr(value, "__dict__") and not isinstance(value, (type, torch.nn.Module)) and not callable(value):
        for v in vars(value).values():
            _tensors(v, out, seen)
    return out


def compare(want: list[Outcome], got: list[Outcome], target: Target, without: Sequence[str] = ()) -> None:
    """Raise AssertionError at the first difference between the eager and the compiled outcomes.

    Not compared is what is named by `without`, of `ASPECTS`.
    """
    assert set(without) <= ASPECTS, without
    refused = got[-1].error is not None and bool(refusal_codes(got[-1].error))
    assert refused or len(want) == len(got)
    for number, (w, g) in enumerate(zip(want, got, strict=False)):
        at = f"call {number}" if number < len(want) - 1 else "after all calls"
        if w.raised != g.raised and g.error is not None:
            raise g.error
        assert w.raised == g.raised, f"{at}: eager raises {w.raised}, compiled {g.raised}"
        assert w.printed == g.printed, f"{at}: printed {w.printed!r} in eager, {g.printed!r} compiled"
        assert w.logged == g.logged, f"{at}: logged {w.logged} in eager, {g.logged} compiled"
        assert w.warned == g.warned, f"{at}: warned {w.warned} in eager, {g.warned} compiled"
        try:
            snapshot.compare(
                w.entries,
                g.entries,
                strides=target.strides and "strides" not in without,
                aliases="aliases" not in without,
                requires_grad="requires_grad" not in without,
                rtol=target.rtol,
                atol=target.atol,
            )
        except AssertionError as difference:
            raise AssertionError(f"{at}: {difference}") from None
        if target.rng and w.rng is not None and g.rng is not None:
            assert torch.equal(w.rng, g.rng), f"{at}: the random generator's state differs"
        if w.gradients is not None:
            _compare_gradients(at, w.gradients, g.gradients, target)


def _compare_gradients(
    at: str, want: list[torch.Tensor | None], got: list[torch.Tensor | None] | None, target: Target
) -> None:
    assert got is not None
    if not want or not got:  # no differentiable result
        assert all(v is None or not v.any() for v in [*want, *got]), f"{at}: gradients {want} in eager, {got} compiled"
        return
    for k, (w, g) in enumerate(zip(want, got, strict=True)):
        # One static graph gives zeros where eager's taken path did not touch a leaf at all (torch.cond's own contract)
        if w is None or g is None:
            present = g if w is None else w
            assert present is None or not present.any(), f"{at}: gradient {k} is {w} in eager, {g} compiled"
            continue
        torch.testing.assert_close(
            g, w, rtol=target.rtol, atol=target.atol, equal_nan=True, msg=lambda m, k=k: f"{at}: gradient {k}: {m}"
        )


def check(
    program: Program,
    target: Target,
    variant: str,
    *,
    grad: bool = False,
    without: Sequence[str] = (),
    compile_: Callable[..., Any] | None = None,
    plain: list[Outcome] | None = None,
) -> None:
    """Raise unless the compiled program is, in all that can be seen, the eager one, in one graph per signature.

    `plain` are the outcomes of the eager run, where they are known.
    """
    if compile_ is None:
        import graphweld

        compile_ = graphweld.compile
    compiler = compile_

    want = run(program, variant, None, grad=grad) if plain is None else plain
    torch._dynamo.reset()
    counter = CountingBackend(target.backend)
    options: dict[str, Any] = {} if target.dynamic is None else {"dynamic": target.dynamic}
    try:
        with inductor_settings(target):
            got = run(program, variant, lambda fn: compiler(fn, backend=counter, **options), grad=grad)
    finally:
        torch._dynamo.reset()
    compare(want, got, target, without)
    signatures = len({o.signature for o in want[:-1]})
    if variant == "sizes" or "one_graph" in program.tags:
        signatures = 1
    assert counter.count <= signatures, f"{counter.count} graphs for {signatures} input signatures"
    if variant == "tensor":
        assert counter.count >= program.min_graphs, (
            f"{counter.count} graphs, {program.min_graphs} expected: nothing was compiled"
        )


@contextlib.contextmanager
def inductor_settings(target: Target) -> Iterator[None]:
    if target.backend != "inductor":
        yield
        return
    import torch._inductor.config as config

    with config.patch(fallback_random=True, compile_threads=1):
        yield


def refusal_codes(error: BaseException) -> list[str]:
    """The codes of a refusal; empty where the error is no refusal."""
    import graphweld

    if not isinstance(error, graphweld.GraphweldError):
        return []
    return [d.code for d in error.diagnostics]
