"""Python numbers that a program keeps in its own objects and changes from call to call.

    self.steps += 1          one graph for all values of `steps`, not one for each

Torch reads such a number as a constant and guards on it, so that its next value asks for another graph. Where a trace
ends having given one a new value, it starts over with that place marked, and the number is an input of the graph.
"""

from typing import Any

import torch
from torch._dynamo import config
from torch._dynamo.source import ChainedSource
from torch._dynamo.symbolic_convert import TensorifyState
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import VariableBuilder
from torch._dynamo.variables.constant import ConstantVariable
from torch.fx import Proxy
from torch.fx.experimental.symbolic_shapes import DimDynamic

from graphweld.capture import sites
from graphweld.capture.effects import contents_of
from graphweld.capture.variables import call, existing, in_outermost_graph, method, node_of

NUMBERS = (int, float)


def hook_literals() -> None:
    """Remember where each number came from, and make an input of one that is known to change."""
    wrap_literal = VariableBuilder.wrap_literal

    def wrap(self: VariableBuilder, value: object) -> VariableTracker:
        trace = sites.trace_of(self.tx)
        if trace is None or type(value) not in NUMBERS or self.tx.export:
            return wrap_literal(self, value)
        if self.source.name not in trace.changing:
            trace.literals[self.source.name] = (self.source, value)
            return wrap_literal(self, value)
        if type(value) is int:
            return self.wrap_symint(value, dynamism=DimDynamic.DYNAMIC)
        return _float_input(self, value)  # type: ignore[arg-type]

    VariableBuilder.wrap_literal = wrap  # type: ignore[method-assign]


def _float_input(builder: VariableBuilder, value: float) -> VariableTracker:
    """A float as an input, and a number of the data: torch's own kind of float input is a constant for AOTAutograd."""
    tx = builder.tx
    known = tx.output.unspec_variable_map.get(builder.name)
    if known is not None:
        return known
    with config.patch(assume_static_by_default=False):
        plain = builder.wrap_symfloat(value)
    if isinstance(plain, ConstantVariable):
        return plain  # infinite, or not a number
    item, root = node_of(plain), tx.output.root_tracer
    TensorifyState.specialize(str(item.meta["example_value"].node.expr))  # no further trace to find that out
    with in_outermost_graph(tx):
        given = existing(tx, Proxy(item.args[0], root))  # type: ignore[arg-type]
        # Torch knows the input by its source, and would know a clone, which Inductor removes.
        number = method(tx, call(tx, torch.maximum, given, given), "item")
    root.graph.erase_node(item)
    tx.output.unspec_variable_map[builder.name] = number  # type: ignore[assignment]
    return number


def newly_changing(tx: Any, trace: sites.Trace) -> set[str]:
    """The places of numbers that the finished trace read as constants and gives a new value."""
    if not trace.wanted:
        return set()  # a program without sites stays torch's
    written = _written(tx.output.side_effects)
    found = set()
    for name, (source, before) in trace.literals.items():
        if name in trace.constant or not isinstance(source, ChainedSource):
            continue
        key = getattr(source, "member", getattr(source, "index", None))
        after = written.get(source.base.name, {}).get(key)
        if after is not None and _is_another_number(before, after):
            found.add(name)
    return found


def _is_another_number(before: Any, after: VariableTracker) -> bool:
    after = after.realize()
    if isinstance(after, ConstantVariable):
        return type(after.value) is type(before) and after.value != before
    try:
        return after.python_type() is type(before)
    except NotImplementedError:
        return False


def _written(side_effects: Any) -> dict[str, dict[Any, VariableTracker]]:
    """By the name of an object from outside: its attributes or items that the trace wrote."""
    written: dict[str, dict[Any, VariableTracker]] = {}
    for vt, stored in side_effects.store_attr_mutations.items():
        if vt.source is not None:
            written.setdefault(vt.source.name, {}).update(stored)
    for vt in side_effects.id_to_variable.values():
        if vt.source is not None and getattr(vt.mutation_type, "is_modified", False):
            held = contents_of(vt)
            items = held.items() if isinstance(held, dict) else enumerate(held or ())
            written.setdefault(vt.source.name, {}).update((_key(key), value) for key, value in items)
    return written


def _key(key: Any) -> Any:
    vt = getattr(key, "vt", key)
    return vt.value if isinstance(vt, ConstantVariable) else vt
