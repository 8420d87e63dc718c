"""Random draws in a region that gradients flow through.

    if p < 0.5:                       forward   mask = empty_like(x).bernoulli_(0.9); y = x * (mask / 0.9)    -> y, mask
        y = F.dropout(x, 0.1)         backward  the same with mask as an input

A backward that recomputes the region would draw again, and the gradient would be that of another mask (torch's own
rules for `cond` and `while_loop` do that). So the forward hands out what it drew, and the backward computes with it.
The draws stay where Python has them, in the same order and only in the region that runs.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch.fx import Graph, GraphModule, Node

from graphweld.capture.variables import Tx, example, is_tensor

FUNCTIONS = {
    torch.rand, torch.randn, torch.randint, torch.randperm, torch.rand_like, torch.randn_like, torch.randint_like,
    torch.bernoulli, torch.multinomial, torch.normal, torch.poisson,
}  # fmt: skip
METHODS = {
    "bernoulli", "bernoulli_", "uniform_", "normal_", "exponential_", "random_", "multinomial", "log_normal_",
    "cauchy_", "geometric_",
}  # fmt: skip
NN = torch.nn.functional
ATTENTION = NN.scaled_dot_product_attention
UNKNOWN = {
    NN.alpha_dropout, NN.feature_alpha_dropout, NN.gumbel_softmax, NN.dropout1d, NN.dropout2d, NN.dropout3d,
    NN.fractional_max_pool2d, NN.fractional_max_pool3d, NN.rrelu,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Split:
    """A region, the same with its draws as further outputs, and with its draws as further inputs."""

    giving: GraphModule
    taking: GraphModule
    draws: tuple[torch.Tensor, ...]


def is_draw(node: Node) -> bool:
    return (node.op == "call_function" and node.target in FUNCTIONS) or (
        node.op == "call_method" and node.target in METHODS
    )


def plain(kwargs: dict[str, VariableTracker]) -> dict[str, VariableTracker]:
    """Arguments without `generator=None`, with which torch has no code for sizes that the data decides."""
    generator = kwargs.get("generator")
    if generator is None or not (
        isinstance(generator := generator.realize(), ConstantVariable) and generator.value is None
    ):
        return kwargs
    return {key: value for key, value in kwargs.items() if key != "generator"}


def unknown_draw(module: GraphModule, depth: int = 0) -> str | None:
    """The name of a random function that cannot be split off, or that stands in a region further in."""
    for node in module.graph.nodes:
        if node.op == "call_function" and node.target in UNKNOWN and _is_on(node):
            return str(node.target.__name__)
        if node.target is ATTENTION and node.kwargs.get("dropout_p", node.args[4] if len(node.args) > 4 else 0.0):
            return "scaled_dot_product_attention"
        if depth and (is_draw(node) or _is_dropout(node)):
            return str(getattr(node.target, "__name__", node.target))
        if node.op == "get_attr" and isinstance(inner := getattr(module, str(node.target), None), GraphModule):
            found = unknown_draw(inner, depth + 1)
            if found is not None:
                return found
    return None


def draws_in_region(tx: Tx, args: Sequence[VariableTracker], kwargs: dict[str, VariableTracker]) -> bool:
    """Whether a call of attention draws, in a region, in a type in which its parts give what it gives."""
    chance = kwargs.get("dropout_p", args[4] if len(args) > 4 else None)
    is_on = chance is not None and not (isinstance(chance, ConstantVariable) and not chance.value)
    query = args[0] if args else kwargs["query"]
    return (
        is_on
        and tx.output.current_tracer.parent is not None
        and is_tensor(query)
        and example(query).dtype in (torch.float32, torch.float64)
    )


def _is_on(node: Node) -> bool:
    return node.kwargs.get("training", True) is not False


def _is_dropout(node: Node) -> bool:
    if node.op != "call_function" or node.target is not NN.dropout:
        return False
    training = node.args[2] if len(node.args) > 2 else node.kwargs.get("training", True)
    p: Any = node.args[1] if len(node.args) > 1 else node.kwargs.get("p", 0.5)
    return bool(training) and 0 < p < 1


def split(module: GraphModule) -> Split | None:
    """Split a region's draws off; None where it has none."""
    graph = copy.deepcopy(module.graph)
    for node in list(graph.nodes):
        if _is_dropout(node):
            _open_dropout(graph, node)
    drawn = [node for node in graph.nodes if is_draw(node)]
    if not drawn:
        return None
    for node in drawn:
        if isinstance(node.target, str) and node.target.endswith("_"):
            _name_result(node)
    fakes = tuple(node.meta["example_value"] for node in drawn)
    giving, output = copy.deepcopy(graph), None
    names = [node.name for node in drawn]
    by_name = {node.name: node for node in giving.nodes}
    output = next(node for node in giving.nodes if node.op == "output")
    output.args = ((*output.args[0], *(by_name[name] for name in names)),)
    last = [node for node in graph.nodes if node.op == "placeholder"]
    for node in drawn:
        with graph.inserting_after(last[-1]) if last else graph.inserting_before(next(iter(graph.nodes))):
            given = graph.placeholder(f"{node.name}_drawn")
        given.meta = dict(node.meta)
        last.append(given)
        node.replace_all_uses_with(given)
        graph.erase_node(node)
    graph.eliminate_dead_code()
    return Split(GraphModule(module, giving), GraphModule(module, graph), fakes)


def _open_dropout(graph: Graph, node: Node) -> None:
    """Dropout as ATen computes it on the CPU: the same draw, in the same place."""
    x = node.args[0]
    p: Any = node.args[1] if len(node.args) > 1 else node.kwargs.get("p", 0.5)
    fake = x.meta["example_value"]  # type: ignore[union-attr]
    with graph.inserting_before(node):
        empty = graph.call_function(torch.empty_like, (x,))
        mask = graph.call_method("bernoulli_", (empty, 1 - p))
        scaled = graph.call_method("div", (mask, 1 - p))
        result = graph.call_method("mul", (x, scaled))
    for made in (empty, mask, scaled, result):
        made.meta = {**node.meta, "example_value": fake}
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def _name_result(node: Node) -> None:
    """Later uses of a tensor that is filled in place are uses of the filled one."""
    target = node.args[0]
    later = False
    for other in node.graph.nodes:
        if later:
            other.replace_input_with(target, node)
        later = later or other is node
