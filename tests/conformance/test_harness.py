"""The corpus is sound, and the harness sees differences."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tests.corpus.program import Program, programs  # noqa: E402

from . import harness, snapshot  # noqa: E402

ALL = programs()


@pytest.mark.parametrize("program", ALL, ids=[p.name for p in ALL])
def test_program_is_deterministic(program: Program) -> None:
    for grad in (False, True) if program.grad else (False,):
        want, got = harness.run(program, "tensor", None, grad=grad), harness.run(program, "tensor", None, grad=grad)
        harness.compare(want, got, harness.TARGETS["eager"])
        raised = [o.raised for o in want if o.raised]
        assert bool(raised) == ("raises" in program.tags), f"eager raises {raised}"
    for variant, there in (("python", program.python_inputs), ("sizes", program.sizes)):
        if there:
            harness.run(program, variant, None)


@pytest.mark.parametrize("program", ALL, ids=[p.name for p in ALL])
def test_one_signature_takes_two_paths(program: Program) -> None:
    """Else one graph per signature would prove nothing."""
    if "one_path" in program.tags or len(program.calls()) == 1:
        return
    outcomes = harness.run(program, "tensor", None)[:-1]
    assert len({o.signature for o in outcomes}) < len(outcomes) or "state" in program.tags


def _differs(a, b, **options):
    with pytest.raises(AssertionError):
        snapshot.compare(snapshot.take(out=a), snapshot.take(out=b), **options)


def test_snapshot_sees_types() -> None:
    _differs(1, 1.0)
    _differs(1, True)
    _differs(None, 0)
    _differs(1, torch.tensor(1))
    _differs([1], (1,))
    _differs({"a": 1, "b": 2}, {"b": 2, "a": 1})
    _differs("a", "b")
    _differs(0.0, -0.0)


def test_snapshot_sees_tensors() -> None:
    x = torch.zeros(2, 3)
    _differs(x, x.double())
    _differs(x, torch.zeros(3, 2))
    _differs(x, torch.zeros(3, 2).T)
    _differs(x, torch.zeros(2, 3, requires_grad=True))
    _differs(x, x + 1)
    snapshot.compare(snapshot.take(out=x), snapshot.take(out=torch.zeros(2, 3)))


def test_snapshot_sees_aliases() -> None:
    x = torch.zeros(3)
    _differs((x, x), (x, x.clone()))
    _differs((x, x), (x, x[:]))
    _differs((x, x[1:]), (x, x[1:].clone()))
    box = [1]
    _differs((box, box), (box, [1]))


def _stand_in(change):
    def compile_(fn, backend, **options):
        return lambda *args, **kwargs: change(fn, backend, *args, **kwargs)

    return compile_


@pytest.mark.parametrize(
    "change",
    [
        lambda fn, backend, x: fn(x) + 1e-3,
        lambda fn, backend, x: fn(x).double(),
        lambda fn, backend, x: fn(x.data.mul_(2) / 2),
        lambda fn, backend, x: fn(x) if x.sum() > 0 else None,
        lambda fn, backend, x: (print("once more"), fn(x))[1],
        lambda fn, backend, x: (torch.rand(1), fn(x))[1],
        lambda fn, backend, x: fn(x.detach()),
        lambda fn, backend, x: fn(x),  # right, and not compiled
        lambda fn, backend, x: (backend(torch.fx.symbolic_trace(torch.nn.Identity()), []), fn(x))[1],  # a graph a call
    ],
    ids=["value", "dtype", "mutation", "none", "print", "random", "gradient", "no_graph", "graphs"],
)
def test_harness_sees(change) -> None:
    p = next(p for p in ALL if p.name == "conditionals.assign_both")
    with pytest.raises(AssertionError):
        harness.check(p, harness.TARGETS["eager"], "tensor", grad=True, compile_=_stand_in(change))


def test_harness_passes_torch_compile_where_it_is_right() -> None:
    p = next(p for p in ALL if p.name == "conditionals.article_e")
    harness.check(p, harness.TARGETS["eager"], "tensor", grad=True, compile_=torch.compile)
