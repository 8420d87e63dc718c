"""A `raise` that the data decides: an assertion in the graph, and the user's own exception from the call.

    if (std == 0).any():                       _assert_async(not (std == 0).any(), "graphweld raise 7")
        raise ValueError("std has a zero")     ... the rest of the function, knowing that the test was false

The assertion ends the compiled call before any of the program's Python effects are applied. The call then runs the
original function once, eagerly, which raises the exception as Python does: its type, its message with the values of
that moment, its traceback in the user's lines, and every effect it had until then. For that, the random generator and
the inputs that the graph changes before a raise are put back to where they were. An input that needs a gradient
cannot be put back with its history: a raise behind such a change is refused (GW105).
"""

import dis
import re
from typing import Any

import torch
from torch._dynamo.exc import raise_observed_exception
from torch._dynamo.utils import set_example_value
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch.fx import Node

from graphweld.capture.predicates import negate
from graphweld.capture.refusal import refuse
from graphweld.capture.sites import span_here
from graphweld.capture.variables import Tx
from graphweld.diagnostics import Rule, rules

MARK = "graphweld: an exception of the program"
_RETURNS = {"RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR"}


def always_raises(fn: VariableTracker) -> bool:
    """Whether a region function has no way to return."""
    code = getattr(fn, "get_code", lambda: None)()
    return code is not None and not any(i.opname in _RETURNS for i in dis.get_instructions(code))


def emit_raise(tx: Tx, pred: VariableTracker, exception: str, instead: Rule | None = None) -> None:
    """Make the compiled call end here where `pred` holds; a refusal, or `instead`, where that is not as in Python."""
    if inside_try(tx):
        refuse(tx, instead or rules.RegionRaises(exception, "inside a `try`"))
    passes = negate(tx, pred)
    if isinstance(passes, ConstantVariable):
        return
    for node in _changed_inputs(tx):
        if tx.output.export:
            refuse(tx, instead or rules.RegionRaises(exception, "after a change of an argument, in an export"))
        if torch.is_grad_enabled() and node.meta["example_value"].requires_grad:
            refuse(tx, instead or rules.RegionRaises(exception, "after a change of an argument that needs a gradient"))
        node.meta["gw_put_back"] = True
    tx.output.gw_raises = True  # type: ignore[attr-defined]
    words = (f"graphweld: {exception} raised at {span_here(tx)[0]}",) if tx.output.export else ()
    proxy = tx.output.create_proxy("call_function", raise_unless, (passes.as_proxy(), *words), {})
    set_example_value(proxy.node, None)


def emit_check(tx: Tx, fails: VariableTracker, exception: type[Exception]) -> None:
    """End the call where an operation of Python's own raises; a compiled one would go on with any value.

    With Python's exception where that can be exact, else with an error of torch's.
    """
    if isinstance(fails, ConstantVariable) and not fails.value:
        return
    if isinstance(fails, ConstantVariable):
        raise_observed_exception(exception, tx)
    if not inside_try(tx) and not _changed_inputs(tx):
        emit_raise(tx, fails, exception.__name__)
        return
    args = (negate(tx, fails).as_proxy(), exception.__name__)
    set_example_value(tx.output.create_proxy("call_function", check, args, {}).node, None)


def check(passes: torch.Tensor, exception: str) -> None:
    """An error where a 0-d bool tensor is false; `exception` is what Python would raise."""
    torch._assert_async(passes, f"{exception}, at values that are only known when the program runs")


def raise_unless(passes: torch.Tensor, words: str = MARK) -> None:
    """End the compiled call where a 0-d bool tensor is false.

    A function of our own in the graph, not the operator itself, so that FX does not print the graph's source to the
    user's terminal when it raises in a sub-graph.
    """
    torch._assert_async(passes, words)


raise_unless.gw_impure = check.gw_impure = True  # type: ignore[attr-defined]


def is_marked(error: BaseException) -> bool:
    """Whether an exception out of compiled code stands for one of the user's program."""
    return isinstance(error, RuntimeError) and re.search(MARK, str(error)) is not None


def is_fact(error: BaseException) -> bool:
    """Whether an exception out of compiled code says that something which the trace took for a fact does not hold."""
    return isinstance(error, RuntimeError) and "Runtime assertion failed for expression" in str(error)


def inside_try(tx: Tx) -> bool:
    """Whether a handler of the user's could catch what is raised here: `try`, or `with` a manager of the user's."""
    frame: Any = tx
    while frame is not None:
        if getattr(frame.current_instruction, "exn_tab_entry", None) is not None and _has_handler(frame):
            return True
        frame = frame.parent
    return False


def _has_handler(frame: Any) -> bool:
    """Whether the innermost handler around the current instruction is more than a `with` statement's exit."""
    target = frame.current_instruction.exn_tab_entry.target
    index = frame.indexof[target]
    names = [i.opname for i in frame.instructions[index : index + 4]]
    return "WITH_EXCEPT_START" not in names and "PUSH_EXC_INFO" in names


def _changed_inputs(tx: Tx) -> list[Node]:
    """The inputs of the program that the graph has changed so far."""
    root = tx.output.root_tracer
    tensors = [
        n for n in root.graph.nodes if n.op == "placeholder" and isinstance(n.meta.get("example_value"), torch.Tensor)
    ]
    versions = zip(tensors, root._input_versions_at_beginning, strict=False)
    return [node for node, version in versions if node.meta["example_value"]._version != version]
