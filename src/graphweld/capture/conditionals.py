"""Staging a branch: two regions, one If node (or, where that is provably the same and cheaper, a select).

y = gw.if_exp(x.sum() > 0, lambda: x + 1, lambda: x - 1, 0)
->  cond(pred, then_graph(x), else_graph(x))           or   where(pred, x + 1, x - 1)
"""

from typing import Any

import torch
from torch._dynamo.exc import UserError, raise_observed_exception
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import wrap_fx_proxy
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import BaseListVariable, ListVariable
from torch.fx import Proxy

from graphweld.capture import output
from graphweld.capture.absence import store_attribute, there_or_absent, unbound_where
from graphweld.capture.data_numbers import drop_dead_numbers
from graphweld.capture.differentiable import branch
from graphweld.capture.effects import contents_of, current_attribute, put_contents
from graphweld.capture.grown_lists import Conditional, GrownList, has_run
from graphweld.capture.inline import inline, is_selectable
from graphweld.capture.joins import Join
from graphweld.capture.kept_tensors import note_test
from graphweld.capture.merge_variable import MergeVariable, is_none
from graphweld.capture.operands import (
    bind_items,
    changed_memory,
    copy_operand,
    number_operands_to_tensors,
    refuse_unknown_draws,
    share_operands,
    without_aliases,
)
from graphweld.capture.partial import merged_order
from graphweld.capture.predicates import negate
from graphweld.capture.raises import emit_raise, node_of, raise_behind, raise_or, raising_in
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import assume, install, is_impure, known, reopened, trace_region
from graphweld.capture.results import has_rows, note_rows, result_like, results_from
from graphweld.capture.saved_operands import note_versions
from graphweld.capture.selects import emit_select
from graphweld.capture.sites import record
from graphweld.capture.tensor_types import same_type
from graphweld.capture.variables import Thunk, Tx, build, call, example, existing, is_undefined, method, same_size
from graphweld.capture.writing_back import emit_write
from graphweld.diagnostics import Rule, rules


def stage_if(
    tx: Tx,
    pred: VariableTracker,
    then: Thunk,
    orelse: Thunk,
    *,
    names: tuple[str, ...] | None = None,
    label: str = "the result",
    site: int | None = None,
    failing: tuple[str, ...] = (),
) -> VariableTracker:
    """Trace both sides of a branch on `pred` and return the merged result.

    `names` are the names of the elements where the result is a tuple of the user's variables. `failing` names the
    sides ("then", "else") that raise an exception if they cannot be traced.
    """
    if isinstance(pred, ConstantVariable):
        return then() if pred.value else orelse()
    holds = known(tx, pred)
    if holds is not None:
        return then() if holds else orelse()
    note_test(tx, pred)
    first = trace_region(tx, then, pred, True, may_fail="then" in failing)
    if first.raised is not None:
        record(tx, site, "welded", node_of(tx))
        return raise_or(tx, pred, first.raised, orelse)
    second = trace_region(tx, orelse, pred, False, may_fail="else" in failing)
    if second.raised is not None:
        record(tx, site, "welded", node_of(tx))
        return raise_or(tx, negate(tx, pred), second.raised, then)
    join = Join(tx, pred, first, second)
    result = _merge_result(join, names, label)
    writes = _merge_effects(join)
    spoken = _merge_sayings(join)
    copies = _merge_mutations(join)
    raises = _merge_raises(join)
    node = _make_node(join)
    join.freeze_lost(site)
    record(tx, site, "welded", node)
    for write in (*raises, *copies, *writes, *spoken):
        write()
    return result()


def _merge_result(join: Join, names: tuple[str, ...] | None, label: str) -> Thunk:
    then, orelse = join.then.result, join.orelse.result
    assert then is not None
    assert orelse is not None
    if names is None:
        return join.merge(then, orelse, label)
    pairs = zip(then.items, orelse.items, names, strict=True)  # type: ignore[attr-defined]
    parts = [join.merge(a, b, name) for a, b, name in pairs]
    return lambda: build(join.tx, [part() for part in parts])


def _merge_effects(join: Join) -> list[Any]:
    """Writes to make behind the node, so that objects hold what the side that ran left in them."""
    tx, writes = join.tx, []
    then, orelse = join.then.effects, join.orelse.effects
    for key in {**then.attributes, **orelse.attributes}:
        vt, attr = key
        before = current_attribute(tx, vt, attr)
        a, b = (there_or_absent(tx, side.attributes.get(key, before), attr) for side in (then, orelse))
        part = join.merge(a, b, attr if attr != "cell_contents" else vt.local_name or "a closure variable")  # type: ignore[attr-defined]
        kind = then.kinds.get(key) or orelse.kinds.get(key)
        writes.append(lambda vt=vt, attr=attr, part=part, kind=kind: store_attribute(tx, vt, attr, part(), kind))
    for vt in {**then.contents, **orelse.contents}:
        now = contents_of(vt)
        writes.append(_merge_contents(join, vt, then.contents.get(vt, now), orelse.contents.get(vt, now)))
    return writes


def _merge_contents(join: Join, vt: VariableTracker, a: Any, b: Any) -> Any:
    tx = join.tx
    order = merged_order(a, b) if isinstance(a, dict) else None
    if isinstance(a, list) and (len(a) != len(b) or has_run(a) or has_run(b)):
        if not isinstance(vt, (ListVariable, GrownList)):
            refuse(tx, rules.RegionMutates(f"the length of a {vt.python_type_name()}", "a branch"))
        merged = _merge_items(join, a, b)
        make = lambda: [part() for part in merged]  # noqa: E731
    elif isinstance(a, list):
        parts = [join.merge(x, y, f"item {i}") for i, (x, y) in enumerate(zip(a, b, strict=True))]
        make = lambda: [part() for part in parts]  # noqa: E731
    elif order is not None:
        sides = [(there_or_absent(tx, a.get(key)), there_or_absent(tx, b.get(key))) for key in order]
        keyed = [(key, join.merge(x, y, "an entry")) for key, (x, y) in zip(order, sides, strict=True)]
        make = lambda: {key: part() for key, part in keyed}  # type: ignore[assignment,return-value]  # noqa: E731
    else:
        refuse(tx, rules.RegionMutates(f"a {vt.python_type_name()}", "a branch"))

    def write() -> None:
        tx.output.side_effects.mutation(vt)
        put_contents(vt, make())

    return write


def _merge_items(join: Join, a: list[VariableTracker], b: list[VariableTracker]) -> list[Thunk]:
    """The items of a list that the sides leave with other lengths: what they share, and a run of what they do not."""
    shared = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x is not y), min(len(a), len(b)))
    then = [join.export(join.then, item) for item in a[shared:]]
    orelse = [join.export(join.orelse, item) for item in b[shared:]]
    rest = lambda: Conditional(join.pred, [item() for item in then], [item() for item in orelse])  # noqa: E731
    return [*(lambda item=item: item for item in a[:shared]), *([rest] if then or orelse else [])]  # type: ignore[misc]


def _merge_sayings(join: Join) -> list[Any]:
    """What each side says, said under its predicate."""
    tx, said = join.tx, []
    for region, pred in ((join.then, join.pred), (join.orelse, negate(tx, join.pred))):
        for inner, speaker, args in getattr(region.tracer, "gw_sayings", ()):
            own = join.export(region, inner)
            values = [join.export(region, arg) for arg in args]
            said.append(
                lambda own=own, values=values, speaker=speaker, pred=pred: output.record(
                    tx, (output.under(tx, pred, own()), speaker, [value() for value in values])
                )
            )
    return said


def _merge_mutations(join: Join) -> list[Any]:
    """In-place changes of tensors from outside: done to a copy inside, and copied back behind the node."""
    writes = []
    for outer in changed_memory(join.tx, (join.then, join.orelse), "a branch"):
        value = existing(join.tx, outer)
        finals = [copy_operand(join.tx, region, outer, value) for region in (join.then, join.orelse)]
        output = join._slot(*finals)
        writes.append(lambda value=value, output=output: emit_write(join.tx, value, output()))
    return writes


def _merge_raises(join: Join) -> list[Any]:
    """What each side raises, raised behind the node as well."""
    raising, outs = [], []
    for region in (join.then, join.orelse):
        with reopened(join.tx, region):
            found = raising_in(join.tx, region.graph, region.tracer)
            outs.append(call(join.tx, torch.full, (), True) if found is None else method(join.tx, found[0], "clone"))
        raising += [] if found is None else [found[1]]
    if not raising:
        return []
    passes = join._slot(outs[0], outs[1])
    return [lambda: raise_behind(join.tx, passes(), raising[0])]


def _make_node(join: Join) -> str:
    tx, then, orelse = join.tx, join.then, join.orelse
    runs = any(is_impure(node) for region in (then, orelse) for node in region.graph.nodes)
    if not join.slots and not runs:
        return "Select"
    for region in (then, orelse):
        drop_dead_numbers(region)
    if not runs and is_selectable(join):
        outputs = [inline(tx, region, [slot[i] for slot in join.slots]) for i, region in enumerate((then, orelse))]
        join.outputs = [emit_select(tx, join.pred, a, b) for a, b in zip(*outputs, strict=True)]
        return "Select"
    for i, region in enumerate((then, orelse)):
        proxies = [region.tracer.maybe_lift_tracked_freevar_to_input(slot[i].as_proxy()) for slot in join.slots]
        region.graph.output(tuple(proxy.node for proxy in proxies))
        number_operands_to_tensors(tx, region)
        bind_items(region)
    refuse_unknown_draws(tx, then, orelse)
    operands = without_aliases(tx, share_operands(then, orelse), set())
    then.graph.lint()
    orelse.graph.lint()
    branches = [install(tx, f"gw_{name}", region.graph) for name, region in (("then", then), ("else", orelse))]
    proxy = tx.output.create_proxy("call_function", branch, (join.pred.as_proxy(), *branches, tuple(operands)), {})
    note_versions(proxy.node)
    if any(has_rows(region.tracer) for region in (then, orelse)):
        note_rows(tx)
        result = wrap_fx_proxy(tx, proxy, example_value=_results(tx, join, operands))
    else:
        made = tx.output.shape_env.pending_fresh_unbacked_symbols
        before = list(made)
        try:
            result = wrap_fx_proxy(tx, proxy)
        except UserError:  # torch asks of strides that the data decides whether they are 1
            if not all(map(_has_known_type, join.slots)):
                raise
            made[:] = before
            result = wrap_fx_proxy(tx, proxy, example_value=_results(tx, join, operands))
    join.outputs = [
        _as_differentiable_as(tx, value, slot)
        for value, slot in zip(result.items, join.slots, strict=True)  # type: ignore[attr-defined]
    ]
    return "If"


def _has_known_type(slot: tuple[VariableTracker, VariableTracker]) -> bool:
    """Whether both sides give a tensor of one type, or a row that is as long as the data says."""
    then, orelse = map(example, slot)
    return same_type(then, orelse) or (then.dim() == orelse.dim() == 1 and then.dtype is orelse.dtype)


def _results(tx: Tx, join: Join, operands: list[Proxy]) -> tuple[torch.Tensor, ...]:
    """Fake tensors for the outputs, where the regions cannot be run on such."""
    made = []
    for slot in join.slots:
        then, orelse = map(example, slot)
        if all(map(same_size, then.shape, orelse.shape)):
            made.append(result_like(tx, then))
            continue
        count = tx.output.shape_env.create_unbacked_symint()
        torch._check(count >= 0)
        made.append(result_like(tx, then.new_empty(()), (count,)))
    return results_from(tx, made, [o.node.meta["example_value"] for o in operands])


def _as_differentiable_as(
    tx: Tx, value: VariableTracker, slot: tuple[VariableTracker, VariableTracker]
) -> VariableTracker:
    """An output that requires grad only if a side's value does; the node's outputs all do where an operand does."""
    if example(value).requires_grad and not any(example(side).requires_grad for side in slot):
        return method(tx, value, "detach")
    return value


def distribute(
    tx: Tx, args: list[VariableTracker], kwargs: dict[str, VariableTracker], run: Any, writes: bool = False
) -> VariableTracker:
    """`run(args, kwargs)` where a merge is among the arguments: the same operation on either alternative.

    A merge that is one tensor already is used as that, unless the operation writes to it.
    """
    merges = [m for m in map(merge_in, (*args, *kwargs.values())) if m is not None]
    merge = merges[0]

    def run_on(side: VariableTracker) -> VariableTracker:
        put = {key: _replaced(arg, merge, side) for key, arg in kwargs.items()}
        return run([_replaced(arg, merge, side) for arg in args], put)  # type: ignore[no-any-return]

    if merge.joined is None or (writes and args and args[0] is merge):
        others = [side for other in merges[1:] for side in other.alternatives()]
        return merge.each(tx, run_on, may_fail=any(map(is_none, others)))
    tensor = merge.tensor(tx)
    version = example(tensor)._version
    result = merge.through(tx, run_on)
    if example(tensor)._version != version:
        refuse(tx, rules.RegionMutates(merge.name, "a branch"))
    return result


def merge_in(vt: VariableTracker) -> MergeVariable | None:
    """The first merge that an argument is, or holds in a list, a tuple or a slice."""
    if isinstance(vt, MergeVariable):
        return vt
    if isinstance(vt, BaseListVariable):
        return next((m for m in map(merge_in, vt.items) if m is not None), None)
    return None


def _replaced(vt: VariableTracker, merge: VariableTracker, side: VariableTracker) -> VariableTracker:
    if vt is merge:
        return side
    if isinstance(vt, BaseListVariable) and merge_in(vt) is not None:
        return vt.clone(items=[_replaced(item, merge, side) for item in vt.items], source=None)
    return vt


def bound(tx: Tx, value: VariableTracker, name: VariableTracker) -> VariableTracker | None:
    """A read of a name that may be unbound: where it is, Python raises UnboundLocalError."""
    value = value.realize()
    if not isinstance(value, MergeVariable) or not any(map(is_undefined, value.alternatives())):
        return None
    return require_bound(tx, value, UnboundLocalError, rules.MaybeUnbound(value.name))


def require_bound(tx: Tx, value: VariableTracker, exception: type[Exception], instead: Rule) -> VariableTracker:
    """A value that may be that of an unbound name or attribute, read: an exception where it is."""
    if is_undefined(value):
        raise_observed_exception(exception, tx)
    if not isinstance(value, MergeVariable):
        return value
    holds = known(tx, value.pred)
    if holds is not None:
        return require_bound(tx, value.then if holds else value.orelse, exception, instead)
    unbound = unbound_where(tx, value)
    if isinstance(unbound, ConstantVariable):
        return value
    emit_raise(tx, unbound, exception.__name__, instead)
    assume(tx, unbound, False)
    return value.without_undefined()
