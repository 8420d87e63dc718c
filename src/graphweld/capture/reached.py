"""Gradients stay where the program was: what it computed, and then did not use, gets none.

    d = (x * x).sum().sqrt()           reach = Reach(); y = enter(x, reach); d = (y * y).sum().sqrt()
    if d > 0:                    ->
        x = x / d                      x, = branch(positive, ..., (x, d)); tell(reach, positive)

The backward of a branch gives zeros to an operand that only the other side uses. In plain Python autograd does not come
to what computed it. Here it would, and where a derivative is infinite (at `d == 0`) zero times infinity is NaN. So what
is used only if some predicates say so, is computed of operands whose gradient is zero unless they do: they are known
behind it, and before the backward.

This is for a backend that traces the graph again. One that runs it as it is has autograd record what runs.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, cast

import torch
from torch.fx import GraphModule, Node, has_side_effect
from torch.utils import _pytree as pytree

from graphweld.capture.differentiable import branch, is_traced, loop, select
from graphweld.capture.inline import is_flat
from graphweld.capture.picked import Pick
from graphweld.capture.regions import add_placeholder, is_impure
from graphweld.capture.selects import is_select
from graphweld.capture.variables import storage_key

Pred = Node | tuple[Node, int]  # a predicate, or whether an If has used one of its operands
Way = frozenset[tuple[Pred, bool]]  # predicates, and what each has to be
Ways = frozenset[Way]  # one is enough

NEVER: Ways = frozenset()
ALWAYS: Ways = frozenset({frozenset()})
MOST_WAYS = 16


class Reach:
    """Whether the backward comes to some values, in one run of the graph: told once it is known."""

    flag: torch.Tensor


def enter(value: torch.Tensor, reach: Reach) -> torch.Tensor:
    """`value`, with no gradient from here unless `reach` is told otherwise."""
    if not (is_traced(value) and torch.is_grad_enabled() and value.requires_grad):
        return value
    return _Enter.apply(value, reach)  # type: ignore[no-any-return]


@has_side_effect
def tell(reach: Reach, flag: torch.Tensor) -> None:
    reach.flag = flag


class _Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, reach: Reach) -> torch.Tensor:  # type: ignore[override]
        ctx.reach = reach
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:  # type: ignore[override]
        return torch.where(ctx.reach.flag.to(grad.device), grad, torch.zeros_like(grad)), None


def keep_gradients_apart(module: GraphModule, picks: dict[Node, set[Pick]]) -> None:
    """Have no gradient flow through what a run of the graph has not used, or what was not picked of its results."""
    (output,) = module.graph.find_nodes(op="output")
    ways = [_simplified({_all_of(pick) for pick in picks.get(node, {frozenset()})}) for node in _values(output)]
    is_welded = any(n.target in (branch, loop) or is_select(n) for n in module.graph.nodes)
    if (is_welded or any(w != ALWAYS for w in ways)) and any(map(_requires_grad, module.graph.nodes)):
        _Backward(module, dict(enumerate(ways))).keep_apart()


class _Backward:
    """Which ways the backward of a graph, or of a region, comes to its values from its outputs, or some of them."""

    def __init__(self, module: GraphModule, outputs: dict[int, Ways]) -> None:
        self.module, self.graph = module, module.graph
        self.inputs = self.graph.find_nodes(op="placeholder")
        (self.output,) = self.graph.find_nodes(op="output")
        self.wanted: dict[Node, Ways] = {}
        for k, node in enumerate(_values(self.output)):
            self.wanted[node] = _simplified({*self.wanted.get(node, NEVER), *outputs.get(k, NEVER)})
        changes = [(node, _storages(n)) for node in self.graph.nodes if is_impure(node) for n in node.all_input_nodes]
        self.changed = {storage: node for node, storages in changes for storage in storages}  # by what at last
        self.names: dict[int, list[Node]] = {storage: [] for storage in self.changed}
        for node in self.graph.nodes:
            for storage in self.changed.keys() & _storages(node):
                self.names[storage].append(node)
        self.regions: dict[Node, tuple[_Backward, ...]] = {}  # of each If and Loop
        self.runs: dict[Node, dict[Node, Ways]] = {}  # in which it uses each of its operands
        self.ways: dict[Node, Ways] = {}
        for node in reversed(self.graph.nodes):
            self.ways[node] = self._ways_to(node)
            if node.target in (branch, loop) and self.ways[node] != NEVER:
                (self._look_into_branch if node.target is branch else self._look_into_loop)(node)
        self.flags: dict[Ways, Node] = {}
        self.told: dict[tuple[Node, int], Node] = {}

    def keep_apart(self) -> None:
        computed = [node for node in self.ways if node.op in ("call_function", "call_method", "call_module")]
        steep = {self.ways[node] for node in computed if not is_flat(node)} - {NEVER, ALWAYS}
        reaches: dict[Ways, Node] = {}
        for node in reversed(computed):
            if is_select(node) and _requires_grad(node):
                node.target = select
            ways = self.ways[node]
            for operand in node.all_input_nodes if ways in steep else ():
                if self._is_entered(operand, node):
                    if ways not in reaches:
                        with self.graph.inserting_before(computed[-1]):
                            reaches[ways] = self.graph.call_function(Reach)
                    with self.graph.inserting_before(node):
                        entered = self.graph.call_function(enter, (operand, reaches[ways]))
                    entered.meta = {"example_value": operand.meta["example_value"]}
                    node.replace_input_with(operand, entered)
        for ways, reach in reaches.items():
            flag = self.flag(ways)
            with self.graph.inserting_before(self.output):
                self.graph.call_function(tell, (reach, flag))
        self._leave_out_unwanted()
        for regions in self.regions.values():
            for region in regions:
                region.keep_apart()
        self.module.recompile()

    def _is_entered(self, operand: Node, node: Node) -> bool:
        """Whether the backward goes from what it comes to some ways to what it comes to in others, or leaves here."""
        if not _is_float(operand) or len(_tensors(operand)) > 1:
            return False
        if any(self.changed[storage] >= node for storage in self.changed.keys() & _storages(operand)):
            return False  # autograd has its own word about what is changed
        return self.ways[operand] != self.ways[node] or operand.op == "placeholder"

    def _leave_out_unwanted(self) -> None:
        """What no gradient comes to passes no zeros on: results of a region, operands of an If or Loop."""
        for node in _values(self.output):
            if self.wanted.get(node, ALWAYS) == NEVER:
                self._detach(node, self.output)
        for node, runs in self.runs.items():
            for operand in [operand for operand, ways in runs.items() if ways == NEVER]:
                self._detach(operand, node)

    def _detach(self, node: Node, user: Node) -> None:
        if _is_float(node):
            with self.graph.inserting_before(user):
                detached = self.graph.call_method("detach", (node,))
            detached.meta = {"example_value": node.meta["example_value"].detach()}
            user.replace_input_with(node, detached)

    def _ways_to(self, node: Node) -> Ways:
        if not _is_float(node):
            return NEVER
        names = {node, *(n for storage in self.changed.keys() & _storages(node) for n in self.names[storage])}
        if len(names) > 1 and any(not n.op.startswith("call") for n in names):
            return ALWAYS  # who holds it sees it change
        found: set[Way] = set()
        for name in names:
            for user in name.users:
                if user <= node or user.target == "detach":
                    continue
                if user.op == "output":
                    found |= self.wanted[name]
                elif user.target is torch.autograd.grad or user.meta.get("example_value") is None or _hides(user):
                    return ALWAYS  # who knows what becomes of it
                else:
                    found |= {one | other for one in self.ways[user] for other in self._used_by(user, name)}
        return _simplified(found)

    def _used_by(self, user: Node, node: Node) -> Ways:
        """The runs of one node in which it uses an operand."""
        if user in self.runs:
            return self.runs[user].get(node, ALWAYS)
        if is_select(user):
            pred, then, orelse = cast(tuple[Node, ...], user.args)
            return _simplified({_where(pred, side) for side, value in ((True, then), (False, orelse)) if value is node})
        return ALWAYS

    def _look_into_branch(self, node: Node) -> None:
        pred, *sides, operands = cast(tuple[Any, ...], node.args)
        outputs = dict.fromkeys(self._results(node), ALWAYS)
        self.regions[node] = tuple(_Backward(getattr(self.module, side.target), outputs) for side in sides)
        self.runs[node] = {}
        for k, operand in enumerate(operands):
            ways = [region.ways[region.inputs[k]] for region in self.regions[node]]
            used = {_where(pred, side) for side, w in zip((True, False), ways, strict=True) if w != NEVER}
            if not all(w in (NEVER, ALWAYS) for w in ways):
                used = {frozenset({((node, k), True)})}
            self.runs[node][operand] = _simplified(used)

    def _look_into_loop(self, node: Node) -> None:
        body, carries, extras = cast(tuple[Any, ...], node.args[:3])
        results = self._results(node)
        wanted: set[int] | None = None
        found = results
        while wanted != found:
            wanted = found
            region = _Backward(getattr(self.module, body.target), dict.fromkeys(wanted, ALWAYS))
            used = [k for k, given in enumerate(region.inputs) if region.ways[given] != NEVER]
            found = wanted | {k for k in used if k < len(carries)}
        self.regions[node] = (region,)
        none, some = {_where(carries[0], True)}, {_where(carries[0], False)}
        self.runs[node] = {}
        for k, operand in enumerate((*carries, *extras)):
            runs = none if k < len(carries) and k in results else set()
            if k >= len(carries) and region.ways[region.inputs[k]] not in (NEVER, ALWAYS):
                runs = {frozenset({((node, k), True)})}
            elif k in used:
                runs = runs | some
            self.runs[node][operand] = _simplified(runs)

    def _results(self, node: Node) -> set[int]:
        """The results of an If or Loop that the backward comes to."""
        reads = [user for user in node.users if user.target is operator.getitem]
        if len(reads) < len(node.users):
            return set(range(len(node.meta["example_value"])))
        return {cast(int, user.args[1]) for user in reads if self.ways[user] != NEVER}

    def flag(self, ways: Ways) -> Node:
        """A node at the end that tells whether the run was one of these."""
        if ways not in self.flags:
            with self.graph.inserting_before(self.output):
                every = [self._joined(torch.logical_and, [self._test(*one) for one in way], True) for way in ways]
                self.flags[ways] = self._joined(torch.logical_or, every, False)
        return self.flags[ways]

    def _joined(self, fn: Callable[..., Any], tests: list[Node], of_none: bool) -> Node:
        if not tests:
            return self.graph.call_function(torch.full, ((), of_none))
        return functools.reduce(lambda a, b: self.graph.call_function(fn, (a, b)), tests)

    def _test(self, pred: Pred, holds: bool) -> Node:
        if isinstance(pred, Node):
            node = pred
        else:
            if pred not in self.told:
                self.told[pred] = (self._told_by_branch if pred[0].target is branch else self._told_by_loop)(*pred)
            node = self.told[pred]
        return node if holds else self.graph.call_function(torch.logical_not, (node,))

    def _told_by_branch(self, node: Node, operand: int) -> Node:
        """One more result of an If: whether the side that ran has used an operand."""
        for region in self.regions[node]:
            told = region.flag(region.ways[region.inputs[operand]])
            with region.graph.inserting_before(region.output):
                copy = region.graph.call_method("clone", (told,))
            region.output.args = ((*_values(region.output), copy),)
        return self.graph.call_function(operator.getitem, (node, len(_values(region.output)) - 1))

    def _told_by_loop(self, node: Node, operand: int) -> Node:
        """One more carry of a Loop: whether a trip has used an operand."""
        (region,) = self.regions[node]
        body, carries, *rest = cast(tuple[Any, ...], node.args)
        count, graph = len(carries), region.graph
        told = region.flag(region.ways[region.inputs[operand]])
        with graph.inserting_after(graph.find_nodes(op="placeholder")[count - 1]):
            before = add_placeholder(graph, told)
        with graph.inserting_before(region.output):
            after = graph.call_function(torch.logical_or, (before, told))
        values = _values(region.output)
        region.output.args = ((*values[:count], after, *values[count:]),)
        with self.graph.inserting_before(node):
            start = self.graph.call_function(torch.full, ((), False))
        node.args = (body, (*carries, start), *rest)
        for read in list(node.users):  # the rows come behind the carries
            if cast(int, read.args[1]) >= count:
                read.args = (node, cast(int, read.args[1]) + 1)
        for size, (place, *path) in node.meta.get("unbacked_bindings", {}).items():
            if place.idx >= count:
                node.meta["unbacked_bindings"][size] = (pytree.SequenceKey(place.idx + 1), *path)
        return self.graph.call_function(operator.getitem, (node, count))


def _where(pred: Node, holds: bool) -> Way:
    while pred.target is torch.logical_not:
        (pred,), holds = cast(tuple[Node], pred.args), not holds
    return frozenset({(pred, holds)})


def _all_of(pick: Pick) -> Way:
    return frozenset().union(*(_where(pred, holds) for pred, holds in pick))


def _values(output: Node) -> tuple[Node, ...]:
    return cast(tuple[tuple[Node, ...]], output.args)[0]


def _simplified(ways: set[Way]) -> Ways:
    """Without what another way includes; a predicate that may be either is none."""
    found = set(ways)
    for way in ways:
        for pred, holds in way:
            rest = way - {(pred, holds)}
            if any(other - {(pred, not holds)} <= rest for other in ways if (pred, not holds) in other):
                found.add(rest)
    found = {way for way in found if not any(other < way for other in found)}
    return frozenset(found) if len(found) <= MOST_WAYS and frozenset() not in found else ALWAYS


def _tensors(node: Node) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(node.meta.get("example_value")) if isinstance(leaf, torch.Tensor)]


def _hides(node: Node) -> bool:
    """Whether a node changes something, and its value does not show that it is the same memory."""
    return is_impure(node) and not (_storages(node) & _storages(node.all_input_nodes[0]))


def _is_float(node: Node) -> bool:
    """Whether a gradient may flow: of what a loop or an operator in place makes, the trace does not always tell."""
    return any(tensor.is_floating_point() or tensor.is_complex() for tensor in _tensors(node))


def _requires_grad(node: Node) -> bool:
    return any(tensor.requires_grad for tensor in _tensors(node))


def _storages(node: Node) -> set[int]:
    return {key for tensor in _tensors(node) if (key := storage_key(tensor)) is not None}
