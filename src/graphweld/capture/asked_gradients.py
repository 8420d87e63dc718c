"""What a program asks autograd for, with `torch.autograd.grad` or `backward`: given as in plain Python, or refused.

while p(z): z = z * w
g, = torch.autograd.grad(z.sum(), w, allow_unused=True)     None where there was no trip: refused

y = w * 3
if p: g, = torch.autograd.grad((y * x).sum(), w)            a branch does not know how y was made: refused
"""

import operator
from collections.abc import Iterable
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch.autograd.graph import Node as Step
from torch.fx import Node

from graphweld.capture.differentiable import branch, loop
from graphweld.capture.refusal import refuse
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, proxies_in
from graphweld.diagnostics import rules

UNSURE = "whether there is a gradient, or None, is up to the data: of a branch, one side may not use the tensor"
OUTSIDE = "it asks for the gradient of an operand, and another operand may have been made of that one"


def check(tx: Tx, args: list[VariableTracker], kwargs: dict[str, VariableTracker], result: VariableTracker) -> None:
    """Note it; refuse a `result` of `torch.autograd.grad` that is up to the data, or beyond what a region knows."""
    trace = trace_of(tx)
    if trace is not None:
        trace.asks_gradients = True
    given = dict(zip(("outputs", "inputs"), args, strict=False)) | kwargs
    here = tx.output.current_tracer.maybe_lift_tracked_freevar_to_input
    heads = [here(proxy).node for proxy in proxies_in(given["outputs"])]
    asked = given["inputs"].realize()
    for one, gradient in zip(getattr(asked, "items", [asked]), result.items, strict=True):  # type: ignore[attr-defined]
        if isinstance(gradient, ConstantVariable):  # None: it is used nowhere
            continue
        (node,) = (here(proxy).node for proxy in proxies_in(one))
        _refuse_ways_outside(tx, heads, node)
        zeros = given.get("materialize_grads")
        if zeros is None or not zeros.as_python_constant():
            if not any(surely_uses(tx, head, node) for head in heads):
                refuse(tx, rules.TorchBreak(UNSURE))


def surely_uses(tx: Tx, node: Node, source: Node, known: dict[Node, bool] | None = None) -> bool:
    """Whether gradients flow from `node` to `source`, whatever the data are."""
    known = {} if known is None else known
    if node not in known:
        known[node] = False
        known[node] = node is source or (_needs_gradient(node) and _inputs_use(tx, node, source, known))
    return known[node]


def _inputs_use(tx: Tx, node: Node, source: Node, known: dict[Node, bool]) -> bool:
    made: Any = node.args[0] if node.target is operator.getitem else None
    args: Any = getattr(made, "args", ())
    if isinstance(made, Node) and made.target is branch:
        _, *sides, operands = args
        used = {i for i, operand in enumerate(operands) if surely_uses(tx, operand, source, known)}
        return all(_output_uses(tx, side, node.args[1], used) for side in sides)
    if isinstance(made, Node) and made.target is loop:
        body, carries, extras, *_ = args
        used = {i for i, operand in enumerate((*carries, *extras)) if surely_uses(tx, operand, source, known)}
        kept = {k for k in used if k < len(carries)}
        while lost := {k for k in kept if not _output_uses(tx, body, k, used)}:  # what a trip forgets
            kept, used = kept - lost, used - lost
        return node.args[1] in kept
    return any(surely_uses(tx, operand, source, known) for operand in node.all_input_nodes)


def _output_uses(tx: Tx, region: Any, k: Any, used: set[int]) -> bool:
    graph = tx.output.nn_modules[region.target].graph
    (output,) = graph.find_nodes(op="output")
    inputs = graph.find_nodes(op="placeholder")
    return any(surely_uses(tx, output.args[0][k], inputs[i]) for i in used)


def _needs_gradient(node: Node) -> bool:
    values = node.meta.get("example_value")
    values = values if isinstance(values, (tuple, list)) else [values]
    return any(isinstance(value, torch.Tensor) and value.requires_grad for value in values)


def _refuse_ways_outside(tx: Tx, heads: list[Node], asked: Node) -> None:
    """Refuse a gradient for an operand of a region, on a way that leads through the history of another operand."""
    tracer = tx.output.current_tracer
    if tracer.parent is None or tracer.source_target is not None:  # outermost, or a region of torch's own
        return
    if asked.op != "placeholder":
        return
    own = _history(asked)
    others = set(map(_history, tracer.graph.find_nodes(op="placeholder"))) - {None, own}
    if others & _reached(map(_history, heads), own):
        refuse(tx, rules.RegionBreaks("a branch or loop", OUTSIDE, None))


def _history(node: Node) -> Step | None:
    return getattr(node.meta.get("example_value"), "grad_fn", None)


def _reached(starts: Iterable[Step | None], stop: Step | None) -> set[Step]:
    found, left = set[Step](), list(starts)
    while left:
        step = left.pop()
        if step is not None and step is not stop and step not in found:
            found.add(step)
            left += [before for before, _ in step.next_functions]
    return found
