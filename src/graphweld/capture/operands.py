"""Operands of a finished region: shared by both sides, tensors only, and never changed in place."""

from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch.fx import GraphModule, Node, Proxy, map_arg
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphweld.capture.aliases import source_of, view_again
from graphweld.capture.data_numbers import drop_dead_numbers, number_tensor
from graphweld.capture.draws import unknown_draw
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region, add_placeholder
from graphweld.capture.variables import Tx, existing, is_dense, method, storage_key
from graphweld.diagnostics import rules

SYMBOLIC = {torch.SymFloat: float, torch.SymBool: bool, torch.SymInt: int}


def number_operands_to_tensors(tx: Tx, region: Region) -> None:
    """Numbers that came out of tensors enter as 0-d tensors.

    The operators take no floats and bools, and Inductor loses track of an int that is computed from another. A size
    that an operand has stays a number.
    """
    drop_dead_numbers(region)
    _bind_symbols(tx, region)
    values = [inner.node.meta["example_value"] for inner in region.operands().values()]
    sizes = set[Any]().union(*(free_unbacked_symbols(v) for v in values if isinstance(v, torch.Tensor)))
    for outer, inner in list(region.operands().items()):
        number = inner.node.meta["example_value"]
        if isinstance(number, tuple(SYMBOLIC)) and not number.node.expr.free_symbols:
            _make_constant(region, outer)
            continue
        if (
            isinstance(number, torch.Tensor)
            or not free_unbacked_symbols(number)
            or free_unbacked_symbols(number) & sizes
        ):
            if not isinstance(number, (torch.SymFloat, torch.SymBool)):
                continue
        kind = next(k for symbolic, k in SYMBOLIC.items() if isinstance(number, symbolic))
        tensor = number_tensor(tx, existing(tx, outer), kind)
        graph = region.graph
        with graph.inserting_before(inner.node):
            placeholder = add_placeholder(graph, tensor.as_proxy().node)
        last = [n for n in graph.nodes if n.op == "placeholder"][-1]
        with graph.inserting_after(last):
            item = graph.call_method("item", (placeholder,))
            item.meta["example_value"] = number
        inner.node.replace_all_uses_with(item)
        graph.erase_node(inner.node)
        del region.operands()[outer]
        region.operands()[tensor.as_proxy()] = Proxy(placeholder, region.tracer)


def _make_constant(region: Region, outer: Proxy) -> None:
    """Write a number that is known after all, as `n % 1 == 0` is, where a region uses it."""
    node = region.operands().pop(outer).node
    number = node.meta["example_value"].node
    value = next(v for v in (number.maybe_as_bool(), number.maybe_as_float(), number.maybe_as_int()) if v is not None)
    for user in list(node.users):
        user.args = map_arg(user.args, lambda n: value if n is node else n)
        user.kwargs = map_arg(user.kwargs, lambda n: value if n is node else n)
    region.graph.erase_node(node)


def _bind_symbols(tx: Tx, region: Region) -> None:
    """Give a region that gets a number such as `n + 1` also `n`: Inductor computes with the symbols in it."""
    bound = tx.output.root_tracer.bound_symbols
    for inner in list(region.operands().values()):
        number = inner.node.meta["example_value"]
        if isinstance(number, torch.SymInt) and not number.node.expr.is_Symbol:
            for symbol in number.node.expr.free_symbols:
                proxy = bound.get(symbol)
                if proxy is not None:
                    made = proxy if isinstance(proxy, Proxy) else proxy()  # torch makes some of them when asked
                    region.tracer.maybe_lift_tracked_freevar_to_input(made)


def bind_items(region: Region) -> None:
    """Give every `.item()` in a region a tensor of its own.

    Fake tensors remember the symbol of their first `.item()`; a second one, in a sub-graph, would then make no symbol,
    and Inductor misses the entry that binds it ("unbacked_bindings").
    """
    for node in list(region.graph.find_nodes(op="call_method", target="item")):
        source = node.args[0]
        if source.target == "clone" and len(source.users) == 1:
            continue
        with region.graph.inserting_before(node):
            copy = region.graph.call_method("clone", (source,))
        copy.meta = dict(source.meta)
        node.replace_input_with(source, copy)


def share_operands(*regions: Region) -> list[Proxy]:
    """Give all regions the same placeholders in the same order, and return the values to pass."""
    outers = list(
        dict.fromkeys(
            o for region in regions for o, inner in region.operands().items() if not _is_left_over(inner.node)
        )
    )
    for region in regions:
        graph = region.graph
        first = next(iter(graph.nodes))
        made = {}
        for outer in outers:
            with graph.inserting_before(first):
                made[outer] = add_placeholder(graph, region.operands().get(outer, outer).node)
        for outer, inner in region.operands().items():
            if outer in made:
                inner.node.replace_all_uses_with(made[outer])
                region.operands()[outer] = Proxy(made[outer], region.tracer)
            graph.erase_node(inner.node)
    return outers


def _is_left_over(placeholder: Node) -> bool:
    """Whether nobody reads a tensor, as where another operand's memory is its own. Numbers and sizes bind symbols."""
    value = placeholder.meta["example_value"]
    is_plain = isinstance(value, torch.Tensor) and all(isinstance(n, int) for n in value.shape)
    return is_plain and not placeholder.users


def without_aliases(tx: Tx, operands: list[Proxy], taken: set[Any]) -> list[Proxy]:
    """Operands no two of which share memory: the operators take no views of one another."""
    made = []
    for outer in operands:
        value = outer.node.meta["example_value"]
        key = storage_key(value) if isinstance(value, torch.Tensor) else None
        made.append(outer if key is None or key not in taken else method(tx, existing(tx, outer), "clone").as_proxy())
        taken.add(key)
    return made


def changed_memory(tx: Tx, regions: tuple[Region, ...], where: str) -> list[Proxy]:
    """The tensors from outside that regions change in place: of several that share memory, what they are views of.

    One that no region uses is none of them: another operand has its memory, and with it the count of its changes.
    """
    found: dict[Node, Proxy] = {}
    for outer in dict.fromkeys(o for region in regions for o, inner in region.mutated.items() if inner.node.users):
        names = {o for region in regions for o, inner in _sharing(region, outer) if inner.node.users}
        sources = {o: source_of(tx, o) for o in names - {outer}} and {o: source_of(tx, o) for o in names | {outer}}
        roots = {source[0].node: source[0] for source in sources.values() if source is not None}
        if sources and (None in sources.values() or len(roots) > 1):
            refuse(tx, rules.RegionMutates("a tensor that is used under two names", where))
        root = _lifted(regions, next(iter(roots.values()), outer))
        found.setdefault(root.node, root)
    return list(found.values())


def copy_operand(
    tx: Tx, region: Region, outer: Proxy, value: VariableTracker, where: str = "a branch"
) -> VariableTracker:
    """Make a region work on a copy of a tensor from outside; returns the copy, which ends up with the final value.

    What else it knows of that tensor's memory becomes views of the copy.
    """
    outer = _lifted((region,), outer)
    inner = region.tracer.maybe_lift_tracked_freevar_to_input(outer)
    views = [(o, i) for o, i in _sharing(region, outer) if o is not outer and i.node.users]
    if views and not is_dense(inner.node.meta["example_value"]):
        refuse(tx, rules.RegionMutates("a tensor that is used under two names", where))
    copy = work_on_copy(region, inner.node)
    for other, placeholder in views:
        source = source_of(tx, other)
        assert source is not None
        placeholder.node.replace_all_uses_with(view_again(tx, region, copy, source[1]))
    return existing(tx, Proxy(copy, region.tracer))


def _lifted(regions: tuple[Region, ...], outer: Proxy) -> Proxy:
    """The proxy by which a region knows a node already."""
    return next((o for region in regions for o in region.operands() if o.node is outer.node), outer)


def _sharing(region: Region, outer: Proxy) -> list[tuple[Proxy, Proxy]]:
    """The operands that share memory with a tensor."""
    key = storage_key(outer.node.meta["example_value"])
    tensors = [(o, i) for o, i in region.operands().items() if isinstance(i.node.meta["example_value"], torch.Tensor)]
    return [(o, i) for o, i in tensors if storage_key(i.node.meta["example_value"]) == key]


def work_on_copy(region: Region, placeholder: Node) -> Node:
    """Have all that a region does with an input be done with a copy of it."""
    users = list(placeholder.users)
    last = [n for n in region.graph.nodes if n.op == "placeholder"][-1]
    with region.graph.inserting_after(last):
        copy = region.graph.call_method("clone", (placeholder,))
    copy.meta["example_value"] = placeholder.meta["example_value"].clone()
    for user in users:
        user.replace_input_with(placeholder, copy)
    return copy


def refuse_unknown_draws(tx: Tx, *regions: Region) -> None:
    """Refuse random functions whose draws cannot be replayed for the gradient, where one flows."""
    for region in regions:
        values = [n.meta["example_value"] for n in region.graph.nodes if n.op == "placeholder"]
        if torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values):
            name = unknown_draw(GraphModule(dict(tx.output.nn_modules), region.graph))
            if name is not None:
                reason = f"gradients flow through `{name}`, whose random draws the backward cannot repeat"
                refuse(tx, rules.RegionBreaks("a branch or loop", reason, None))
