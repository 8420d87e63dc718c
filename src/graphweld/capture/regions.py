"""One region, traced once: a branch or a loop body as a sub-graph that stays open until its outputs are settled."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dynamo import exc
from torch._dynamo.variables.base import VariableTracker
from torch.fx import Graph, GraphModule, Node, Proxy

from graphweld.capture.effects import Effects, watching
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.refusal import refuse
from graphweld.capture.size_facts import facts_forgotten, learn
from graphweld.capture.variables import Thunk, Tx, proxies_in
from graphweld.diagnostics import rules

DEEPEST = 6  # calls of one function in one another, each in a region of its own


@dataclass(slots=True, eq=False)
class Region:
    """A traced region: its sub-graph's tracer, what it computed and what it changed."""

    tracer: Any
    result: VariableTracker | None = None
    effects: Effects = field(default_factory=Effects)
    raised: str | None = None
    mutated: dict[Proxy, Proxy] = field(default_factory=dict)

    @property
    def graph(self) -> Graph:
        return self.tracer.graph  # type: ignore[no-any-return]

    def owns(self, vt: VariableTracker) -> bool:
        """Whether a value was computed inside, so that it must be handed out."""
        return any(proxy.tracer is self.tracer for proxy in proxies_in(vt))

    def operands(self) -> dict[Proxy, Proxy]:
        """Values from outside (in the enclosing graph) and the placeholders that stand for them."""
        return self.tracer.lifted_freevars  # type: ignore[no-any-return]


@contextmanager
def reopened(tx: Tx, region: Region) -> Iterator[None]:
    """Trace more into a region that has been traced before."""
    with tx.output.subtracer(None, region.tracer), facts_forgotten(tx.output.shape_env):
        yield


def trace_region(
    tx: Tx, run: Thunk, pred: VariableTracker | None = None, holds: bool = True, may_fail: bool = False
) -> Region:
    """Trace `run()` as a region, knowing that `pred` is `holds` inside.

    With `may_fail`, what cannot be traced is known to raise an exception in Python.
    """
    if _depth(tx) > DEEPEST:
        refuse(tx, rules.LoopNotWelded("recursion", "tensor values decide how deep a function calls itself"))
    with tx.output.subtracer(None, None, "graphweld region") as tracer, assumptions_end(tx):
        tracer.allow_side_effects_in_hop = True
        region = Region(tracer)
        if pred is not None:
            assume(tx, pred, holds)
        with facts_stay_inside(tx, "a branch"), watching(tx) as effects:
            if pred is not None:
                node, polarity = _root(pred)
                learn(tx, node, holds is polarity)
            try:
                region.result = run().realize()
            except exc.ObservedException as error:
                region.raised = name_of(error)
                tx.exn_vt_stack.clear_current_exception()
            except (exc.Unsupported, exc.TorchRuntimeError):
                if not may_fail:
                    raise
                region.raised = "an exception"
        region.effects = effects
        region.mutated = mutated_operands(region)
    # Dynamo memoizes the symbols of `.item()` calls per epoch; sharing one between two sub-graphs would leave the
    # second without the node that binds it.
    tx.output.fake_mode.epoch += 1
    return region


def _depth(tx: Tx) -> int:
    """How many calls of the function that is traced are running, if each may be in a region."""
    frame, count = tx.parent, 0
    while frame is not None:
        count += frame.f_code is tx.f_code
        frame = frame.parent
    return min(count, len(tx.output.tracers) - 1)


def name_of(error: exc.ObservedException) -> str:
    """The name of the program's exception that one of Dynamo's stands for."""
    names = (cls.__name__ for cls, observed in exc.observed_exception_map.items() if observed is type(error))
    return next(names, type(error).__name__.removeprefix("Observed"))


@contextmanager
def facts_stay_inside(tx: Tx, region: str = "the body of a loop") -> Iterator[None]:
    """What a region's trace learns of sizes holds only where it runs: forget it behind. An error says where it was.

    An index in a branch tells torch that the dimension is not empty, which would otherwise be asserted at the top of
    the program, and be believed by later tests.
    """
    try:
        with facts_forgotten(tx.output.shape_env):
            yield
    except Exception as error:
        if not hasattr(error, "gw_region"):
            error.gw_region = region  # type: ignore[attr-defined]
        raise


def mutated_operands(region: Region) -> dict[Proxy, Proxy]:
    """Tensors from outside that the region changed in place: the outer proxy, and the placeholder for it."""
    changed = changed_placeholders(region)
    return {outer: inner for outer, inner in region.operands().items() if inner.node in changed}


def changed_placeholders(region: Region) -> set[Node]:
    """The inputs that the region has changed in place."""
    placeholders = [n for n in region.graph.nodes if n.op == "placeholder"]
    tensors = [n for n in placeholders if isinstance(n.meta["example_value"], torch.Tensor)]
    before = zip(tensors, region.tracer._input_versions_at_beginning, strict=True)
    return {node for node, version in before if node.meta["example_value"]._version != version}


def assumptions(tx: Tx) -> list[tuple[Node, bool]]:
    """Predicates whose value is known where the trace stands, innermost last."""
    if not hasattr(tx.output, "gw_assumptions"):
        tx.output.gw_assumptions = []  # type: ignore[attr-defined]
    return tx.output.gw_assumptions  # type: ignore[attr-defined,no-any-return]


@contextmanager
def assumptions_end(tx: Tx) -> Iterator[None]:
    """What is assumed inside holds inside only, however it ends."""
    assumed = assumptions(tx)
    depth = len(assumed)
    try:
        yield
    finally:
        del assumed[depth:]


def assume(tx: Tx, pred: VariableTracker, holds: bool) -> None:
    """Note that from here on, until the region ends, `pred` is `holds`."""
    node, polarity = _root(pred)
    assumptions(tx).append((node, holds is polarity))


def known(tx: Tx, pred: VariableTracker) -> bool | None:
    """What `pred` is known to be on this path, or None."""
    node, polarity = _root(pred)
    for assumed, holds in reversed(assumptions(tx)):
        if assumed is node:
            return holds is polarity
    return None


def decided(vt: VariableTracker, pred: VariableTracker, holds: bool) -> VariableTracker:
    """A value, knowing that `pred` is `holds`: None or a tensor is the tensor behind `if x is None: x = ...`."""
    node, polarity = _root(pred)
    while isinstance(vt, MergeVariable) and vt.joined is None and _root(vt.pred)[0] is node:
        vt = vt.then if (holds is polarity) is _root(vt.pred)[1] else vt.orelse
    return vt


def _root(pred: VariableTracker) -> tuple[Node, bool]:
    """The predicate that `pred` is, or is the opposite of."""
    opposite = getattr(pred, "gw_negated", None)
    return (pred.as_proxy().node, True) if opposite is None else (opposite.as_proxy().node, False)


def add_placeholder(graph: Graph, like: Node) -> Node:
    """A new input where the graph inserts, named like a node. Its argument name and node name agree.

    Where they differ, the generated code copies arguments to names that may be those of later arguments.
    """
    taken = {node.name for node in graph.nodes} | {str(n.target) for n in graph.nodes if n.op == "placeholder"}
    stem = like.name.rstrip("0123456789_") or "value"
    name = next(n for n in (f"{stem}_in{k}" for k in itertools.count()) if n not in taken)
    made = graph.placeholder(name)
    made.meta = dict(like.meta)
    return made


def is_impure(node: Node) -> bool:
    """Whether a node must run although nobody reads it."""
    if node.op == "call_module":
        return True
    if node.op == "call_method":
        return str(node.target).endswith("_") and not str(node.target).endswith("__")
    if node.op == "call_function":
        if getattr(node.target, "gw_impure", False) or isinstance(node.target, torch._ops.HigherOrderOperator):
            return True
        return bool(node.is_impure())
    return False


def install(tx: Tx, name: str, graph: Graph) -> Proxy:
    """Make a finished sub-graph an attribute of the program, and return the node that reads it."""
    module = GraphModule(dict(tx.output.nn_modules), graph)
    return tx.output.create_proxy("get_attr", tx.output.install_subgraph(name, module), (), {})
