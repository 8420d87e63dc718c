"""One outermost frame that graphweld welds: the trampoline Dynamo starts in, and the translation of what goes wrong.

Dynamo exchanges code where it inlines a call, and never inlines the outermost frame; so the frame that is compiled is a
trampoline that calls the user's function. Each has a code object of its own, since Dynamo keeps its compiled programs
and counts its recompiles per code object; a number among its constants keeps two of one name from comparing equal.
"""

import functools
import itertools
import linecache
import re
import types
from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch._dynamo import exc
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from graphweld.capture import dynamo, raises, sites
from graphweld.capture.refusal import Refusal
from graphweld.capture.sites import PACKAGE, TORCH
from graphweld.diagnostics import ConversionError, Diagnostic, GraphBreakError, Span, diagnose, rules

TRACE_ERRORS = (exc.TorchDynamoException, GuardOnDataDependentSymNode)
STOPPED = (exc.Unsupported, exc.UserError, exc.TorchRuntimeError, GuardOnDataDependentSymNode)
_numbers = itertools.count()


def trampoline(target: Callable[..., Any]) -> tuple[Callable[..., Any], sites.Trace]:
    """A function that calls `target`, to be compiled in its place, and the record of its traces."""
    dynamo.install()

    def welded(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    name = getattr(target, "__name__", type(target).__name__)
    plain = welded.__code__
    code = plain.replace(co_name=name, co_consts=(*plain.co_consts, f"program {next(_numbers)}"))
    start = types.FunctionType(code, welded.__globals__, name, None, welded.__closure__)
    return functools.update_wrapper(start, target, updated=()), sites.register_root(code)


def guarded(compiled: Callable[..., Any], target: Callable[..., Any]) -> Callable[..., Any]:
    """`compiled`, with torch's exceptions told in the user's words and the user's own passed through."""

    @functools.wraps(target, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        grads = torch.is_grad_enabled()
        try:
            return compiled(*args, **kwargs)
        except BaseException as error:
            torch.set_grad_enabled(grads)  # a graph that ends in an exception leaves `no_grad` switched on
            if not isinstance(error, RuntimeError):
                raise
            if not raises.is_marked(error):
                _told(error, lambda: target(*args, **kwargs))
            unexpected = error.__cause__ if str(error) == raises.MARK_UNHANDLED else None
        # Plain Python raises it, and goes on behind a handler. Not in the handler above: that would be its context.
        result = target(*args, **kwargs)
        if unexpected is not None:
            raise unexpected  # compiled code alone does
        return result

    return call


def _told(error: RuntimeError, plain: Callable[[], Any]) -> NoReturn:
    """Raise what a compiled call raised, in the user's words; `plain` is the call in plain Python."""
    if raises.is_fact(error):
        plain()  # raises it, if it is a check of the program's own
    if not isinstance(error, TRACE_ERRORS):
        raise error
    if raised_by_the_program(error):
        plain()  # raises it, with the user's own traceback
    found = diagnostics_of(error)
    if found is None:
        raise error
    raise GraphBreakError(found) from error


def raised_by_the_program(error: BaseException) -> bool:
    """Whether the trace ended in an exception of the user's program that every path raises."""
    return any(isinstance(e, exc.ObservedException) for e in chain(error)) or (
        isinstance(error, exc.Unsupported) and "Observed exception" in (error.gb_type or "")
    )


def chain(error: BaseException | None) -> list[BaseException]:
    """An exception and what it came from."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def diagnostics_of(error: BaseException) -> list[Diagnostic] | None:
    """What to tell the user about a failed trace; None where it is not a matter of tracing."""
    errors = chain(error)
    for e in errors:
        if isinstance(e, Refusal):
            return [e.diagnostic]
        if isinstance(e, ConversionError):
            return list(e.diagnostics)
    for e in errors:
        if isinstance(e, exc.BackendCompilerFailed):
            return [backend_failure(e)]
        if isinstance(e, (*STOPPED, exc.InternalTorchDynamoError)):
            return [torch_break(e, next((e.gw_region for e in errors if hasattr(e, "gw_region")), None))]
    return None


def torch_code_in(text: str) -> str | None:
    """Torch's own code for a kind of break, such as GB0170, where its message names one."""
    found = re.search(r"\bGB\d{4}\b|/gb(\d{4})\b", text)
    if found is None:
        return None
    return f"GB{found.group(1)}" if found.group(1) else found.group(0)


def backend_failure(error: exc.BackendCompilerFailed) -> Diagnostic:
    """A backend that gave up, at the last line of the user's code that its error names."""
    cause = error.inner_exception
    text = str(cause).strip() or type(cause).__name__
    rule = rules.BackendFails(repr(error.backend_name), f"{type(cause).__name__}: {text.splitlines()[0].rstrip('.')}")
    span, line = None, None
    for file, number in re.findall(r'File "([^"<]+)", line (\d+)', text):
        if not file.startswith((*PACKAGE, TORCH)):
            span, line = Span.at(file, int(number)), linecache.getline(file, int(number)).strip() or None
    return diagnose(rule, span, line)


def torch_break(error: BaseException, region: str | None = None) -> Diagnostic:
    """A break that torch reports itself, at the innermost line of the user's code; it may break a region."""
    text = str(error)
    torch_code = torch_code_in(text)
    reason = getattr(error, "gb_type", None) or text.strip().splitlines()[0]
    explanation = next(
        (line.partition("Explanation: ")[2] for line in text.splitlines() if "Explanation: " in line), ""
    )
    if explanation:
        reason = f"{reason}: {explanation.strip()}"
    span, line = None, None
    for frame in reversed(list(getattr(error, "real_stack", None) or ())):
        if not frame.filename.startswith("<") and not frame.filename.startswith(PACKAGE):
            span = Span.at(frame.filename, frame.lineno or 1)
            line = linecache.getline(frame.filename, frame.lineno or 1).strip() or None
            break
    notes = [f"torch: {part.strip()}" for part in text.strip().splitlines()[:4] if part.strip()]
    rule = rules.TorchBreak(reason, torch_code) if region is None else rules.RegionBreaks(region, reason, torch_code)
    return diagnose(rule, span, line, notes)
