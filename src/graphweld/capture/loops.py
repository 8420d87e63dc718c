"""Staging a loop: one body region, carried values of settled types, one Loop node.

    while err > tol:                       stop = not (err > tol)
        x, err = step(x)           ->      while_loop(not stop; (stop, x, err) -> (not (err' > tol), x', err'))

The test is computed where Python computes it, at the end of the body, and carried as a predicate. So a loop's order of
evaluation, and the side effects of its test, are Python's.
"""

import contextlib
import itertools
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo import exc
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.functions import LocalGeneratorObjectVariable
from torch._dynamo.variables.iter import CountIteratorVariable, RepeatIteratorVariable, ZipVariable
from torch._dynamo.variables.lists import ListVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from graphweld.capture import carries, growing_tensors, list_growth, outer_state
from graphweld.capture.absence import settled
from graphweld.capture.carried_containers import containers_in, keep_whole, outdate, outdated, whole_meanwhile
from graphweld.capture.carries import Carry
from graphweld.capture.data_dicts import DataDict
from graphweld.capture.data_numbers import number_tensor
from graphweld.capture.effects import contents_of, put_contents, watching
from graphweld.capture.frozen import freeze, hand_on, has_changed, state_of
from graphweld.capture.grown_lists import GrownList, are_known, one_or_other
from graphweld.capture.kept_containers import Kept, ReplacedError
from graphweld.capture.kept_tensors import note_test
from graphweld.capture.list_growth import UNBOUNDED, Bound, Growth
from graphweld.capture.loop_changes import Changes
from graphweld.capture.loop_identity import (
    Party,
    copied_parties,
    flag_carry,
    freeze_shared,
    is_same,
    or_start,
    stays,
    storages_of,
)
from graphweld.capture.loop_node import emit, strided
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.opened import Opened
from graphweld.capture.operands import changed_memory, copy_operand
from graphweld.capture.output_in_loops import Spoken
from graphweld.capture.partial import PartialDict
from graphweld.capture.pieces import is_itself
from graphweld.capture.predicates import as_bool, is_data_dependent, negate, predicate, select_bool, truth
from graphweld.capture.raises import has_checks, node_of, raise_behind, raise_or, raising_in
from graphweld.capture.refusal import Refusal, refusal, refuse
from graphweld.capture.regions import (
    Region,
    assumptions_end,
    facts_stay_inside,
    mutated_operands,
    name_of,
    reopened,
)
from graphweld.capture.sequences import DynamicSequence, Items, Iterated, as_sequence
from graphweld.capture.sites import record
from graphweld.capture.unrolled_loops import MOST_GUARDED, call_body, guarded_trips, most_trips, unrolled
from graphweld.capture.variables import (
    State,
    Tx,
    call,
    constant,
    example,
    existing,
    is_same_object,
    is_tensor,
    storage_key,
)
from graphweld.capture.writing_back import emit_latest, emit_write
from graphweld.diagnostics import rules

Step = Callable[[State], tuple[State, VariableTracker]]
MOST_TRACES = 8
RAISES = -1  # the flag that tells whether all checks of a body have passed; others are those of a carry
MOST_UNROLLED = 256  # trips
FEW = 32  # trips, which are unrolled rather than that the loop carries a list whole: sizes stay known
# Why a loop of fixed length may not be one node, and yet each of its trips be a part of the graph.
UNROLLED = {
    rule.code
    for rule in (rules.CarryChanges, rules.RegionMutates, rules.ListLengthDependsOnData, rules.TypeDependsOnData)
}


def while_stmt(tx: Tx, test: VariableTracker, body: VariableTracker, state: State, names: Any, site: int) -> State:
    """A `while` statement: Python's while it decides, a Loop from the trip on that the data decides."""

    def step(values: State) -> tuple[State, VariableTracker]:
        after = call_body(tx, body, values)
        return after, _tested(tx, test, after)

    goes_on = _tested(tx, test, state)
    for trip in itertools.count():
        if is_data_dependent(goes_on):
            break
        if not truth(tx, goes_on).value:  # type: ignore[attr-defined]
            return state
        if trip == 0 and _will_depend_on_data(tx, step, state):
            break
        if trip == FEW and has_checks(tx):  # of which one may be what ends the loop
            break
        state, goes_on = step(state)
    return _staged(tx, truth(tx, goes_on), step, state, names, site, body)


def _tested(tx: Tx, test: VariableTracker, state: State) -> VariableTracker:
    """What the test of a `while` gives for values; of a list, its truth now, as the body may change it later."""
    found = test.call_function(tx, list(state), {}).realize()
    return found if isinstance(found, SymNodeVariable) else truth(tx, found)


def for_stmt(
    tx: Tx, iterable: VariableTracker, body: VariableTracker, state: State, names: Any, site: int, test: Any
) -> State | None:
    """A `for` statement; None where nothing about it depends on the data."""
    iterable = settled(tx, iterable)
    if isinstance(iterable, (PartialDict, DataDict)):
        iterable = iterable.tp_iter_impl(tx)
    if isinstance(iterable, Iterated) and isinstance(iterable.inner, Items):
        iterable = iterable.inner.grown or iterable
    if isinstance(iterable, MergeVariable):
        iterable = one_or_other(iterable) or iterable
    has_test = not (isinstance(test, ConstantVariable) and test.value is None)
    if isinstance(iterable, ListVariable) or (isinstance(iterable, GrownList) and are_known(iterable.items)):
        return unrolled(tx, iterable, body, state, names, site, test if has_test else None)
    sequence = as_sequence(tx, iterable)
    if sequence is None or (sequence.is_static and not has_test):
        if not has_test or sequence is not None or _is_lazy(iterable):
            return None
        return unrolled(tx, iterable, body, state, names, site, test)

    def step(values: State) -> tuple[State, VariableTracker]:
        index, *rest = values
        after = call_body(tx, body, [sequence.item(tx, index), *rest])
        following = call(tx, operator.add, index, 1)
        more = call(tx, operator.lt, following, sequence.length)
        if has_test:
            more = _both(tx, test.call_function(tx, list(after), {}), more)
        return [following, *after], more

    start: State = [constant(0), *state]
    if sequence.is_static:
        length = sequence.length.as_python_constant()
        if length == 1 and has_test:  # which Python asks behind the only trip as well
            return unrolled(tx, iterable, body, state, names, site, None)
        if length < 2 or not _will_depend_on_data(tx, step, start):
            return None
    first = truth(tx, call(tx, operator.lt, constant(0), sequence.length))
    bound = Bound(sequence.length, sequence.is_static and sequence.length.as_python_constant() <= FEW)
    try:
        taken, *after = _staged(tx, first, step, start, ("gw_index", *names), site, body, bound)
    except (Refusal, exc.UserError, exc.TorchRuntimeError, GuardOnDataDependentSymNode) as error:
        if isinstance(error, Refusal) and error.diagnostic.code not in UNROLLED:
            raise
        if _may_be_unrolled(sequence):
            return unrolled(tx, iterable, body, state, names, site, test)
        if (most := most_trips(tx, sequence.length)) > MOST_GUARDED:
            raise
        return guarded_trips(tx, sequence, most, body, state, names, site, test if has_test else None)
    sequence.leave(tx, taken)
    return after


def _may_be_unrolled(sequence: DynamicSequence) -> bool:
    return sequence.is_static and sequence.length.as_python_constant() <= MOST_UNROLLED  # type: ignore[no-any-return]


def _is_lazy(iterable: VariableTracker) -> bool:
    """Whether items must be taken one by one, as the loop asks: there may be no end, or an effect for each item."""
    if isinstance(iterable, LocalGeneratorObjectVariable):
        return iterable.get_name() != "<genexpr>"
    if isinstance(iterable, ZipVariable):
        return all(isinstance(v, CountIteratorVariable) or _is_lazy(v) for v in iterable.iterable.items)  # type: ignore[attr-defined]
    return isinstance(iterable, RepeatIteratorVariable)


def _both(tx: Tx, goes_on: VariableTracker, more: VariableTracker) -> VariableTracker:
    a = truth(tx, goes_on)
    b = predicate(tx, more) if isinstance(more, SymNodeVariable) else truth(tx, more)  # of a size that changes, too
    if isinstance(a, ConstantVariable):
        return more if a.value else a
    if isinstance(b, ConstantVariable):
        return as_bool(a) if b.value else b
    return as_bool(select_bool(tx, a, b, constant(False)))


def _will_depend_on_data(tx: Tx, step: Step, state: State) -> bool:
    """Whether the test after a first trip is up to the data; traced and thrown away."""
    with tx.output.subtracer(None, None, "graphweld look-ahead") as tracer, watching(tx), assumptions_end(tx):
        tracer.allow_side_effects_in_hop = True
        try:
            return is_data_dependent(step(list(state))[1])
        except exc.ObservedException:  # which the trip raises when it is traced for good
            tx.exn_vt_stack.clear_current_exception()
            return False


class _Body:
    """One trace of a loop's body for given carry types."""

    def __init__(
        self,
        tx: Tx,
        types: list[Carry],
        names: tuple[str, ...],
        outer: dict[Any, Carry],
        lists: dict[Any, Growth],
        outdated: dict[VariableTracker, Refusal],
    ) -> None:
        self.tx, self.types, self.names, self.outer, self.lists = tx, types, names, outer, lists
        self.outdated = outdated  # containers that the loop starts with, which trips change
        self.region: Region = None  # type: ignore[assignment]
        self.after: State = []
        self.goes_on: VariableTracker = constant(False)
        self.inputs: list[VariableTracker] = []
        self.changed: list[int] = []  # places of inputs that the body changes in place
        self.before: dict[Any, Any] = {}  # what each list that grows holds when the trip begins
        self.asked: dict[Any, list[int]] = {}
        self.disturbed: set[int] = set()  # places of carried values that hold a container which the body changes

    def kinds(self) -> list[Carry]:
        """The types of all that is carried, in order."""
        return [
            *self.types,
            *self.outer.values(),
            *(c for growth in self.lists.values() for c in growth.carried(self.tx)),
        ]

    def invariants(self, state: State) -> list[Carry]:
        """The types, with carries that a trip changes in place, and leaves the objects they were, as those objects."""
        types, at = list(self.types), 0
        for k, carry in enumerate(self.types):
            leaf, at = at, at + len(carries.leaves(carry))
            if leaf in self.changed and isinstance(carry, carries.Tensor) and is_tensor(start := state[k].realize()):
                after = self.after[k].realize()
                if is_tensor(after) and is_same_object(after, self.inputs[leaf]):
                    types[k] = carries.Fixed(start)
        return types

    def refuse_resized(self, site: int | None) -> None:
        """Name the carry whose size changes, which is why the body cannot be traced with either."""
        for carry, name in zip(self.types, self.names, strict=True):
            match carry:
                case carries.Merged(carries.Tensor(like=after), carries.Tensor(like=before)):
                    if after.shape != before.shape:
                        shapes = f"shape {tuple(before.shape)}", f"shape {tuple(after.shape)}"
                        refuse(self.tx, rules.CarryChanges(name, shapes[0], shapes[1], "size"), site)

    def trace(self, step: Step) -> None:
        tx = self.tx
        with tx.output.subtracer(None, None, "graphweld loop body") as tracer, assumptions_end(tx):
            tracer.allow_side_effects_in_hop = True
            self.region = Region(tracer)
            names = [*self.names, *map(outer_state.name_of, self.outer)]
            self.inputs = [
                carries.placeholder(tx, leaf, f"carry_{name}")
                for carry, name in zip(self.kinds(), itertools.chain(names, itertools.repeat("items")), strict=False)
                for leaf in carries.leaves(carry)
            ]
            versions = [example(v)._version for v in self.inputs]
            with facts_stay_inside(tx), outdated(tx, self.outdated), watching(tx) as effects:
                values = list(self.inputs)
                state = [carries.unpack(tx, c, values, n) for c, n in zip(self.types, self.names, strict=True)]
                entering = list(state)
                for key, carry in self.outer.items():
                    entering.append(carries.unpack(tx, carry, values, outer_state.name_of(key)))
                    outer_state.write(tx, key, entering[-1])
                containers = [(k, c) for k, vt in enumerate(entering) for c in containers_in([vt])]
                held = [(k, c, state_of(tx, c)) for k, c in containers if not is_itself(c)]
                for vt, growth in self.lists.items():
                    self.asked[vt] = list_growth.enter(tx, vt, growth, values)
                    self.before[vt] = contents_of(vt)
                self.after, self.goes_on = step(state)
                self.disturbed = {k for k, vt, before in held if has_changed(tx, vt, before)}
            self.region.effects = effects
        self.changed = [k for k, v in enumerate(self.inputs) if example(v)._version != versions[k]]
        tx.output.fake_mode.epoch += 1
        self.region.mutated = mutated_operands(self.region)


def _staged(
    tx: Tx,
    first: VariableTracker,
    step: Step,
    state: State,
    names: tuple[str, ...],
    site: int,
    body: VariableTracker,
    bound: Bound = UNBOUNDED,
) -> State:
    """`stage_loop`, without carries for containers that trips only change in place."""
    kept = Kept.of(state, names, body)
    if kept.places:
        with contextlib.suppress(ReplacedError):
            rest = kept.without(state), tuple(kept.without(names))
            return kept.put_back(stage_loop(tx, first, kept.step(step), *rest, site, bound))
    return stage_loop(tx, first, step, state, names, site, bound)


@whole_meanwhile()
def stage_loop(
    tx: Tx,
    first: VariableTracker,
    step: Step,
    state: State,
    names: tuple[str, ...],
    site: int | None,
    bound: Bound = UNBOUNDED,
) -> State:
    """A loop whose test is `first` before the first trip, and what `step` returns after each."""
    if isinstance(first, ConstantVariable) and not first.value:
        return state
    note_test(tx)
    types = [carries.carry_of(vt) for vt in state]
    outer: dict[Any, Carry] = {}
    lists: dict[Any, Growth] = {}
    changed: dict[VariableTracker, Refusal] = {}
    body = _Body(tx, types, names, outer, lists, changed)
    for number in range(MOST_TRACES):
        try:
            body.trace(step)
        except exc.ObservedException as error:
            if isinstance(first, ConstantVariable):
                raise
            tx.exn_vt_stack.clear_current_exception()
            if number:
                refuse(tx, rules.LoopNotWelded("loop", f"a trip behind the first raises {name_of(error)}"), site)
            record(tx, site, "welded", node_of(tx))
            return raise_or(tx, first, name_of(error), lambda: state)  # the first trip does
        except (exc.TorchDynamoException, GuardOnDataDependentSymNode):
            body.refuse_resized(site)
            raise
        opened = Opened.of(tx, types, body.inputs, body.after, body.region, state, names)
        if opened is not None:
            with contextlib.suppress(exc.Unsupported):
                return opened.behind(stage_loop(tx, first, opened.step(step), opened.state, opened.names, site, bound))
        for are_read in (False,) if bound.are_few else (False, True):
            appends = growing_tensors.Appends(tx, types, body.inputs, body.after, state, names, are_read)
            if not appends.dims:
                continue
            try:
                rest = stage_loop(
                    tx, first, appends.step(step), [*appends.without(state)], appends.without(names), site, bound
                )
            except exc.Unsupported:
                continue  # it is read, or what it is joined with is not always there: then its size is what is refused
            else:
                return appends.behind(rest)
        keep_whole(body.region.effects)
        wider = [carries.widen(tx, c, vt, n) for c, vt, n in zip(types, body.after, names, strict=True)]
        if body.changed and wider == types:
            wider = body.invariants(state)
        wider_outer, wider_lists = outer_state.types_of(tx, outer, body.region), _list_types(tx, body, bound)
        more_changed = _disturbed(tx, body, state, site) | changed
        if wider == types and wider_outer == outer and wider_lists == lists and more_changed == changed:
            break
        types, outer, lists, changed = wider, wider_outer, wider_lists, more_changed
        body = _Body(tx, types, names, outer, lists, changed)
    else:
        refuse(tx, rules.LoopNotWelded("loop", "the types of its carried values do not settle"), site)
    before = [*state, *(outer_state.before(tx, key) for key in outer)]
    left = [*body.after, *(outer_state.after(tx, body.region, key) for key in outer)]
    ends = [body.region.effects.contents.get(vt, body.before[vt]) for vt in (lists if body.disturbed else ())]
    if list_growth.shares_containers(before, []) or list_growth.shares_containers(left, ends):  # type: ignore[arg-type]
        refuse(tx, rules.LoopNotWelded("loop", "it carries one list, dict or object under two names"), site)
    after = _make_loop(tx, first, body, before, left, site)  # type: ignore[arg-type]
    outdate(tx, changed)
    behind = [*after, *(outer_state.before(tx, key) for key in outer)]
    freeze(tx, containers_in([*before, *behind]), "a loop", site)  # type: ignore[list-item]
    return after


def _disturbed(tx: Tx, body: _Body, state: State, site: int | None) -> dict[VariableTracker, Refusal]:
    """The containers that the loop starts with and its trips change, and why nobody may read them any more."""
    before = [*state, *(outer_state.before(tx, key) for key in body.outer)]
    names = [*body.names, *map(outer_state.name_of, body.outer)]
    reasons = {k: refusal(tx, rules.RegionMutates(names[k], "a loop"), site) for k in body.disturbed}
    return {vt: reason for k, reason in reasons.items() for vt in containers_in([before[k]])}  # type: ignore[list-item]


def _list_types(tx: Tx, body: _Body, bound: Bound) -> dict[Any, Growth]:
    """How the lists grow that the body appends to."""
    types = dict(body.lists)
    for vt, after in body.region.effects.contents.items():
        if outer_state.is_table(vt):
            continue
        if not isinstance(vt, (ListVariable, GrownList)):
            refuse(tx, rules.RegionMutates(f"a {vt.python_type_name()}", "a loop"))
        start = contents_of(vt)
        trip = list_growth.Trip(start, body.before.get(vt, start), after, body.asked.get(vt, []), bound)
        types[vt] = list_growth.growth_of(tx, types.get(vt), trip)
    return types


def _make_loop(tx: Tx, first: VariableTracker, body: _Body, before: State, values: State, site: int | None) -> State:
    """The node. It starts with the values `before`, and a trip leaves `values`."""
    region, outer, lists = body.region, body.outer, body.lists
    mutated = {o: existing(tx, o) for o in changed_memory(tx, (region,), "a loop")}
    copies = [copy_operand(tx, region, o, value, "a loop") for o, value in mutated.items()]
    kinds = [*body.types, *outer.values()]
    appended: dict[Any, list[list_growth.Slot]] = {}
    changes = Changes(tx, region, body.inputs, kinds, body.names)
    if any(k >= sum(len(carries.leaves(c)) for c in kinds) for k in changes.indices):
        refuse(tx, rules.RegionMutates("an item of a list", "a loop"), site)
    spoken = Spoken(tx, region)
    with reopened(tx, region):
        said = spoken.rows()  # which may end the call, as a list that finds no room does
        ends = {vt: region.effects.contents.get(vt, body.before[vt]) for vt in lists}
        left_of = {vt: list_growth.next_values(tx, growth, ends[vt], body.before[vt]) for vt, growth in lists.items()}
        packed, tensors = carries.packed_of(tx, kinds, values)
        kept = {k: is_same(tx, vt, body.inputs[k]) for k, vt in enumerate(tensors) if vt is not None}
        flags = {k: flag_carry(tx, same) for k, same in kept.items() if is_tensor(same)}
        raising = raising_in(tx, region.graph, region.tracer)
        if raising is not None:
            flags[RAISES] = flag_carry(tx, raising[0])
        stop = negate(tx, truth(tx, body.goes_on))
        stop = stop if is_tensor(stop) else number_tensor(tx, stop, bool)
        taken = {storage_key(example(v)) for v in body.inputs} | {
            storage_key(i.node.meta["example_value"])
            for i in region.operands().values()
            if isinstance(i.node.meta["example_value"], torch.Tensor)
        }
        rows: State = []
        for vt, growth in lists.items():
            packed += left_of[vt]
            appended[vt] = list_growth.slots(tx, ends[vt])
            rows += list_growth.rows(tx, growth, appended[vt])
        rows += said
        packed = strided(tx, packed, body.inputs)
        left = changes.leave(kept, flags)
        copies = [emit_latest(tx, region.operands()[o].node, c) for o, c in zip(mutated, copies, strict=True)]
        outs = carries.own(tx, [stop, *packed, *(now for _, now in flags.values()), *left, *copies, *rows], taken)
        changes.close()
    starts, began = carries.packed_of(tx, kinds, before)
    for vt, growth in lists.items():
        starts += list_growth.start_values(tx, growth, contents_of(vt))
    stop0 = negate(tx, first)
    stop0 = stop0 if is_tensor(stop0) else number_tensor(tx, stop0, bool)
    changes.refuse_aliases(starts, began, packed, rows, tensors, values)
    starts = strided(tx, starts, body.inputs)
    true = [call(tx, torch.full, (), True, dtype=torch.bool) for _ in flags]
    originals = [starts[k] for k in changes.originals]
    inits = carries.own(tx, [stop0, *starts, *true, *originals, *mutated.values()], set())
    inputs = [*body.inputs, *(was for was, _ in flags.values()), *changes.originals.values()]
    results = emit(tx, region, inputs, list(mutated), outs, inits)
    record(tx, site, "welded", "Loop")
    stacks = results[len(inits) :]
    tail = results[1 + len(starts) : len(inits)]
    number = len(flags) + len(originals)
    for value, result in zip(mutated.values(), tail[number:], strict=True):
        emit_write(tx, value, result)
    if raising is not None:
        raise_behind(tx, tail[list(flags).index(RAISES)], raising[1])
    rest = results[1 : 1 + len(starts)]
    changes.write_back(began, rest, tail[len(flags) : number])
    for k, same in kept.items():
        still = tail[list(flags).index(k)] if k in flags else same.value or negate(tx, first)  # type: ignore[attr-defined]
        rest[k] = or_start(still, began[k], rest[k], "a value")  # type: ignore[arg-type]
    names = [*body.names, *map(outer_state.name_of, outer)]
    leaf_names = [name for carry, name in zip(kinds, names, strict=True) for _ in carries.leaves(carry)]
    moving = [k for k, same in kept.items() if not stays(same)]
    parties: list[Party] = [(tensors[k], [results[1 + k]], leaf_names[k]) for k in moving]
    parties += [(body.inputs[k], [began[k]], leaf_names[k]) for k in kept]  # type: ignore[list-item]
    parties += copied_parties(kinds, values, tensors, rest, names)
    held, carried = rest[len(tensors) :], {}
    for vt, growth in lists.items():
        carried[vt] = [held.pop(0) for _ in growth.carried(tx)]
        nothing = [None] * len(carries.leaves(growth.element))
        items = [t for _, v in appended[vt] for t in carries.tensors_in(growth.element, v, nothing)]
        parties += [(t, [*stacks, *carried[vt]], "an item of a list") for t in items]
    operands: list[Party] = [(i, [existing(tx, o)], "a tensor") for o, i in region.operands().items()]
    freeze_shared(tx, parties, operands, site)
    entered = {k: vt for k, vt in enumerate(began) if vt is not None}
    left_as = [*tensors, *rows, *(body.inputs[k] for k in entered)]
    enters = [k for k in changes.indices if k < len(tensors)]
    hand_on(tx, map(storages_of, left_as), [*results[1 : 1 + len(tensors)], *stacks, *entered.values()], enters)
    # What is a tensor on some trips only is a copy of the start value where no trip ran.
    unlike = [k for k in range(len(tensors)) if k not in kept and example(starts[k]).dim()]
    freeze(tx, [vt for k in unlike for vt in (starts[k], rest[k])], "a loop", site)
    after = [carries.unpack(tx, c, rest, n) for c, n in zip(body.types, body.names, strict=True)]
    for key, carry in outer.items():
        outer_state.write(tx, key, carries.unpack(tx, carry, rest, outer_state.name_of(key)))
    for vt, growth in lists.items():
        tx.output.side_effects.mutation(vt)
        put_contents(vt, list_growth.behind(tx, growth, contents_of(vt), appended[vt], carried[vt], stacks))
    spoken.say(stacks)
    return after
