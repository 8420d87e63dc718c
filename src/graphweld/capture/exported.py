"""What a program leaves behind where no Python runs behind the graph: its results, and the buffers it changed.

torch.export keeps the graph of a trace and drops the code that a compiled call runs behind it: that code picks between
Python objects, writes attributes, prints. What would have been done there is lost without a word, so in an export, at
the end of the outermost call:

    return x if p else x + 1           the joined tensor (that it may be `x` itself cannot be seen outside)
    return x if p else x[:2]           the part in use of a tensor of the larger size
    return None if p else x            refused: no output of a graph is one or the other
    self.mean = 0.9 * self.mean + m    a buffer: copied into; any other attribute: refused
    seen.append(3); print(x)           refused
"""

import logging
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch._dynamo.variables.base import AttributeMutationExisting, ValueMutationExisting, VariableTracker
from torch._dynamo.variables.dicts import ConstDictVariable, DunderDictVariable
from torch._dynamo.variables.lists import ListVariable, SizeVariable, TupleVariable
from torch._dynamo.variables.sets import SetVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.torch_function import TorchFunctionModeStackVariable
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from graphweld.capture.data_numbers import NUMBER_DTYPES
from graphweld.capture.effects import contents_of, current_attribute, is_same_contents
from graphweld.capture.merge_variable import MergeVariable, is_bool_like, kind_of
from graphweld.capture.predicates import predicate
from graphweld.capture.ragged import filled_up, in_use, most_of
from graphweld.capture.refusal import Refusal, refuse
from graphweld.capture.returned_choices import can_choose, chosen
from graphweld.capture.returned_lists import as_result, list_of
from graphweld.capture.sites import PACKAGE, TORCH
from graphweld.capture.variables import (
    Tx,
    call,
    constant,
    example,
    is_number,
    is_tensor,
    method,
    same_size,
    storage_key,
)
from graphweld.diagnostics import Span, diagnose, rules
from graphweld.diagnostics.rule import in_words

SEQUENCES = (TupleVariable, ListVariable)
# What the frame that torch.export traces begins and ends with.
UNFLATTEN, FLATTEN = pytree.tree_unflatten.__code__, pytree.tree_flatten.__code__


def cannot_carry(tx: Tx, what: str, change: str, changed: VariableTracker | None = None) -> NoReturn:
    """Refuse, at the line that is being traced, or where Python's value `changed` was changed last."""
    rule = rules.NotCarried(what, "an exported program", change)
    stacks = tx.output.side_effects.mutation_user_stacks.get(changed, ()) if changed is not None else ()
    frames = [f for stack in stacks for f in stack if not f.filename.startswith((*PACKAGE, TORCH, "<"))]
    if frames:
        raise Refusal(diagnose(rule, Span.at(frames[-1].filename, frames[-1].lineno or 1)))
    refuse(tx, rule)


def is_heard(tx: Tx, logger: Any, level: str) -> bool:
    """Whether a call of a logger is to be kept: in an export, which can only refuse it, not where it is silent."""
    if not tx.output.export:
        return True
    number = getattr(logging, level.removesuffix("_once").upper(), logging.ERROR)
    return bool(logger.value.isEnabledFor(number))


def remember_inputs(tx: Tx, inputs: VariableTracker) -> None:
    """Note what the containers among the inputs hold: torch makes them anew, and would lose a change of them."""
    held: list[tuple[VariableTracker, Any]] = []

    def note(vt: VariableTracker) -> None:
        if isinstance(vt, ListVariable | ConstDictVariable):
            held.append((vt, contents_of(vt)))

    VariableTracker.visit(note, inputs)
    tx.output.gw_inputs = held


def result_of(tx: Tx, result: VariableTracker) -> VariableTracker:
    """The result, before it is taken apart, with one container on every path; refused where no graph can give it."""
    result = _opened(tx, result)

    def check(vt: VariableTracker) -> None:
        if isinstance(vt, SizeVariable):
            cannot_carry(tx, "return a torch.Size", "return a tuple of the sizes")
        if isinstance(vt, MergeVariable) and not _can_settle(vt):
            cannot_carry(
                tx, f"return {vt.kinds()} ({in_words(vt.name)})", "return tensors of one size and dtype on every path"
            )

    VariableTracker.visit(check, result)
    return result


def _opened(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """Alternatives that are sequences of one length, as one sequence of alternatives."""
    vt = vt.realize()
    if isinstance(vt, MergeVariable):
        vt = vt.without_undefined()  # a name that may be unbound where it is read has been refused
    listed = list_of(tx, vt)
    if listed is not None:
        return as_result(tx, listed)
    if isinstance(vt, MergeVariable) and vt.joined is None:
        a, b = _opened(tx, vt.then), _opened(tx, vt.orelse)
        if type(a) is type(b) and type(a) in SEQUENCES and len(a.items) == len(b.items):
            pairs = enumerate(zip(a.items, b.items, strict=True))
            items = [x if x is y else MergeVariable(vt.pred, x, y, f"{vt.name}[{k}]") for k, (x, y) in pairs]
            vt = a.clone(items=items, source=None)
    if type(vt) in SEQUENCES:
        vt = vt.clone(items=[_opened(tx, item) for item in vt.items], source=None)
    if type(vt) is ConstDictVariable:
        opened = {key: _opened(tx, value) for key, value in vt.items.items()}
        if any(opened[key] is not value.realize() for key, value in vt.items.items()):
            vt = vt.clone(items=opened, source=None)
    if not (isinstance(vt, MergeVariable) and _can_settle(vt)) and can_choose(tx, vt):
        vt = chosen(tx, vt)
    return vt


def _can_settle(vt: MergeVariable) -> bool:
    """Whether one tensor or number can be whichever alternative it is."""
    return vt.joined is not None or is_bool_like(vt) or _can_select(vt)


def _can_select(vt: MergeVariable) -> bool:
    """Whether all alternatives are tensors that differ in their layout in memory only, or all ints, or all floats."""
    first, *rest = vt.alternatives()
    if is_number(first):
        return all(is_number(side) and side.python_type() is first.python_type() for side in rest)
    if not all(is_tensor(side) and _kind(side)[1:] == _kind(first)[1:] for side in (first, *rest)):
        return False
    sizes = [tuple(map(most_of, example(side).shape)) for side in (first, *rest)]
    return all(_is_same_shape(example(side), example(first)) for side in rest) or not any(
        None in size for size in sizes
    )


def _selected(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """The one tensor that is whichever alternative it is; a number as a 0-d tensor."""
    if not isinstance(vt, MergeVariable):
        return vt if is_tensor(vt) else call(tx, torch.full, (), vt, dtype=NUMBER_DTYPES[vt.python_type()])
    sides = vt.alternatives()
    first = example(sides[0]) if is_tensor(sides[0]) else None
    if first is None or all(_is_same_shape(example(side), first) for side in sides):
        return call(tx, torch.where, vt.pred, _selected(tx, vt.then), _selected(tx, vt.orelse))
    buffer: VariableTracker = vt
    counts = []
    for dim in range(first.dim()):
        sizes = [example(side).shape[dim] for side in sides]
        if not all(same_size(size, sizes[0]) for size in sizes):
            most = max(most_of(size) or 0 for size in sizes)
            counts.append((dim, _selected(tx, _each(vt, lambda side, d=dim: method(tx, side, "size", constant(d))))))
            buffer = _each(buffer, lambda side, d=dim, m=most: call(tx, filled_up, side, m, d))
    selected = _selected(tx, buffer)
    for dim, count in counts:
        selected = call(tx, in_use, selected, method(tx, count, "item"), dim)
    return selected


def _each(vt: VariableTracker, make: Callable[[VariableTracker], VariableTracker]) -> VariableTracker:
    """The same choice between others, made of each alternative."""
    if not isinstance(vt, MergeVariable):
        return make(vt)
    return MergeVariable(vt.pred, _each(vt.then, make), _each(vt.orelse, make), vt.name)


def _is_same_shape(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dim() == b.dim() and all(map(same_size, a.shape, b.shape))


def _kind(vt: VariableTracker) -> tuple[Any, ...]:
    fake = example(vt)
    return fake.shape, fake.dim(), fake.dtype, fake.device


def finish(tx: Tx, flattened: VariableTracker) -> None:
    """Settle the flat results of the outermost call, in place; `tx` is the frame that called it."""
    leaves = flattened.items[0].items
    writes = _buffer_writes(tx)
    changed = {storage_key(example(buffer)) for buffer, _ in writes}
    for k, leaf in enumerate(leaves):
        leaf = _settled(tx, leaf.realize())
        if not (is_tensor(leaf) or is_number(leaf) or leaf.is_python_constant()):
            cannot_carry(
                tx, f"return {kind_of(leaf)}", "return tensors in tuples, lists and dicts, or register its class"
            )
        if is_tensor(leaf) and storage_key(example(leaf)) in changed:
            leaf = method(tx, leaf, "clone")  # what Python returns is the buffer's object from before the assignment
        leaves[k] = leaf
    values = [method(tx, value, "clone") for _, value in writes]
    for (buffer, _), value in zip(writes, values, strict=True):
        method(tx, buffer, "copy_", value)
    _bind_items(tx.output.root_tracer.graph)
    _enclose_regions(tx.output.root_tracer.graph, tx.output.nn_modules)


def _bind_items(graph: Graph) -> None:
    """Give a second `.item()` of a tensor a copy to read.

    Dynamo made a symbol for each; torch.export, which traces the graph again, would make one for both, and stop.
    """
    read: set[Node] = set()
    for node in graph.find_nodes(op="call_method", target="item"):
        source = node.args[0]
        if source in read:
            with graph.inserting_before(node):
                copy = graph.call_method("clone", (source,))
            copy.meta = dict(source.meta)
            node.replace_input_with(source, copy)
        read.add(source)


class Enclosed(torch.nn.Module):
    """A region in a graph that torch.export looks through: of a `GraphModule` it asks what only its own nodes have."""

    def __init__(self, region: GraphModule) -> None:
        super().__init__()
        self.region, self.graph = region, region.graph

    def forward(self, *args: Any) -> Any:
        return self.region(*args)


def _enclose_regions(graph: Graph, modules: dict[str, Any]) -> None:
    """Ready a finished graph, and the regions in it, for being traced again by torch.export."""
    _index_by_tensors(graph)
    for node in graph.find_nodes(op="get_attr"):
        region = modules.get(str(node.target))
        if isinstance(region, GraphModule):
            for inner in region.modules():
                if isinstance(inner, GraphModule):
                    _index_by_tensors(inner.graph)
                    inner.recompile()
            modules[str(node.target)] = Enclosed(region)


def _index_by_tensors(graph: Graph) -> None:
    """`y[i] = v` by an index in a tensor: of a number of the data, decomposition asks whether it is negative."""
    for node in graph.find_nodes(op="call_function", target=operator.setitem):
        index = node.args[1]
        if isinstance(index, Node) and isinstance(index.meta.get("example_value"), torch.SymInt):
            with graph.inserting_before(node):
                made = graph.call_function(torch.full, ((1,), index), {"dtype": torch.int64})
            node.args = (node.args[0], made, node.args[2])


def _settled(tx: Tx, leaf: VariableTracker) -> VariableTracker:
    if not isinstance(leaf, MergeVariable):
        return leaf
    if leaf.joined is not None:
        return leaf.tensor(tx)
    if is_bool_like(leaf):
        number = method(tx, method(tx, predicate(tx, leaf), "to", torch.int64), "item").as_proxy()
        return SymNodeVariable.create(tx, tx.output.create_proxy("call_function", operator.ne, (number, 0), {}))
    selected = _selected(tx, leaf)
    return method(tx, selected, "item") if is_number(leaf.alternatives()[0]) else selected


def _buffer_writes(tx: Tx) -> list[tuple[VariableTracker, VariableTracker]]:
    """Each buffer that an assignment replaces, with its new value. Other changes of what was there are refused."""
    side_effects, writes = tx.output.side_effects, []
    for vt, held in getattr(tx.output, "gw_inputs", ()):
        if not is_same_contents(held, contents_of(vt)):
            cannot_carry(tx, f"change {kind_of(vt)} among its arguments", "return the new values", vt)
    for vt, stored in list(side_effects.store_attr_mutations.items()):
        if isinstance(vt.mutation_type, AttributeMutationExisting):
            for name in list(stored):
                if not _is_same_constant(*_before_and_after(tx, vt, name)):
                    _cannot_assign(tx, vt, name)
            del side_effects.store_attr_mutations[vt]
    for vt in list(side_effects.id_to_variable.values()):
        is_changed = isinstance(vt.mutation_type, ValueMutationExisting) and vt.mutation_type.is_modified
        if not is_changed or isinstance(vt, DunderDictVariable):
            continue
        is_as_before = isinstance(vt, SetVariable) and [*vt.items] == [*vt.original_items]
        if is_as_before or (isinstance(vt, TorchFunctionModeStackVariable) and not vt.symbolic_stack):
            vt.mutation_type.is_modified = False  # it holds what it held, and no mode that was entered is left
            continue
        if not isinstance(vt, ConstDictVariable) or getattr(vt.source, "member", None) != "_buffers":
            cannot_carry(tx, f"change {kind_of(vt)} from before the call", "return the new values", vt)
        for key, value in vt.items.items():
            name, before = key.vt.as_python_constant(), vt.original_items.get(key.vt)
            writes += _buffer_write(tx, vt, name, before, value.realize())
        vt.mutation_type.is_modified = False  # the graph does it
    return writes


def _buffer_write(
    tx: Tx, buffers: VariableTracker, name: str, before: VariableTracker | None, value: VariableTracker
) -> list[tuple[VariableTracker, VariableTracker]]:
    """What is left to be written of one buffer: nothing where it is what it was, or has changed in place."""
    before = before.realize() if before is not None else None
    if before is value:
        return []
    if isinstance(value, MergeVariable) and value.joined is not None:
        value = value.tensor(tx)
    if before is None or not is_tensor(before) or not is_tensor(value):
        _cannot_assign(tx, buffers, name)
    old, new = example(before), example(value)
    if storage_key(old) == storage_key(new) and old.shape == new.shape:
        return []
    if _kind(before) != _kind(value):
        _cannot_assign(tx, buffers, name)
    return [(before, value)]


def _cannot_assign(tx: Tx, vt: VariableTracker, name: str) -> NoReturn:
    target = name if name != "cell_contents" else getattr(vt, "local_name", None) or "a closure variable"
    change = "make it a buffer (`register_buffer`) that keeps its size, or return it"
    cannot_carry(tx, f"assign `{target}`", change, vt)


def _is_same_constant(before: VariableTracker | None, after: VariableTracker) -> bool:
    if before is None or not before.is_python_constant() or not after.is_python_constant():
        return False
    old, new = before.as_python_constant(), after.as_python_constant()
    return old is new or (type(old) is type(new) and bool(old == new))


def _before_and_after(tx: Tx, vt: VariableTracker, name: str) -> tuple[VariableTracker | None, VariableTracker]:
    """An attribute as the program found it, None where there was none, and as it leaves it."""
    stored = tx.output.side_effects.store_attr_mutations[vt]
    after = stored.pop(name)
    try:
        before = current_attribute(tx, vt, name)
    finally:
        stored[name] = after
    return None if before is None else before.realize(), after.realize()
