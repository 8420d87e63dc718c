"""Which tensors a region hands out are the caller's own, or views of them.

    y = x if p else x * 2            on one side y is x
    y = x[0] if p else x[0] * 2      on one side y is a view of x

A graph output cannot be its input, so it is a copy; where a later change in place, or the caller, could tell the
difference, the original is kept as an alternative beside it. A view is made again outside of the region: it costs
nothing, and it cannot fail where shapes are known.
"""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import TensorVariable
from torch.fx import Node, Proxy

from graphweld.capture.merge_variable import changes_in_place
from graphweld.capture.regions import Region
from graphweld.capture.sites import trace_of
from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import Thunk, Tx, example, existing, method, storage_key

VIEWS = {
    "view", "reshape", "getitem", "transpose", "t", "squeeze", "unsqueeze", "narrow", "select", "permute", "expand",
    "flatten", "detach", "movedim", "swapaxes", "unflatten", "view_as", "expand_as", "chunk", "split", "unbind",
    "diagonal", "contiguous", "to", "float",
}  # fmt: skip


def alias_of(tx: Tx, region: Region, vt: VariableTracker) -> Thunk | None:
    """How to get at the tensor outside that a region's value is, or is a view of; None where it is the region's own."""
    proxy = vt.as_proxy()
    if proxy.tracer is not region.tracer:
        return lambda: vt
    node: Node = proxy.node
    while node.op.startswith("call") and changes_in_place(_name(node)) and isinstance(node.args[0], Node):
        node = node.args[0]
    if node.op == "placeholder":
        outer = next(o for o, inner in region.operands().items() if inner.node is node)
        return lambda: existing(tx, outer)
    base = _base_of(region, node)
    if base is None:
        return None
    steps: list[Node] = []
    while node.op != "placeholder":
        steps.append(node)
        node = next(n for n in node.all_input_nodes if storage_key(n.meta["example_value"]) == storage_key(base))
    outer = next(o for o, inner in region.operands().items() if inner.node is node)
    if any(len(step.all_input_nodes) != 1 for step in steps):
        return None
    if is_sized_by_data(base):
        return None  # what may be empty has no rows outside of the region that knows of one

    def make() -> VariableTracker:
        tracer = tx.output.current_tracer
        current = tracer.maybe_lift_tracked_freevar_to_input(outer).node
        for step in reversed(steps):
            current = tracer.graph.node_copy(step, lambda _, at=current: at)
        view = existing(tx, Proxy(current, tracer))
        view.gw_view_of_input = True  # type: ignore[attr-defined]
        return view

    return make


def source_of(tx: Tx, outer: Proxy) -> tuple[Proxy, list[Node]] | None:
    """The tensor whose memory one is part of, in whichever graph it was made, and the views that lead from it there.

    None where some step is no view of one tensor alone.
    """
    node, tracer, steps = outer.node, outer.tracer, list[Node]()
    key = storage_key(node.meta["example_value"])
    while True:
        if node.op == "placeholder":
            further = next((o for o, inner in tracer.lifted_freevars.items() if inner.node is node), None)
            if further is None:
                return Proxy(node, tracer), steps[::-1]
            node, tracer = further.node, further.tracer
            continue
        tensors = [n for n in node.all_input_nodes if isinstance(n.meta.get("example_value"), torch.Tensor)]
        shared = [n for n in tensors if storage_key(n.meta["example_value"]) == key]
        if not shared:
            return Proxy(node, tracer), steps[::-1]
        if changes_in_place(_name(node)) and node.args[0] is shared[0] and _is_laid_out_as(node, shared[0]):
            node = shared[0]
        elif _name(node) in VIEWS and len(tensors) == 1:
            steps.append(node)
            node = shared[0]
        else:
            return None


def _is_laid_out_as(node: Node, other: Node) -> bool:
    a, b = node.meta["example_value"], other.meta["example_value"]
    return bool(a.shape == b.shape and a.stride() == b.stride())


def view_again(tx: Tx, region: Region, base: Node, steps: list[Node]) -> Node:
    """The views `steps` of a node of the region."""
    for step in steps:
        inputs = {}
        for n in step.all_input_nodes:
            is_base = isinstance(n.meta["example_value"], torch.Tensor)
            home = None if is_base else next(t for t in tx.output.tracers if t.graph is n.graph)
            inputs[n] = base if is_base else region.tracer.maybe_lift_tracked_freevar_to_input(Proxy(n, home)).node
        with region.graph.inserting_after(base):
            base = region.graph.node_copy(step, lambda n, inputs=inputs: inputs[n])
    return base


def _base_of(region: Region, node: Node) -> torch.Tensor | None:
    """The operand whose memory a chain of views ends in."""
    key = storage_key(node.meta["example_value"])
    while node.op != "placeholder":
        if _name(node) not in VIEWS:
            return None
        nexts = [
            n
            for n in node.all_input_nodes
            if isinstance(n.meta["example_value"], torch.Tensor) and storage_key(n.meta["example_value"]) == key
        ]
        if len(nexts) != 1:
            return None
        node = nexts[0]
    return node.meta["example_value"]  # type: ignore[no-any-return]


def _name(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def hook_data() -> None:
    """`x.data` of a tensor from outside of a region, and in an export, is `x.detach()`. Once a process.

    Of what is changed through `x.data` the version of `x` does not tell, so a region would change its operand unseen;
    and torch.export takes it for a constant. That autograd does not see the change has no meaning inside of a graph.
    """
    plain = TensorVariable.method_attr_data

    def method_attr_data(self: TensorVariable, tx: Any) -> VariableTracker:
        if trace_of(tx) is not None and (tx.output.export or _is_operand(tx, self)):
            return method(tx, self, "detach")
        return plain(self, tx)

    TensorVariable.method_attr_data = method_attr_data  # type: ignore[method-assign]


def _is_operand(tx: Tx, vt: VariableTracker) -> bool:
    """Whether a tensor is in memory from outside of a region around."""
    tracer, key, made_in = tx.output.current_tracer, storage_key(example(vt)), vt.as_proxy().tracer
    while tracer.parent is not None:
        if tracer.source_target is None:  # else it is a region of torch's
            values = (n.meta.get("example_value") for n in tracer.graph.find_nodes(op="placeholder"))
            is_input = any(isinstance(value, torch.Tensor) and storage_key(value) == key for value in values)
            if is_input or tracer is not made_in:  # no input yet, where it is new to the region
                return True
        made_in = tracer.parent if tracer is made_in else made_in
        tracer = tracer.parent
    return False
