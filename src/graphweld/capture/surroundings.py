"""What a program reads of its surroundings: Python's random numbers, and the environment.

r = random.randint(0, 9)      drawn before the graph: right outside of branches and loops, refused inside
self.rng.random()             torch would take the state of the first call for ever: refused
os.getenv("HOME")             read at once, with a guard, as `os.environ.get` is
"""

import os
import random
from typing import Any

import numpy as np
from torch._dynamo.source import AttrSource
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.misc import NumpyVariable, RandomVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from graphweld.capture.refusal import refuse
from graphweld.capture.sites import trace_of
from graphweld.capture.variables import Tx, method
from graphweld.diagnostics import rules

DRAWING = {name for name in dir(random.Random) if not name.startswith("_")} - {"getstate"}


def hook_surroundings() -> None:
    """Refuse draws of Python's that would not be those of eager mode."""
    call_method, call_function = RandomVariable.call_method, UserDefinedObjectVariable.call_function

    def draw(self: RandomVariable, tx: Tx, name: str, args: Any, kwargs: Any) -> VariableTracker:
        if trace_of(tx) is not None and name in DRAWING:
            _refuse_in_region(tx)
            if self.source is not None:
                refuse(tx, rules.TorchBreak("the graph would keep the state that this `random.Random` has now"))
        return call_method(self, tx, name, args, kwargs)

    def called(self: UserDefinedObjectVariable, tx: Tx, args: Any, kwargs: Any) -> VariableTracker:
        if trace_of(tx) is not None and self.is_supported_random():
            _refuse_in_region(tx)
        return call_function(self, tx, args, kwargs)

    call_numpy = NumpyVariable.call_function

    def called_numpy(self: NumpyVariable, tx: Tx, args: Any, kwargs: Any) -> VariableTracker:
        # Torch takes NumPy's generator for its own.
        if trace_of(tx) is not None and getattr(np.random, getattr(self.value, "__name__", ""), None) is self.value:
            _refuse_in_region(tx, "NumPy's `random`")
        return call_numpy(self, tx, args, kwargs)

    NumpyVariable.call_function = called_numpy  # type: ignore[method-assign]
    RandomVariable.call_method = draw  # type: ignore[method-assign]
    UserDefinedObjectVariable.call_function = called  # type: ignore[method-assign]


def _refuse_in_region(tx: Tx, generator: str = "Python's `random`") -> None:
    if tx.output.current_tracer.parent is not None:
        reason = f"{generator} would be drawn from once, whether this runs or not"
        refuse(tx, rules.RegionBreaks("a branch or loop", reason, None))


def getenv(tx: Tx, args: list[VariableTracker]) -> VariableTracker:
    """`os.getenv`."""
    source = AttrSource(tx.output.root_tx.import_source("os"), "environ")
    return method(tx, VariableTracker.build(tx, os.environ, source).realize(), "get", *args)
