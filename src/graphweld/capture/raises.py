"""A `raise` that the data decides: an assertion in the graph, and the user's own exception from the call.

    if (std == 0).any():                       _assert_async(not (std == 0).any(), "graphweld raise 7")
        raise ValueError("std has a zero")     ... the rest of the function, knowing that the test was false

The assertion ends the compiled call before any of the program's Python effects are applied. The call then runs the
original function once, eagerly, which raises the exception as Python does: its type, its message with the values of
that moment, its traceback in the user's lines, and every effect it had until then. For that, the random generator and
the inputs that the graph changes before a raise are put back to where they were. An input that needs a gradient
cannot be put back with its history: a raise behind such a change is refused (GW105). Where a handler catches the
exception, in a function that called this one for example, that run goes on behind it, and its result is the call's.
So it is with what an operator raises for the values it gets, as `torch.linalg.inv` does, where a handler may catch it.
"""

import contextlib
import copy
import dis
import functools
import re
import types
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.exc import raise_observed_exception
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.utils import set_example_value
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.ctx_manager import GenericContextWrappingVariable, WithExitFunctionVariable
from torch._dynamo.variables.lists import SizeVariable
from torch._dynamo.variables.misc import SuperVariable
from torch._dynamo.variables.user_defined import UserDefinedExceptionObjectVariable
from torch.fx import Graph, Node, Proxy

from graphweld.capture.instructions import dispatch
from graphweld.capture.merge_variable import MergeVariable
from graphweld.capture.predicates import negate
from graphweld.capture.refusal import refuse
from graphweld.capture.regions import assume, known
from graphweld.capture.sites import PACKAGE, TORCH, is_piece, span_here, trace_of
from graphweld.capture.variables import Tx, call, existing
from graphweld.diagnostics import Rule, rules

MARK = "graphweld: an exception of the program"
MARK_UNHANDLED = f"{MARK}, of an operator, which no handler catches"
OF_A_POSITION = " of a position"  # an IndexError for a tensor's position that the data decides
_ASKS = {"CHECK_EXC_MATCH", "CHECK_EG_MATCH"}
_ENDS = {*_ASKS, "POP_EXCEPT", "RERAISE"}  # what tells a handler from a `finally`
_PLAIN_STARTS = {
    cls.__init__
    for cls in (
        *(BaseException, Exception, ArithmeticError, AssertionError, KeyError, LookupError, RuntimeError, IndexError),
        *(NotImplementedError, OverflowError, TypeError, ValueError, ZeroDivisionError, FloatingPointError),
    )
}
_OF_GENERATORS = contextlib._GeneratorContextManager.__exit__.__code__  # what catches is in the generator itself
_RETURNS = {"RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR"}


def hook_exceptions() -> None:
    """What torch does not trace: `super().__init__(...)` of exceptions, a `raise` of one or another, `x.shape[9]`."""
    call_method = SuperVariable.call_method

    def method(self: SuperVariable, tx: Tx, name: str, args: Any, kwargs: Any) -> VariableTracker:
        made = self.objvar
        if name == "__init__" and isinstance(made, UserDefinedExceptionObjectVariable) and not kwargs:
            if self._resolved_getattr_and_source(tx, name)[0] in _PLAIN_STARTS and trace_of(tx) is not None:
                made.exc_vt.args = list(args)
                return ConstantVariable.create(None)
        return call_method(self, tx, name, args, kwargs)

    raise_varargs = InstructionTranslatorBase.RAISE_VARARGS

    def raise_either(self: Any, inst: Any) -> None:
        if inst.arg:
            self.stack[-inst.arg] = _last_of(self, self.stack[-inst.arg].realize())
        raise_varargs(self, inst)

    get_item_dyn = SizeVariable.get_item_dyn

    def size_at(self: SizeVariable, tx: Tx, arg: VariableTracker) -> VariableTracker:
        try:
            return get_item_dyn(self, tx, arg)
        except IndexError:
            if trace_of(tx) is None:
                raise
        raise_observed_exception(IndexError, tx, args=["tuple index out of range"])

    SizeVariable.get_item_dyn = size_at  # type: ignore[method-assign]
    SuperVariable.call_method = method  # type: ignore[method-assign]
    InstructionTranslatorBase.RAISE_VARARGS = raise_either  # type: ignore[method-assign]
    dispatch("RAISE_VARARGS")


def _last_of(tx: Tx, exception: VariableTracker) -> VariableTracker:
    """Of exceptions that a `raise` may raise, the last one, knowing that it is none of the others."""
    while isinstance(exception, MergeVariable):
        holds = known(tx, exception.pred)
        if holds is None:
            emit_raise(tx, exception.pred, "an exception")
            assume(tx, exception.pred, False)
        exception = exception.then if holds else exception.orelse
    return exception


def with_arguments(exception: VariableTracker, args: list[VariableTracker]) -> VariableTracker:
    """An exception like another, with other arguments."""
    made = copy.copy(exception)
    made.args = args  # type: ignore[attr-defined]
    return made


def always_raises(fn: VariableTracker) -> bool:
    """Whether a region function has no way to return."""
    code = getattr(fn, "get_code", lambda: None)()
    return code is not None and not any(i.opname in _RETURNS for i in dis.get_instructions(code))


def emit_raise(tx: Tx, pred: VariableTracker, exception: str, instead: Rule | None = None) -> None:
    """Make the compiled call end here where `pred` holds; a refusal, or `instead`, where that is not as in Python."""
    passes = negate(tx, pred)
    if isinstance(passes, ConstantVariable):
        return
    why = _why_not(tx)
    if why is not None:
        refuse(tx, instead or rules.RegionRaises(exception, why))
    for node in changed_inputs(tx.output):
        node.meta["gw_put_back"] = True
    tx.output.gw_raises = True  # type: ignore[attr-defined]
    words = (f"graphweld: {exception} raised at {span_here(tx)[0]}",) if tx.output.export else ()
    proxy = tx.output.create_proxy("call_function", raise_unless, (passes.as_proxy(), *words), {})
    set_example_value(proxy.node, None)


def raise_or(tx: Tx, pred: VariableTracker, exception: str, rest: Callable[[], Any]) -> Any:
    """Raise where `pred` holds; from here on it is known that it does not."""
    emit_raise(tx, pred, exception)
    assume(tx, pred, False)
    return rest()


def _why_not(tx: Tx) -> str | None:
    """Why a compiled call cannot end here in a run of plain Python, if so."""
    if is_piece(tx):
        return "in a function that is compiled by itself, since the graph breaks further out"
    if tx.output.export and inside_try(tx):
        return "inside a `try`, in an export"
    if tx.output.export and _inside_unknown_with(tx):
        return "inside a `with` whose manager may catch it, in an export"
    for node in changed_inputs(tx.output):
        if tx.output.export:
            return "after a change of an argument, in an export"
        if torch.is_grad_enabled() and node.meta["example_value"].requires_grad:
            return "after a change of an argument that needs a gradient"
    return None


def node_of(tx: Tx) -> str:
    """What a report says a `raise` became."""
    return "Raise, and on in plain Python" if inside_try(tx) else "Raise"


def emit_check(tx: Tx, fails: VariableTracker, exception: type[Exception], of: str = "") -> None:
    """End the call where an operation of Python's own raises; a compiled one would go on with any value.

    With Python's exception where that can be exact, else with an error of torch's.
    """
    if isinstance(fails, ConstantVariable) and not fails.value:
        return
    if isinstance(fails, ConstantVariable):
        raise_observed_exception(exception, tx)
    if _why_not(tx) is None:
        emit_raise(tx, fails, exception.__name__ + of)
        return
    if is_piece(tx) and inside_try(tx):
        refuse(tx, rules.RegionRaises(exception.__name__, _why_not(tx) or ""))
    args = (negate(tx, fails).as_proxy(), exception.__name__ + of)
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


Raising = tuple[Any, tuple[Any, ...]]  # a function of the two above, and what it is told


def has_checks(tx: Tx) -> bool:
    """Whether what is traced now may raise."""
    nodes = tx.output.current_tracer.graph.find_nodes(op="call_function", target=raise_unless, sort=False)
    return next(iter(nodes), None) is not None


def raising_in(tx: Tx, graph: Graph, tracer: Any) -> tuple[VariableTracker, Raising] | None:
    """Whether none of a region's checks fails, as a value of the region; None where it has none.

    A region of which no output is read is dropped by AOTAutograd, and its checks with it. So it hands out whether they
    passed, which is checked again behind it.
    """
    checks = list(graph.find_nodes(op="call_function", target=raise_unless, sort=False))
    checks += graph.find_nodes(op="call_function", target=check, sort=False)
    if not checks:
        return None
    passes = [existing(tx, Proxy(n.args[0], tracer)) for n in checks]
    whole = functools.reduce(lambda a, b: call(tx, torch.logical_and, a, b), passes)
    # An exporter may leave a position to other runtimes, the rest not.
    told = next((n for n in checks if not any(OF_A_POSITION in str(word) for word in n.args[1:])), checks[0])
    return whole, (told.target, told.args[1:])


def raise_behind(tx: Tx, passes: VariableTracker, raising: Raising) -> None:
    """Check behind a region what it handed out."""
    function, words = raising
    set_example_value(tx.output.create_proxy("call_function", function, (passes.as_proxy(), *words), {}).node, None)


def is_marked(error: BaseException) -> bool:
    """Whether an exception out of compiled code stands for one of the user's program."""
    return isinstance(error, RuntimeError) and re.search(MARK, str(error)) is not None


def is_fact(error: BaseException) -> bool:
    """Whether an exception out of compiled code says that something which the trace took for a fact does not hold."""
    return isinstance(error, RuntimeError) and "Runtime assertion failed for expression" in str(error)


def inside_try(tx: Tx) -> bool:
    """Whether an `except` of the program could catch what is raised here."""
    frame: Any = tx
    while frame is not None:
        if _may_catch(frame):
            return True
        frame = frame.parent
    return False


def _inside_unknown_with(tx: Tx) -> bool:
    """Whether a context manager such as `contextlib.suppress` may keep what is raised here. None of torch's does."""
    frame: Any = tx
    while frame is not None:
        is_torch = frame.f_code.co_filename.startswith(TORCH)  # such as `@torch.no_grad()`
        exits = [] if is_torch else [vt for vt in frame.stack if isinstance(vt, WithExitFunctionVariable)]
        if any(_may_keep(vt.ctx) for vt in exits):
            return True
        frame = frame.parent
    return False


def _may_keep(manager: VariableTracker) -> bool:
    if not isinstance(manager, GenericContextWrappingVariable):
        return False
    code = getattr(type(manager.cm_obj).__exit__, "__code__", None)
    return code is None or code is _OF_GENERATORS or _may_suppress(code)


def _may_catch(frame: Any) -> bool:
    """Whether one of the handlers around the current instruction is no `finally`, and no exit of a `with`."""
    entry = getattr(frame.current_instruction, "exn_tab_entry", None)
    while entry is not None:
        block = frame.instructions[frame.indexof[entry.target] :]
        is_cleanup = block[0].opname == "COPY"  # behind a handler: puts the exception before back
        found = next(i for i in block if i.opname in _ENDS and not (is_cleanup and i.opname == "POP_EXCEPT"))
        if found.opname != "RERAISE":
            return True
        entry = found.exn_tab_entry
    return False


def has_handler(code: types.CodeType) -> bool:
    """Whether a function of the program may catch what is raised in it."""
    if code.co_filename.startswith((*PACKAGE, TORCH)):
        return False
    if code.co_name == "__exit__" and code is not _OF_GENERATORS:
        return _may_suppress(code)
    if not code.co_exceptiontable:
        return False
    return any(i.opname in _ASKS for i in dis.get_instructions(code))


def _may_suppress(code: types.CodeType) -> bool:
    """Whether an `__exit__` returns anything else than None or False."""
    found = list(dis.get_instructions(code))
    ends = [i if i.opname == "RETURN_CONST" else found[k - 1] for k, i in enumerate(found) if i.opname in _RETURNS]
    return any(i.opname not in ("LOAD_CONST", "RETURN_CONST") or i.argval for i in ends)


def changed_inputs(output: Any) -> list[Node]:
    """The inputs of the program that the graph has changed so far."""
    root = output.root_tracer
    tensors = [
        n for n in root.graph.nodes if n.op == "placeholder" and isinstance(n.meta.get("example_value"), torch.Tensor)
    ]
    versions = zip(tensors, root._input_versions_at_beginning, strict=False)
    return [node for node, version in versions if node.meta["example_value"]._version != version]
