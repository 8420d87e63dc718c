"""print, logging and warnings: recorded during the trace, said behind the graph.

    if bad.any():
        logger.warning("found %d", bad.sum())     ->     (graph)     say_to(bad_any, logger, "warning", (...), {})

Dynamo has a list of calls to make behind the graph (`debug_locals`, made for reordering prints); these join it.
"""

import warnings
from typing import Any

from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import TupleVariable

from graphweld.capture import sites
from graphweld.capture.exported import cannot_carry
from graphweld.capture.formatting import of_this_moment
from graphweld.capture.predicates import predicate, select_bool
from graphweld.capture.variables import Tx, build, constant, is_tensor
from graphweld.convert import RUNTIME

OUTPUT = "graphweld.runtime.output"
LOGGING = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "warning_once", "info_once"}
LOGURU = LOGGING | {"trace", "success"}


class Speaker(VariableTracker):
    """A function of `runtime.output` in the code behind the graph."""

    def __init__(self, name: str, **kw: Any) -> None:
        super().__init__(**kw)
        self.name = name

    _nonvar_fields = {"name", *VariableTracker._nonvar_fields}

    def reconstruct(self, codegen: Any) -> None:
        codegen.load_import_from(OUTPUT, self.name)


Saying = tuple[VariableTracker, Speaker, list[VariableTracker]]  # predicate, function, arguments


def sayings(tx: Tx) -> list[Saying]:
    """What the region being traced says, so far."""
    tracer = tx.output.current_tracer
    if not hasattr(tracer, "gw_sayings"):
        tracer.gw_sayings = []
    return tracer.gw_sayings  # type: ignore[no-any-return]


def say(tx: Tx, speaker: str, *args: VariableTracker) -> VariableTracker:
    """Record one call of a function of `runtime.output`."""
    if tx.output.export:
        cannot_carry(tx, "print, log or warn", "return what is to be told")
    record(tx, (constant(True), Speaker(speaker), [of_this_moment(tx, a) for a in args]))
    return constant(None)


def record(tx: Tx, saying: Saying) -> None:
    """Add to what the enclosing region says, or to the calls behind the graph."""
    if tx.output.current_tracer.parent is not None:
        sayings(tx).append(saying)
    else:
        pred, speaker, args = saying
        tx.output.root_tx.debug_locals.append((speaker, [pred, *args]))


def under(tx: Tx, pred: VariableTracker, inner: VariableTracker) -> VariableTracker:
    """The predicate of a call that is made where `pred` and `inner` hold."""
    inner = inner if isinstance(inner, ConstantVariable) or is_tensor(inner) else predicate(tx, inner)
    return select_bool(tx, pred, inner, constant(False))


def print_(tx: Tx, args: list[VariableTracker], kwargs: dict[str, VariableTracker]) -> VariableTracker:
    from torch._dynamo.variables.builtin import BuiltinVariable

    return say(tx, "say", BuiltinVariable(print), TupleVariable(list(args)), _dict(kwargs))


def log(tx: Tx, logger: VariableTracker, name: str, args: Any, kwargs: Any) -> VariableTracker:
    return say(tx, "say_to", logger, constant(name), TupleVariable(list(args)), _dict(kwargs))


def is_logging(fn: Any) -> bool:
    """Whether a function is a method of loguru's logger that says something."""
    return getattr(fn, "__module__", "") == "loguru._logger" and fn.__name__ in LOGURU


def warn(tx: Tx, args: list[VariableTracker], kwargs: dict[str, VariableTracker]) -> VariableTracker:
    """`warnings.warn`, at the place that its `stacklevel` says."""
    named = dict(zip(("message", "category", "stacklevel", "source"), args, strict=False)) | kwargs
    level = named["stacklevel"].as_python_constant() if "stacklevel" in named else 1
    frame = tx
    for _ in range(level - 1):
        frame = _caller(frame)
    line = getattr(frame, "lineno", None) or frame.f_code.co_firstlineno
    place = (frame.f_code.co_filename, line, frame.f_globals.get("__name__", "<unknown>"))
    category = [named["category"]] if "category" in named else []
    return say(tx, "warn", build(tx, place), named["message"], *category)


def _caller(frame: Any) -> Any:
    """The user's frame that called this one; region functions and operators are part of the frame they stand in."""
    inside = True
    while inside and frame.parent is not None:
        conversion = sites.conversion_of(frame.f_code)
        inside = frame.f_code.co_filename.startswith(RUNTIME) or (
            conversion is not None and conversion.code is not frame.f_code
        )
        frame = frame.parent
    return frame


def _dict(kwargs: dict[str, VariableTracker]) -> VariableTracker:
    from torch._dynamo.variables.base import ValueMutationNew

    return ConstDictVariable({constant(k): v for k, v in kwargs.items()}, mutation_type=ValueMutationNew())


SPEAKING: dict[Any, Any] = {warnings.warn: warn}
