"""`gw.export` and `gw.enabled`: what an exported program carries, and what is refused by name."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

import graphweld as gw
from graphweld.diagnostics import Diagnostic

X = torch.tensor([1.0, 2.0, 3.0])


class Statistics(torch.nn.Module):
    """Buffers that branches and loops change, in place and by assignment."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x, *, scale=None):
        self.calls += 1
        if x.sum() > 0:
            self.mean = self.mean * 0.5 + x.mean(0)
        y = self.linear(x) if scale is None else x * scale["by"]
        while y.abs().max() > 1:
            y = y / 2
        return {"y": y, "parts": (self.mean * 1, y.sum() > 0)}


class Python(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count, self.seen = 0, []

    def assigns(self, x):
        self.count += 1
        return x

    def appends(self, x):
        self.seen.append(x)
        return x

    def prints(self, x):
        print("here")
        return x

    def returns_none(self, x):
        if x.sum() > 0:
            return None
        return x


def same(a: Any, b: Any) -> None:
    torch.testing.assert_close(a, b)


def rows() -> list[Any]:
    torch.manual_seed(0)
    return [torch.randn(n, 3) * k for n, k in ((2, 1), (5, -40), (3, 9))]


@pytest.mark.parametrize("saved", [False, True])
def test_dynamic_sizes_keywords_nested_results_and_buffers(saved: bool, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Statistics()
    scale = {"by": torch.tensor(2.0)}
    shapes = {"x": {0: torch.export.Dim("batch")}, "scale": {"by": {}}}
    program = gw.export(copy.deepcopy(model), (rows()[0],), {"scale": scale}, dynamic_shapes=shapes)
    if saved:
        torch.export.save(program.run_decompositions(), tmp_path / "model.pt2")
        program = torch.export.load(tmp_path / "model.pt2")
    exported = program.module()
    for x in rows():
        same(exported(x, scale=scale), model(x, scale=scale))
    same(dict(exported.named_buffers()), dict(model.named_buffers()))


def test_functions_methods_and_python_values() -> None:
    def power(x, n, base=2):
        return x * base**n if x.sum() > 0 else x - n

    model = Statistics()
    for fn, args in ((power, (X, 3)), (model.forward, (rows()[0],))):
        exported = gw.export(copy.deepcopy(model).forward if fn == model.forward else fn, args).module()
        for sign in (1, -1):
            given = (args[0] * sign, *args[1:])
            same(exported(*given), fn(*given))
    assert "module.linear.weight" in gw.export(model.forward, (rows()[0],)).state_dict


def test_exported_again_and_unflattened() -> None:
    torch.manual_seed(0)
    model = Statistics()
    program = gw.export(copy.deepcopy(model), (rows()[0],))
    again = torch.export.export(copy.deepcopy(program.module()), (rows()[0],)).module()
    flat = torch.export.unflatten(copy.deepcopy(program))
    for x in (rows()[0], -rows()[0]):
        wanted = model(x)
        same(again(x), wanted)
        same(flat(x), wanted)


class Guarded(torch.nn.Module):
    """A step that is taken where it is finite, and what comes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, step: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            if step.isfinite().all():
                self.weight.sub_(step * torch.tensor([0.1, 0.2, 0.3]))
            kept = self.weight * 2
        return self.weight.sum(), kept


@pytest.mark.parametrize("way", ["made", "saved", "exported again"])
def test_no_grad_holds_for_the_branches_in_it(way: str, tmp_path: Path) -> None:
    steps = [torch.ones(3), torch.tensor([1.0, torch.inf, 0.0])]
    program = gw.export(Guarded(), (steps[0],))
    if way == "saved":
        torch.export.save(program, tmp_path / "model.pt2")
        program = torch.export.load(tmp_path / "model.pt2")
    elif way == "exported again":
        program = torch.export.export(program.module(), (steps[0],))
    exported, model = program.module(), Guarded()
    for step in steps:
        for got, want in zip(exported(step), model(step), strict=True):
            same(got, want)
            assert got.requires_grad == want.requires_grad
    same(dict(exported.named_parameters()), dict(model.named_parameters()))


@pytest.mark.parametrize(
    ("method", "what", "line"),
    [
        ("assigns", "assign `count`", "self.count += 1"),
        ("appends", "change a list", "self.seen.append(x)"),
        ("prints", "print, log or warn", 'print("here")'),
        ("returns_none", "return None or float32 tensor", "def returns_none(self, x):"),
    ],
)
def test_what_has_no_place_in_a_graph_is_refused(method: str, what: str, line: str) -> None:
    found = refusal(lambda: gw.export(getattr(Python(), method), (X,)))
    assert found.code == "GW140"
    assert what in found.message
    assert (found.source_line or "").strip() == line


def test_a_constraint_is_told() -> None:
    def f(x):
        return x + torch.ones(3)

    found = refusal(lambda: gw.export(f, (X,), dynamic_shapes=({0: torch.export.Dim("n")},)))
    assert found.code == "GW141"
    assert "Constraints violated" in found.message + str(found.notes)


def test_the_programs_own_exception_passes_through() -> None:
    def f(x):
        raise KeyError("always")

    with pytest.raises(KeyError, match="always"):
        gw.export(f, (X,))


def test_a_raise_that_the_data_decides_is_a_runtime_error_that_names_it() -> None:
    def f(x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x * 2

    exported = gw.export(f, (X,)).module()
    same(exported(X), f(X))
    with pytest.raises(RuntimeError, match=r"ValueError raised at .*test_export\.py"):
        exported(-X)


@pytest.mark.parametrize("strict", [False, True])
def test_enabled_welds_torch_export(strict: bool) -> None:
    torch.manual_seed(0)
    model = Statistics()
    with gw.enabled():
        program = torch.export.export(copy.deepcopy(model), (rows()[0],), strict=strict)
    for x in (rows()[0], -rows()[0]):
        same(program.module()(x)["y"], model(x)["y"])
    assert all(weight is not None for weight in program.state_dict.values())


def test_enabled_welds_torch_compile_and_gives_it_back() -> None:
    plain = torch.compile

    def f(x):
        return x + 1 if x.sum() > 0 else x - 1

    with gw.enabled():
        compiled = torch.compile(f, fullgraph=True, backend="eager")
        decorated = torch.compile(backend="eager", fullgraph=True)(f)
    assert torch.compile is plain
    for x in (X, -X):
        same(compiled(x), f(x))
        same(decorated(x), f(x))
    with pytest.raises(Exception, match="Data-dependent"), warnings.catch_warnings():
        torch.compile(f, fullgraph=True, backend="eager")(X)


def refusal(run: Any) -> Diagnostic:
    with pytest.raises(gw.GraphweldError) as error:
        run()
    return error.value.diagnostics[0]


def test_sums_of_several_numbers_of_the_data_are_written(tmp_path: Path) -> None:
    def f(x, n):
        out, first = [], 0
        for i in range(int(n)):
            out.append(x * i)
            if len(out) - first > 2:
                first += 1
        return torch.stack(out[first:]).sum(0) if out else x

    x = torch.tensor([1.0, -2.0, 3.0])
    torch.export.save(gw.export(f, (x, torch.tensor(3))), tmp_path / "sums.pt2")
    program = torch.export.load(tmp_path / "sums.pt2").module()
    for n in (0, 1, 4):
        torch.testing.assert_close(program(-x, torch.tensor(n)), f(-x, torch.tensor(n)))


def test_bools_and_sizes_of_numbers_are_written(tmp_path: Path) -> None:
    def f(x):
        total = x.sum().item()
        return x * abs(total), total > 0, not total > 7

    path = tmp_path / "program.pt2"
    torch.export.save(gw.export(f, (X,)), path)
    program = torch.export.load(path).module()
    for row in (X, -X, X * 5):
        wanted, found = f(row), program(row)
        assert torch.equal(wanted[0], found[0])
        assert wanted[1:] == found[1:]
        assert [type(value) for value in found[1:]] == [bool, bool]


def test_what_cannot_be_written_is_refused_with_a_code(tmp_path: Path) -> None:
    def f(x):
        return x if x.sum() > 0 else x + 1, "text"

    program = gw.export(f, (X,))
    with pytest.raises(gw.GraphweldError, match=r"a \.pt2 file cannot return 'text'") as found:
        torch.export.save(program, tmp_path / "program.pt2")
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.code == "GW140"
    assert diagnostic.span is not None
    assert diagnostic.span.file == __file__


@pytest.mark.parametrize(
    ("region", "gives_out", "changes"),
    [
        (lambda x, y: (x + 1, y.sum()), False, False),
        (lambda x, y: (x + 1, y.view(-1)), True, False),
        (lambda x, y: (x + 1,) * 2, True, False),
        (lambda x, y: (x.add_(1) * y,), False, True),
        (lambda x, y: ((x + 1).add_(y),), False, False),
    ],
)
def test_what_a_region_does_to_its_inputs_is_seen_by_running_it(region: Any, gives_out: bool, changes: bool) -> None:
    from torch._higher_order_ops.utils import has_potential_input_alias_or_mutation
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    from graphweld.capture import exporter
    from graphweld.capture.region_aliases import by_running

    exporter.install()
    graph = make_fx(region)(X.clone(), X.clone())
    mode = FakeTensorMode()
    inputs = [mode.from_tensor(X.clone()), mode.from_tensor(X.clone())]
    assert has_potential_input_alias_or_mutation(graph, inputs) == (gives_out, changes)
    with by_running():
        assert has_potential_input_alias_or_mutation(graph, inputs) == (gives_out, changes)
