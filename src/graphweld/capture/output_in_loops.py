"""What a loop says: a row of the values of each trip, and all of it said behind the graph, trip by trip.

for i in range(n):
    if bad(x): logger.warning("step %d", i)      ->     rows of (bad(x), i); say_trips([...], rows)

What a loop inside of it has to say is a value of the trip too: its rows, with as many empty ones behind them as make
one size for all trips, and their number. A trip that has more to say ends the call, which then runs as plain Python.
"""

import math
import operator
from typing import Any

import torch
from torch._dynamo.bytecode_transformation import create_call_function
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import BaseListVariable, TupleVariable
from torch._dynamo.variables.misc import StringFormatVariable
from torch._dynamo.variables.tensor import SymNodeVariable

from graphweld.capture.data_numbers import NUMBER_DTYPES
from graphweld.capture.merge_variable import MergeVariable, is_bool_like
from graphweld.capture.output import OUTPUT, Saying, Speaker, record
from graphweld.capture.predicates import truth
from graphweld.capture.raises import emit_raise
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import Region
from graphweld.capture.tensor_types import is_sized_by_data
from graphweld.capture.variables import Tx, build, call, constant, example, is_tensor, method, proxies_in
from graphweld.diagnostics import rules

MOST_ROWS, LEAST_ROWS, MOST_NUMBERS = 512, 16, 2**18  # of what a loop says in one trip of a loop around it


class LaterVariable(VariableTracker):
    """A call of a function of `runtime.output` that stands for a value of a trip."""

    _nonvar_fields = {"name", *VariableTracker._nonvar_fields}

    def __init__(self, name: str, args: list[VariableTracker], **kw: Any) -> None:
        super().__init__(**kw)
        self.name, self.args = name, args

    def reconstruct(self, codegen: Any) -> None:
        codegen.add_push_null(lambda: codegen.load_import_from(OUTPUT, self.name))
        codegen.foreach(self.args)
        codegen.extend_output(create_call_function(len(self.args), False))


class Spoken:
    """What the body of a loop says on each trip."""

    def __init__(self, tx: Tx, region: Region) -> None:
        self.tx, self.region = tx, region
        self.sayings: list[Saying] = getattr(region.tracer, "gw_sayings", [])
        self.leaves: list[VariableTracker] = []
        self.calls: list[VariableTracker] = []

    def rows(self) -> list[VariableTracker]:
        """The tensors that a trip gives out; to be called while the body is open."""
        for pred, speaker, args in self.sayings:
            self.calls.append(TupleVariable([speaker, *map(self._later, (pred, *args))]))
        if self.calls and not self.leaves:
            self._row(call(self.tx, torch.full, (), True), "item")  # tells how many trips there were
        return self.leaves

    def say(self, stacks: list[VariableTracker]) -> None:
        """Have it said behind the loop, whose rows are `stacks`."""
        if self.calls:
            sayings = LaterVariable("Quoted", [TupleVariable(self.calls)])
            record(self.tx, (constant(True), Speaker("say_trips"), [sayings, TupleVariable(stacks)]))

    def _row(self, vt: VariableTracker, kind: str) -> VariableTracker:
        self.leaves.append(vt)
        return LaterVariable("Row", [constant(len(self.leaves) - 1), constant(kind)])

    def _later(self, vt: VariableTracker) -> VariableTracker:
        """A value of the trip as what it is made of behind the loop."""
        vt = vt.realize()
        if isinstance(vt, MergeVariable) and is_bool_like(vt):
            value = truth(self.tx, vt)
            return self._row(value, "item") if is_tensor(value) else value
        if isinstance(vt, MergeVariable) and vt.joined is not None:
            vt = vt.tensor(self.tx)
        if isinstance(vt, MergeVariable):
            return LaterVariable("Pick", [self._later(part) for part in (vt.pred, vt.then, vt.orelse)])
        if isinstance(vt, LaterVariable):
            self._refuse_own(vt)
            return vt
        if is_tensor(vt):
            if is_sized_by_data(example(vt)):
                return self._padded(vt)
            return self._row(method(self.tx, vt, "detach"), "tensor")
        if isinstance(vt, SymNodeVariable):
            return self._row(call(self.tx, torch.full, (), vt, dtype=NUMBER_DTYPES[vt.python_type()]), "item")
        if isinstance(vt, StringFormatVariable):
            named = {constant(key): self._later(arg) for key, arg in vt.sym_kwargs.items()}
            parts = [build(self.tx, vt.format_string), TupleVariable(list(map(self._later, vt.sym_args))), _dict(named)]
            return LaterVariable("Format", parts)
        if isinstance(vt, BaseListVariable) and self._is_of_a_trip(vt):
            return vt.clone(items=list(map(self._later, vt.items)), source=None)
        if isinstance(vt, ConstDictVariable) and self._is_of_a_trip(vt):
            return _dict({key.vt: self._later(value) for key, value in vt.items.items()})
        if self.region.owns(vt):
            refuse(self.tx, rules.RegionMutates("what the program prints", "a loop"))
        return vt

    def _is_of_a_trip(self, vt: VariableTracker) -> bool:
        """Whether a container holds what a trip computed, of this loop or of one around it."""
        return any(proxy.tracer is not self.tx.output.root_tracer for proxy in proxies_in(vt))

    def _padded(self, vt: VariableTracker) -> VariableTracker:
        """A tensor of which the data decides the number of rows, as one of a fixed number, and how many are its own."""
        tx, fake = self.tx, example(vt)
        rest = fake.shape[1:]
        if any(not isinstance(n, int) for n in rest):
            refuse(tx, rules.RegionMutates("what the program prints, of sizes that the data decides", "a loop"))
        most = max(LEAST_ROWS, min(MOST_ROWS, MOST_NUMBERS // max(1, math.prod(rest))))
        count = call(tx, torch.full, (), method(tx, vt, "size", 0), dtype=torch.int64)
        too_many = rules.RegionMutates(f"what the program prints, more than {most} times a trip", "a loop")
        emit_raise(tx, call(tx, operator.gt, count, most), "RuntimeError", too_many)
        empty = call(tx, torch.zeros, (most, *rest), dtype=fake.dtype, device=fake.device)
        padded = method(tx, call(tx, torch.cat, [method(tx, vt, "detach"), empty]), "narrow", 0, 0, most)
        return LaterVariable("Cut", [self._row(padded, "tensor"), self._row(count, "item")])

    def _refuse_own(self, vt: VariableTracker) -> None:
        """What a loop further in says is not looked into again: it must hold no object that this body made."""
        parts = vt.args if isinstance(vt, LaterVariable) else getattr(vt, "items", ())
        for part in parts.values() if isinstance(parts, dict) else parts:
            if isinstance(part, (LaterVariable, BaseListVariable, ConstDictVariable)):
                self._refuse_own(part)
            elif self.region.owns(part):
                refuse(self.tx, rules.RegionMutates("what the program prints", "a loop"))


def _dict(items: dict[VariableTracker, VariableTracker]) -> VariableTracker:
    return ConstDictVariable(items, mutation_type=ValueMutationNew())
