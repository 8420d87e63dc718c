"""Operands of a finished region: shared by both sides, tensors only, and never changed in place."""

import torch
from torch._dynamo.utils import set_example_value
from torch._dynamo.variables.base import VariableTracker
from torch.fx import Proxy

from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region
from graphweld.capture.variables import Tx, call, existing, storage_key
from graphweld.diagnostics import rules


def number_operands_to_tensors(tx: Tx, region: Region) -> None:
    """Symbolic floats and bools enter as 0-d tensors: the operators take tensors and ints only."""
    for outer, inner in list(region.operands().items()):
        number = inner.node.meta["example_value"]
        if not isinstance(number, (torch.SymFloat, torch.SymBool)):
            continue
        dtype = torch.float64 if isinstance(number, torch.SymFloat) else torch.bool
        tensor = call(tx, torch.full, (), existing(tx, outer), dtype=dtype)
        graph = region.graph
        with graph.inserting_before(inner.node):
            placeholder = graph.placeholder(f"{inner.node.name}_t")
            set_example_value(placeholder, tensor.as_proxy().node.meta["example_value"])
        last = [n for n in graph.nodes if n.op == "placeholder"][-1]
        with graph.inserting_after(last):
            item = graph.call_method("item", (placeholder,))
            item.meta["example_value"] = number
        inner.node.replace_all_uses_with(item)
        graph.erase_node(inner.node)
        del region.operands()[outer]
        region.operands()[tensor.as_proxy()] = Proxy(placeholder, region.tracer)


def share_operands(*regions: Region) -> list[Proxy]:
    """Give all regions the same placeholders in the same order, and return the values to pass."""
    outers = list(dict.fromkeys(outer for region in regions for outer in region.operands()))
    for region in regions:
        graph = region.graph
        first = next(iter(graph.nodes))
        made = {}
        for outer in outers:
            with graph.inserting_before(first):
                made[outer] = graph.placeholder(outer.node.name)
            inner = region.operands().get(outer)
            made[outer].meta = dict((outer if inner is None else inner).node.meta)
        for outer, inner in region.operands().items():
            inner.node.replace_all_uses_with(made[outer])
            graph.erase_node(inner.node)
            region.operands()[outer] = Proxy(made[outer], region.tracer)
    return outers


def copy_operand(tx: Tx, region: Region, outer: Proxy, value: VariableTracker) -> VariableTracker:
    """Make a region work on a copy of a tensor from outside; returns the copy, which ends up with the final value."""
    inner = region.tracer.maybe_lift_tracked_freevar_to_input(outer)
    key = storage_key(inner.node.meta["example_value"])
    for other in region.operands().values():
        fake = other.node.meta["example_value"]
        if other is not inner and isinstance(fake, torch.Tensor) and storage_key(fake) == key and other.node.users:
            refuse(tx, rules.RegionMutates("a tensor that is used under two names", "a branch"))
    graph = region.graph
    users = list(inner.node.users)
    last = [n for n in graph.nodes if n.op == "placeholder"][-1]
    with graph.inserting_after(last):
        copy = graph.call_method("clone", (inner.node,))
    copy.meta["example_value"] = inner.node.meta["example_value"].clone()
    for user in users:
        user.replace_input_with(inner.node, copy)
    return existing(tx, Proxy(copy, region.tracer))
