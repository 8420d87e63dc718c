"""Names for the items of what has as many as the data decides.

    a, b = x[mask]        ValueError, when the program runs, where these are not two; else rows 0 and 1

The same for a list of which the data decides the length.
"""

import operator
from typing import Any

from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import VariableTracker

from graphweld.capture.grown_lists import GrownList, length, pick, raise_if
from graphweld.capture.instructions import dispatch
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, call, constant, is_data_number, is_tensor, method


def hook_unpacking() -> None:
    """Put the hook in place, once a process."""
    translate = InstructionTranslatorBase.UNPACK_SEQUENCE

    def unpack_sequence(self: Any, inst: Any) -> None:
        whole = self.stack[-1].realize()
        items = _items(self, whole, inst.argval) if trace_of(self) is not None else None
        if items is None:
            translate(self, inst)
        else:
            self.pop()
            for item in reversed(items):
                self.push(item)

    InstructionTranslatorBase.UNPACK_SEQUENCE = unpack_sequence  # type: ignore[method-assign]
    dispatch("UNPACK_SEQUENCE")


def _items(tx: Tx, whole: VariableTracker, wanted: int) -> list[VariableTracker] | None:
    if isinstance(whole, GrownList):
        _check_count(tx, length(tx, whole.items), wanted)
        return [pick(tx, whole.items, constant(at)) for at in range(wanted)]
    if is_tensor(whole) and whole.ndim and is_data_number(count := method(tx, whole, "size", 0)):  # type: ignore[attr-defined]
        _check_count(tx, count, wanted)
        return [method(tx, whole, "select", 0, at) for at in range(wanted)]
    return None


def _check_count(tx: Tx, count: VariableTracker, wanted: int) -> None:
    for got in range(wanted):
        message = f"not enough values to unpack (expected {wanted}, got {got})"
        raise_if(tx, call(tx, operator.eq, count, got), ValueError, message)
    raise_if(tx, call(tx, operator.gt, count, wanted), ValueError, f"too many values to unpack (expected {wanted})")
