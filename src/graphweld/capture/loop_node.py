"""The node of a loop whose body has been traced, and whose results are settled."""

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import wrap_fx_proxy
from torch.fx import Proxy

from graphweld.capture.differentiable import loop
from graphweld.capture.fillers import filler
from graphweld.capture.operands import bind_items, number_operands_to_tensors, refuse_unknown_draws, without_aliases
from graphweld.capture.regions import Region, add_placeholder, install
from graphweld.capture.results import note_rows, result_like, results_from
from graphweld.capture.saved_operands import note_versions
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, example, method, storage_key


def strided(tx: Tx, values: list[VariableTracker], like: list[VariableTracker]) -> list[VariableTracker]:
    """Values laid out in memory as the carries they are for."""
    made = []
    for vt, target in zip(values, like, strict=True):
        if example(vt).stride() != example(target).stride() and example(target).is_contiguous():
            vt = method(tx, vt, "contiguous")
        made.append(vt)
    return made


def emit(
    tx: Tx,
    region: Region,
    inputs: list[VariableTracker],
    mutated: list[Proxy],
    outs: list[VariableTracker],
    inits: list[VariableTracker],
) -> list[VariableTracker]:
    """The while_loop node: carries are (stop, carried values, tensors changed in place)."""
    tracer, graph = region.tracer, region.graph
    refuse_unknown_draws(tx, region)
    proxies = [tracer.maybe_lift_tracked_freevar_to_input(v.as_proxy()) for v in outs]
    graph.output(tuple(p.node for p in proxies))
    number_operands_to_tensors(tx, region)
    bind_items(region)
    extra = [o for o in region.operands() if o not in set(mutated)]
    order = [v.as_proxy().node for v in inputs]
    order += [region.operands()[o].node for o in mutated]
    order += [region.operands()[o].node for o in extra]
    first = next(n for n in graph.nodes if n.op != "placeholder")
    with graph.inserting_before(first):
        add_placeholder(graph, outs[0].as_proxy().node)
    for node in order:
        with graph.inserting_before(first):
            moved = add_placeholder(graph, node)
        node.replace_all_uses_with(moved)
        graph.erase_node(node)
    graph.lint()
    operands = without_aliases(tx, extra, {storage_key(example(v)) for v in inits})
    rows = tuple(filler(tx, example(row)).as_proxy() for row in outs[len(inits) :])
    given = (
        install(tx, "gw_body", graph),
        tuple(v.as_proxy() for v in inits),
        tuple(operands),
        *([rows] if rows else []),
    )
    trace = trace_of(tx)
    how = {"checkpoint": True} if trace is not None and trace.checkpoint else {}
    proxy = tx.output.create_proxy("call_function", loop, given, how)
    note_versions(proxy.node)
    # From here on no node may come between: the number of rows is a symbol that this node binds.
    count = tx.output.shape_env.create_unbacked_symint() if rows else 0
    if rows:
        note_rows(tx)
    torch._check(count >= 0)
    likes = [result_like(tx, example(v), () if k < len(inits) else (count,)) for k, v in enumerate(outs)]
    fakes = results_from(tx, likes, [*map(example, inits), *(o.node.meta["example_value"] for o in operands)])
    result = wrap_fx_proxy(tx, proxy, example_value=fakes)
    return list(result.items)  # type: ignore[attr-defined]
