"""What a test tells of a size, known on the side where it holds.

    if len(rows) == 0: return None
    torch.linalg.solve_triangular(a, rows, upper=True)      torch asks whether there are rows: there are

Only that a number is not the least that it may be. A number that is one constant on one side would give the sides
results of different sizes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import ShapeEnv, free_unbacked_symbols
from torch.utils._sympy.symbol import SymT, symbol_is_type

from graphweld.capture.variables import Thunk, Tx

UNBACKED = (SymT.UNBACKED_INT, SymT.UNBACKED_FLOAT)


def note_fact(pred: VariableTracker, number: Any) -> None:
    """Remember the number or comparison that a predicate was made of."""
    if isinstance(number, (torch.SymBool, torch.SymInt)):
        pred.as_proxy().node.meta["gw_fact"] = number


def learn(tx: Tx, node: Node, holds: bool) -> None:
    """Tell torch, until it is to forget it, that a predicate is true or false."""
    number = node.meta.get("gw_fact")
    symbols = () if number is None else free_unbacked_symbols(number)
    if len(symbols) != 1:
        return
    (symbol,) = symbols
    shapes = tx.output.shape_env
    known = shapes.var_to_range.get(symbol)
    if known is None or not known.lower.is_Integer or known.upper == known.lower + 1:
        return
    least = number.node.expr.subs(symbol, known.lower)
    if least.is_number or least in (True, False):
        if bool(least) is not holds:
            torch._check(shapes.create_symintnode(symbol, hint=None) > int(known.lower))


@contextmanager
def facts_forgotten(shapes: ShapeEnv) -> Iterator[None]:
    """What torch learns of sizes inside is not asserted at the top of the program."""
    ranges, replaced = dict(shapes.var_to_range), dict(shapes.replacements)
    asserts = {symbol: list(found) for symbol, found in shapes.deferred_runtime_asserts.items()}
    axioms = dict(shapes.axioms)
    try:
        yield
    finally:
        learned = asserts != shapes.deferred_runtime_asserts
        for symbol, before in ranges.items():
            if shapes.var_to_range[symbol] != before and symbol_is_type(symbol, UNBACKED):
                shapes.var_to_range[symbol] = before
                learned = True
        for symbol in [s for s, to in shapes.replacements.items() if s in ranges and replaced.get(s) != to]:
            if symbol_is_type(symbol, UNBACKED):  # a number that is this one or that one where the region runs
                shapes.replacements.pop(symbol)
                shapes.replacements |= {symbol: replaced[symbol]} if symbol in replaced else {}
                shapes._replacements_version_counter += 1
                learned = True
        shapes.deferred_runtime_asserts.clear()
        shapes.deferred_runtime_asserts.update(asserts)
        shapes.axioms = axioms
        if learned:
            _forget_answers(shapes)


def _forget_answers(shapes: ShapeEnv) -> None:
    """Have torch decide anew what it has asked about sizes: its caches take it that facts are only ever added."""
    shapes._version_counter += 1
    ShapeEnv._inner_evaluate_expr.cache_clear()
    ShapeEnv.guard_or_defer_runtime_assert.cache_clear()
    ShapeEnv.constrain_symbol_range.cache_clear()


def bounded(tx: Tx, sizes: tuple[Any, Any], number: Thunk) -> Thunk:
    """A number that is one of two sizes, of which torch is told that it is no greater than they may be."""
    shapes = tx.output.shape_env
    most = max(shapes.bound_sympy(n.node.expr).upper if isinstance(n, torch.SymInt) else n for n in sizes)

    def make() -> VariableTracker:
        made = number()
        value = getattr(made, "sym_num", None)
        if isinstance(value, torch.SymInt) and getattr(most, "is_Integer", True):
            torch._check(value <= int(most))
        return made

    return make
