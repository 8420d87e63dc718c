"""Without a site, the graph is torch.compile's own, node for node."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402, N812
from torch import nn  # noqa: E402

from .harness import CountingBackend  # noqa: E402


def _argument(value: Any, number: dict[torch.fx.Node, int]) -> Any:
    if isinstance(value, torch.fx.Node):
        return f"%{number[value]}"
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *(_argument(v, number) for v in value))
    if isinstance(value, dict):
        return tuple((k, _argument(v, number)) for k, v in value.items())
    if isinstance(value, slice):
        return ("slice", *(_argument(v, number) for v in (value.start, value.stop, value.step)))
    return repr(value)


def nodes(gm: torch.fx.GraphModule) -> list[tuple[Any, ...]]:
    """Every node: its operation, target and arguments. Inputs are told apart by what uses them first and their
    metadata: their names tell where Dynamo found them, and their order when; neither is the same inside a wrapper."""
    inputs = gm.graph.find_nodes(op="placeholder")
    used = dict.fromkeys(i for n in gm.graph.nodes for i in n.all_input_nodes if i.op == "placeholder")
    ordered = [*used, *(i for i in inputs if i not in used), *(n for n in gm.graph.nodes if n.op != "placeholder")]
    number = {n: k for k, n in enumerate(ordered)}
    out: list[tuple[Any, ...]] = []
    for n in ordered:
        if n.op == "placeholder":
            value = n.meta.get("example_value")
            is_tensor = isinstance(value, torch.Tensor)
            out.append((n.op, type(value).__name__, value.dtype if is_tensor else "", value.dim() if is_tensor else ""))
            continue
        target = (
            n.target
            if isinstance(n.target, str)
            else f"{getattr(n.target, '__module__', '')}.{getattr(n.target, '__name__', n.target)}"
        )
        out.append((n.op, target, _argument(n.args, number), _argument(n.kwargs, number)))
        if n.op == "get_attr" and isinstance(inner := getattr(gm, n.target, None), torch.fx.GraphModule):
            out += nodes(inner)
    return out


def _graphs(compile_: Any, fn: Any, calls: list[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[list[tuple[Any, ...]]]:
    torch._dynamo.reset()
    counter = CountingBackend("eager")
    compiled = compile_(fn, backend=counter, fullgraph=True)
    try:
        for args, kwargs in calls:
            torch.manual_seed(0)
            compiled(*args, **kwargs)
    finally:
        torch._dynamo.reset()
    return [nodes(gm) for gm in counter.graphs]


def _assert_same(got: list[list[tuple[Any, ...]]], want: list[list[tuple[Any, ...]]]) -> None:
    assert want
    assert len(got) == len(want)
    for number, (ours, theirs) in enumerate(zip(got, want, strict=True)):
        for at, (a, b) in enumerate(zip(ours, theirs, strict=False)):
            assert a == b, f"graph {number}, node {at}"
        assert len(ours) == len(theirs), f"graph {number}"


def straight(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) @ x.T + 1


def python_branches(x: torch.Tensor, k: int = 2) -> torch.Tensor:
    if x.dim() == 2 and k > 1:
        x = x * k
    for i in range(3):
        x = x + i if i != 1 else x
    return x if x.shape[0] > 1 else -x


def containers(x: torch.Tensor) -> dict[str, Any]:
    parts = [x * i for i in range(3)]
    return {"a": torch.cat(parts), "b": (parts[0], None, 3), "n": len(parts)}


def higher_order(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, (x,))


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = 1
    y.add_(2)
    return F.relu(y)


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1), nn.ReLU(), nn.LayerNorm(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x) if isinstance(layer, nn.Linear) else layer(x) + 0
        return x


PROGRAMS: dict[str, Any] = {
    "straight": lambda: straight,
    "python_branches": lambda: python_branches,
    "containers": lambda: containers,
    "higher_order": lambda: higher_order,
    "in_place": lambda: in_place,
    "mlp": Mlp,
    "lstm_cell": lambda: nn.LSTMCell(3, 3),
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_programs(name: str) -> None:
    import graphweld as gw

    x = torch.randn(3, 3)
    want, got = (_graphs(c, PROGRAMS[name](), [((x,), {}), ((x[:2],), {})]) for c in (torch.compile, gw.compile))
    _assert_same(got, want)


@pytest.mark.parametrize("name", ["bert", "gpt2", "vit"])
@pytest.mark.filterwarnings("ignore")
def test_models(name: str) -> None:
    pytest.importorskip("transformers")
    import graphweld as gw
    from tests.models.builders import WITHOUT_SITES

    graphs = []
    for compile_ in (torch.compile, gw.compile):
        model, kwargs = WITHOUT_SITES[name]()
        graphs.append(_graphs(compile_, model, [((), kwargs)]))
    _assert_same(graphs[1], graphs[0])
