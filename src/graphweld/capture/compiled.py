"""Between the captured graph and its backend: what a graph needs before it is compiled, and a call of it afterwards."""

import operator
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch
from torch._dynamo.output_graph import OutputGraph
from torch.fx import GraphModule, Node

from graphweld.capture import sites
from graphweld.capture.picked import picks
from graphweld.capture.raises import MARK, MARK_UNHANDLED, changed_inputs, has_handler, is_fact, is_marked
from graphweld.capture.reached import keep_gradients_apart
from graphweld.capture.regions import is_impure
from graphweld.capture.saved_operands import copy_changed
from graphweld.capture.variables import storage_key

CHANGED_BEFORE = (
    "GW105: an operator does not get what it needs, behind a change of an argument that needs a gradient; "
    "plain Python says which"
)


def hook_compiled() -> None:
    """Have operands copied that change later; a graph that may end in a raise leaves no trace where it does."""
    call_user_compiler = OutputGraph.call_user_compiler

    def compiled(self: OutputGraph, gm: GraphModule, example_inputs: list[Any]) -> Any:
        copy_changed(gm)
        trace = sites.trace_of(self.root_tx)
        if trace is not None and trace.show is not None:
            trace.show(gm)
        if trace is not None and not self.export:
            keep_gradients_apart(gm, picks(self))
        fn = call_user_compiler(self, gm, example_inputs)
        if trace is None or self.export:
            return fn
        if sites.is_piece(self.root_tx):
            return once(fn, self.root_tx.f_code)
        changed, handles = changed_inputs(self), any(map(has_handler, self.traced_code))
        is_seen = bool(changed) or not self.side_effects.is_empty()  # what the program did before it raised
        if not handles and not is_seen and not getattr(self, "gw_raises", False):
            return fn
        if torch.is_grad_enabled() and any(n.meta["example_value"].requires_grad for n in changed):
            put_back: list[Node] = []  # what needs a gradient has a history
        else:  # a copy for each call costs too much where nothing asks for it
            put_back = changed if handles else changed_before_a_fact(gm, changed)
        inputs = [node for node in gm.graph.nodes if node.op == "placeholder"]
        return undone(
            fn,
            [i for i, n in enumerate(inputs) if n in put_back or "gw_put_back" in n.meta],
            [i for i, n in enumerate(inputs) if n in changed and n not in put_back],
            MARK if handles else MARK_UNHANDLED,
        )

    OutputGraph.call_user_compiler = compiled  # type: ignore[method-assign]


def changed_before_a_fact(gm: GraphModule, changed: list[Node]) -> list[Node]:
    """Of the inputs that a graph changes, those that it has changed where it still asserts something of sizes."""
    nodes = list(gm.graph.nodes)
    facts = [i for i, node in enumerate(nodes) if _asserts(gm, node)]
    if not facts:
        return []
    inputs = {node.name: node for node in nodes if node.op == "placeholder"}
    return [n for n in changed if n.name not in inputs or _first_change(nodes, inputs[n.name]) < facts[-1]]


def _asserts(gm: GraphModule, node: Node) -> bool:
    if node.op == "get_attr" and isinstance(inner := getattr(gm, str(node.target), None), GraphModule):
        return any(_asserts(inner, n) for n in inner.graph.nodes)
    if node.target is not torch.ops.aten._assert_scalar.default:
        return False
    test = node.args[0]
    is_size = isinstance(test, Node) and test.target is operator.ge and test.args[1] == 0  # at least 0, as each is
    return not (is_size and test.args[0].target is torch.ops.aten.sym_size.int)  # type: ignore[union-attr]


def _first_change(nodes: list[Node], changed: Node) -> int:
    """Where an input's memory is first written to, by what is seen of a node."""
    memory = _memory(changed)
    for i, node in enumerate(nodes):
        writes = is_impure(node) or node.target is operator.setitem or "out" in node.kwargs or "inplace" in node.kwargs
        if writes and any(_memory(operand) == memory for operand in node.all_input_nodes):
            return i
    return 0


def _memory(node: Node) -> Any:
    value = node.meta.get("example_value")
    return storage_key(value) if isinstance(value, torch.Tensor) else node


def undone(fn: Callable[..., Any], changed: list[int], watched: list[int], mark: str) -> Callable[..., Any]:
    """`fn`, which draws nothing and changes none of its arguments `changed` if it raises.

    Where it is an operator that raises, the exception gets a `mark`, unless one of `watched` was changed before. Then
    plain Python cannot run either, to tell which exception a fact that does not hold stands for.
    """

    def call(*args: Any) -> Any:
        drawn = torch.get_rng_state()
        before = [(args[i], args[i].detach().clone()) for i in changed]
        versions = _versions(args, watched)
        try:
            return fn(*args)
        except Exception as error:
            marked = is_marked(error)
            if not marked and versions != _versions(args, watched):
                if is_fact(error):
                    raise RuntimeError(f"{CHANGED_BEFORE}: {error}") from None
                raise
            torch.set_rng_state(drawn)
            with torch.no_grad():
                for tensor, value in before:
                    tensor.copy_(value)
            if marked or is_fact(error):
                raise
            raise RuntimeError(mark) from error

    return call


def _versions(args: tuple[Any, ...], places: list[int]) -> list[float]:
    """How often these arguments were changed; a number unlike itself where nobody counts."""
    return [float("nan") if args[i].is_inference() else args[i]._version for i in places]


def once(fn: Callable[..., Any], code: CodeType) -> Callable[..., Any]:
    """`fn`, a piece of a program that breaks, which must not run again as plain Python: what was before it, has run."""
    words = (
        f"GW105: an operator in `{code.co_name}` ({code.co_filename}:{code.co_firstlineno}) raises for the values that "
        "it gets; remove the break in the graph further out, and plain Python says which"
    )

    def call(*args: Any) -> Any:
        try:
            return fn(*args)
        except RuntimeError as error:
            if not is_marked(error):
                raise
            raise RuntimeError(words) from None

    return call
