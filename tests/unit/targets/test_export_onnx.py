"""`gw.export_onnx`: If and Loop nodes, checked by ONNX, run by ONNX Runtime; what ONNX cannot hold is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnx
import onnxruntime as ort
import torch

import graphweld as gw
from tests.unit.targets.programs import nested

X = torch.tensor([1.0, 2.0, 3.0])


def calls() -> list[Any]:
    return [(X * k, torch.tensor(n)) for k in (1, -9, 40) for n in (0, 1, 4)]


@pytest.mark.parametrize("opset", [18, pytest.param(20, marks=pytest.mark.slow), 23])
def test_one_file_takes_every_path(opset: int, tmp_path: Path) -> None:
    path = tmp_path / "nested.onnx"
    gw.export_onnx(nested, calls()[0], path, opset_version=opset, verify=calls())
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(path)
    assert [entry.version for entry in model.opset_import if entry.domain == ""] == [opset]
    assert kinds(model.graph) == {"If", "Loop"}
    assert not model.functions
    (loop,) = (node for node in model.graph.node if node.op_type == "Loop")
    first = nested.__code__.co_firstlineno
    assert loop.attribute[0].g.name == f"body_line_{first + 1}"
    assert any(entry.value == f"{nested.__code__.co_filename}:{first + 1}" for entry in loop.metadata_props)
    session = ort.InferenceSession(path)
    for x, n in calls():
        (found,) = session.run(None, {"x": x.numpy(), "n": n.numpy()})
        torch.testing.assert_close(torch.from_numpy(found), nested(x, n))


def test_dynamic_axes(tmp_path: Path) -> None:
    def f(x):
        return x.mean(0) if x.sum() > 0 else x[-1]

    shapes = ({0: torch.export.Dim("batch")},)
    model = gw.export_onnx(f, (torch.ones(2, 3),), dynamic_shapes=shapes, verify=[(-torch.ones(5, 3),)])
    assert str(model.model.graph.inputs[0].shape) == "[batch,3]"


def counted(x, n):
    for i in range(int(n)):
        x = x * 2 + i
    return x


def counted_to_a_break(x, n):
    for i in range(int(n)):
        x = x * 2 + i
        if x.sum() > 100:
            break
    return x


def counted_rows(x, n):
    total = torch.zeros(())
    for row in x:
        total = total + row
        if total > n:
            break
    return total


def counted_twice(x, n):
    for i in range(int(n)):
        for j in range(int(n) * 2):
            x = x + i * j
    return x


def not_counted(x, n):
    while n > 0:
        x = x * 2
        n = n - 1
    return x


@pytest.mark.parametrize(
    ("program", "trips", "asks"),
    [
        (counted, ["n"], [False]),
        (counted_to_a_break, ["n"], [True]),
        (counted_rows, ["3"], [True]),
        (counted_twice, ["n", "inside"], [False, False]),
        (not_counted, [""], [True]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_counted_loop_has_its_trip_count(program: Any, trips: list[str], asks: list[bool]) -> None:
    model = gw.export_onnx(program, (X, torch.tensor(3)), verify=[(X, torch.tensor(n)) for n in (0, -2, 1, 9)])
    graphs = (model.model.graph, *model.model.graph.subgraphs())
    loops = [node for graph in graphs for node in graph if node.op_type == "Loop"]
    assert [trips_of(loop) for loop in loops] == trips
    assert [asks_again(loop) for loop in loops] == asks


def test_values_have_the_names_of_variables() -> None:
    def f(x, n):
        total = torch.zeros(())
        for _ in range(int(n)):
            scaled = torch.tanh(x)
            if scaled.sum() > 1:
                y = torch.softmax(scaled, -1) @ x.sum(0, keepdim=True).T
                total = total + y.sum()
            x = scaled * 0.9
        return x, total

    model = gw.export_onnx(f, (torch.ones(2, 3), torch.tensor(3)), verify=[(torch.zeros(2, 3), torch.tensor(2))]).model
    first = f.__code__.co_firstlineno
    body, branch = f"body_line_{first + 2}", f"then_line_{first + 4}"
    names = {value.name for graph in model.graph.subgraphs() for node in graph for value in node.outputs}
    assert {f"{body}.scaled", f"{body}.total_2", f"{body}.x_2", f"{branch}.y", f"{branch}.total"} <= names
    (loop,) = (node for node in model.graph if node.op_type == "Loop")
    carried = [value.name for value in loop.attributes["body"].as_graph().inputs]
    assert {f"{body}.x", f"{body}.total"} <= set(carried)
    values = [value.name for graph in (model.graph, *model.graph.subgraphs()) for n in graph for value in n.outputs]
    assert len(set(values)) == len(values)


def trips_of(loop: Any) -> str:
    count = loop.inputs[0]
    if count is None or count.is_graph_input():
        return "" if count is None else count.name
    made = count.producer()
    return str(made.attributes["value"].value.numpy()) if made.op_type == "Constant" else "inside"


def asks_again(loop: Any) -> bool:
    """Whether a trip decides about the next one."""
    body = loop.attributes["body"].as_graph()
    return body.outputs[0].producer().inputs[0] is not body.inputs[1]


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("raises_and_returns_nothing", "raise an exception (ValueError raised at"),
        ("gives_nothing", "return nothing"),
        ("gives_a_size", "return a torch.Size"),
    ],
)
def test_what_onnx_cannot_hold_is_refused(program: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(gw.GraphweldError) as error:
        gw.export_onnx(globals()[program], (X.clone(),), tmp_path / "model.onnx")
    assert error.value.diagnostics[0].code == "GW140"
    assert what in error.value.diagnostics[0].message
    assert not list(tmp_path.iterdir())


def stores(x, n):
    rows = torch.zeros(5)
    for i in range(int(n)):
        rows[i] = x[i] * 2
    return rows


def test_a_position_outside_is_an_error_of_the_runtime() -> None:
    x = torch.arange(5.0)
    model = gw.export_onnx(stores, (x, torch.tensor(3)), verify=[(x, torch.tensor(0)), (x, torch.tensor(5))])
    with pytest.raises(Exception, match="INVALID_ARGUMENT"):
        model(x, torch.tensor(6))


def raises(x):
    if x.sum() < 0:
        raise ValueError("negative")
    for row in x:
        if row > 5:
            raise KeyError(row)
    return x * 2


def test_an_exception_is_an_error_of_the_runtime() -> None:
    low, high = -X, X * 4
    model = gw.export_onnx(raises, (X,), verify=[(low,), (X / 2,), (high,)])
    first = raises.__code__.co_firstlineno
    for x, name, line in ((low, "ValueError", first + 1), (high, "KeyError", first + 4)):
        with pytest.raises(Exception, match=f"{name} raised at {__file__}:{line}"):
            model(x)


def test_an_exception_of_plain_python_alone_is_told() -> None:
    with pytest.raises(gw.GraphweldError, match="plain Python raises ValueError, and the model does not"):
        gw.export_onnx(raises_outside_of_graphs, (X,))


def raises_outside_of_graphs(x):
    if torch.compiler.is_compiling():
        return x * 2
    raise ValueError("not in a graph")


def raises_and_returns_nothing(x):
    if x.sum() < 0:
        raise ValueError("negative")


def gives_nothing(x):
    x * 2


def gives_a_size(x):
    return x[x > 0].shape


def changes(x, more):
    if x.sum() > 0:
        x.add_(1)
    more["rows"].mul_(2)
    return x * 2


def test_changed_arguments_are_results() -> None:
    def call(k: int) -> Any:
        return X * k, {"rows": torch.ones(2), "size": torch.ones(1)}

    model = gw.export_onnx(changes, call(1), verify=[call(-1)])
    names = [value.name for value in model.model.graph.outputs]
    assert names[1:] == ["x_after", "more_rows_after"]
    x, more = call(1)
    found = model(x, more["rows"], more["size"])
    torch.testing.assert_close(found[0], changes(x, more))
    torch.testing.assert_close(list(found[1:]), [x, more["rows"]])


def test_results_have_the_names_of_keys_and_variables() -> None:
    def f(x):
        scaled = x * 2 if x.sum() > 0 else x * 3
        total = scaled.sum()
        return total, {"loss": total + 1, "parts": [x + 2, scaled]}, 3, None, x.argmax().item()

    outputs = gw.export_onnx(f, (X,), verify=[(-X,)]).model.graph.outputs
    assert [value.name for value in outputs[:4]] == ["total", "loss", "parts_0", "parts_1"]
    assert [value.metadata_props.get("graphweld.number") for value in outputs] == [None] * 4 + ["int", "int"]


def test_a_result_behind_a_check_has_its_own_name() -> None:
    def f(x):
        if x.sum() < 0:
            raise ValueError("less than nothing")
        return x + 1

    (output,) = gw.export_onnx(f, (torch.ones(3),), verify=[(-torch.ones(3),)]).model.graph.outputs
    assert output.name == "add"


def differs_in_a_graph(x):
    return x * 2 if torch.compiler.is_compiling() else x * 3


def test_a_difference_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(gw.GraphweldError) as error:
        gw.export_onnx(differs_in_a_graph, (X,), tmp_path / "model.onnx")
    assert error.value.diagnostics[0].code == "GW142"
    assert not list(tmp_path.iterdir())


def test_enabled_welds_torch_onnx_export(tmp_path: Path) -> None:
    class Nested(torch.nn.Module):
        def forward(self, x, n):
            return nested(x, n)

    plain = torch.onnx.export
    with gw.enabled():
        torch.onnx.export(Nested().eval(), calls()[0], tmp_path / "nested.onnx", verbose=False)
    assert torch.onnx.export is plain
    session = ort.InferenceSession(tmp_path / "nested.onnx")
    for x, n in calls():
        (found,) = session.run(None, {"x": x.numpy(), "n": n.numpy()})
        torch.testing.assert_close(torch.from_numpy(found), nested(x, n))


def kinds(graph: Any) -> set[str]:
    """The kinds of nodes with regions, at any depth."""
    found: set[str] = set()
    for node in graph.node:
        regions = [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
        found |= {node.op_type} if regions else set()
        for region in regions:
            found |= kinds(region)
    return found


def listed(x, n):
    rows, parts, numbers = [], [], []
    for i in range(int(n)):
        rows.append(x * i)
        parts.append(x[: i + 1])
        if x[i] > 1:
            numbers.append(i)
    return {"rows": rows, "parts": parts, "numbers": numbers}


def test_a_list_of_unknown_length_is_a_sequence() -> None:
    model = gw.export_onnx(listed, (X, torch.tensor(2)), verify=[(X, torch.tensor(n)) for n in (0, 1, 3)])
    session = ort.InferenceSession(model.model_proto.SerializeToString())
    assert [output.name for output in session.get_outputs()] == ["rows", "parts", "numbers"]
    assert all(output.type.startswith("seq(") for output in session.get_outputs())
    found = session.run(None, {"x": X.numpy(), "n": torch.tensor(3).numpy()})
    assert [len(part) for part in found[1]] == [1, 2, 3]
    assert [int(number) for number in found[2]] == [1, 2]
    with pytest.raises(gw.GraphweldError, match="GW112"):
        gw.export(listed, (X, torch.tensor(2)))


def test_a_list_of_one_length_or_another() -> None:
    gw.export_onnx(lambda x: [x, x + 1] if x.sum() > 0 else [x], (X,), verify=[(-X,)])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_next_float(dtype: torch.dtype) -> None:
    x = torch.cat([torch.randn(500, dtype=dtype) * 10.0**k for k in range(-20, 31, 10)])
    x = torch.cat([x, torch.tensor([1.0, -1.0, 2.0, 0.5, 1.0 - torch.finfo(dtype).eps], dtype=dtype)])
    model = gw.export_onnx(lambda x, y: torch.nextafter(x, y), (x, x), verify=False)
    for y in (x + 1, x - 1, x):
        assert model(x, y)[0].equal(torch.nextafter(x, y))


def measured(x):
    n, m = x.sum().item(), x[0].item()
    if n * 0.1 > m / 3:
        return x * (n * 0.3 - n * 0.29), n - 0.1, round(n * 0.3)
    return x.mul(1).sub_((m - n) / n), m / n, math.ceil(n)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_floats_of_the_data_have_all_their_digits(dtype: torch.dtype) -> None:
    model = gw.export_onnx(measured, (torch.tensor([0.75, 0.5], dtype=dtype),))
    for row in ([1.0, 1e12], [20.7, 1 / 3], [1e-3, 0.1]):
        x = torch.tensor(row, dtype=dtype)
        found, (y, *numbers) = model(x), measured(x)
        torch.testing.assert_close(found[0], y, rtol=1e-15 if dtype is torch.float64 else 1e-6, atol=0)
        assert [f.item() for f in found[1:]] == numbers
