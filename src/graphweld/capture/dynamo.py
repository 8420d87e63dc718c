"""The hooks: where Dynamo is asked to trace another code object, to stage instead of follow, and to start over."""

import contextlib
import functools
import itertools
import pickle
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import torch
from torch._dynamo import config, exc
from torch._dynamo.eval_frame import skip_code
from torch._dynamo.symbolic_convert import InliningInstructionTranslator
from torch._dynamo.variables.base import AsPythonConstantNotImplementedError
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.functions import (
    LocalGeneratorFunctionVariable,
    LocalGeneratorObjectVariable,
    NestedUserFunctionVariable,
    PolyfilledFunctionVariable,
    SkipFunctionVariable,
    UserFunctionVariable,
    UserMethodVariable,
)
from torch._dynamo.variables.iter import ItertoolsVariable
from torch._dynamo.variables.misc import LoggingLoggerVariable
from torch._dynamo.variables.tensor import TensorVariable
from torch._dynamo.variables.torch import TorchInGraphFunctionVariable
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from graphweld import convert, syntax
from graphweld.capture import (
    asked_gradients,
    builtin_functions,
    checks,
    counters,
    data_sized,
    draws,
    exported,
    failing_operators,
    growing_tensors,
    indexing,
    intrinsics,
    list_operations,
    math_domain,
    output,
    pickled,
    polyfills,
    products,
    reshapes,
    sequences,
    sites,
    statistics,
)
from graphweld.capture.absence import hook_absence
from graphweld.capture.aliases import hook_data
from graphweld.capture.as_python import hook_asserts, hook_cells
from graphweld.capture.asked_sizes import hook_questions
from graphweld.capture.autograd_functions import hook_autograd_functions
from graphweld.capture.changing_sizes import hook_rows
from graphweld.capture.choices import hook_choices
from graphweld.capture.compiled import hook_compiled
from graphweld.capture.conditionals import distribute, merge_in
from graphweld.capture.effects import hook_changes
from graphweld.capture.fillers import hook_symbols
from graphweld.capture.formatting import hook_formatting
from graphweld.capture.frozen import refuse_changes
from graphweld.capture.functional_faults import hook_sizes
from graphweld.capture.grown_lists import GrownList
from graphweld.capture.iteration import hook_iterators
from graphweld.capture.membership import hook_membership
from graphweld.capture.merge_arguments import hook_merge_arguments, with_choices
from graphweld.capture.merge_variable import changes_in_place
from graphweld.capture.number_reads import hook_numbers, read_once
from graphweld.capture.own_attributes import hook_own_attributes
from graphweld.capture.partial import hook_partial
from graphweld.capture.picked import hook_codegen
from graphweld.capture.predicates import is_data_dependent
from graphweld.capture.raises import hook_exceptions
from graphweld.capture.refusal import Refusal, refuse
from graphweld.capture.size_facts import facts_forgotten
from graphweld.capture.steady_tests import are_changed
from graphweld.capture.surroundings import hook_surroundings
from graphweld.capture.variables import call, example, is_tensor
from graphweld.diagnostics import rules
from graphweld.runtime import lists, merge

STOPS = (
    exc.Unsupported,
    exc.UserError,
    exc.UncapturedHigherOrderOpError,
    exc.TorchRuntimeError,
    GuardOnDataDependentSymNode,
    AsPythonConstantNotImplementedError,
)

# While one of our frames is traced: what torch can do, but leaves off by default.
SETTINGS = {
    "allow_rnn": True,
    "capture_dynamic_output_shape_ops": True,
    "capture_scalar_outputs": True,
    "trace_autograd_ops": True,
}

_local, _lock = threading.local(), threading.Lock()
_installed = False


def current_tx() -> Any:
    """The translator that is running now."""
    return getattr(_local, "tx", None)


def install() -> None:
    """Put the hooks in place, once a process. They do nothing in a frame that graphweld did not start."""
    global _installed
    with _lock:
        if _installed:
            return
        _installed = True
        _hook_inlining()
        _skip_boundaries()
        _hook_generators()
        _hook_calls()
        _hook_output()
        _hook_methods()
        hook_asserts()
        hook_numbers()
        hook_cells()
        hook_changes(list_operations.instead)
        list_operations.hook_displays()
        counters.hook_literals()
        hook_formatting()
        hook_compiled()
        hook_codegen()
        hook_data()
        hook_symbols()
        hook_sizes()
        hook_membership()
        hook_iterators()
        hook_merge_arguments()  # behind what it takes over
        hook_rows()
        hook_choices()
        hook_absence()
        hook_partial()
        hook_exceptions()
        hook_surroundings()
        hook_autograd_functions()
        hook_questions()
        hook_own_attributes()


def _skip_boundaries() -> None:
    """What runs behind a graph is no program: where a program may break, torch would compile it as one of its own."""
    for module in (lists, merge):
        for function in vars(module).values():
            if isinstance(function, types.FunctionType):
                skip_code(function.__code__)


def _hook_inlining() -> None:
    build = InliningInstructionTranslator.build_inline_tracer
    inline = InliningInstructionTranslator.inline_call.__func__  # type: ignore[attr-defined]

    def build_inline_tracer(parent: Any, func: Any, args: Any, kwargs: Any, **more: Any) -> Any:
        trace = sites.trace_of(parent)
        if trace is not None:
            func = _exchange(trace, func)
        tracer = build(parent, func, args, kwargs, **more)
        if trace is not None:
            _local.tx = tracer  # until inline_call, which has asked for it, ends
        return tracer

    def inline_call(cls: Any, parent: Any, func: Any, args: Any, kwargs: Any, *more: Any, **named: Any) -> Any:
        trace = sites.trace_of(parent)
        if trace is None:
            return inline(cls, parent, func, args, kwargs, *more, **named)
        before, _local.tx = getattr(_local, "tx", None), parent
        is_outermost = parent.parent is None
        settings = config.patch(_settings(parent)) if is_outermost else contextlib.nullcontext()
        try:
            with settings:
                step = func.get_code() if is_outermost and parent.output.export else None
                if step is exported.FLATTEN:
                    args = [exported.result_of(parent, args[0]), *args[1:]]
                result = inline(cls, parent, func, args, kwargs, *more, **named)
                if step is exported.UNFLATTEN:
                    exported.remember_inputs(parent, result)
                elif step is exported.FLATTEN:
                    exported.finish(parent, result)
            if is_outermost:
                refuse_changes(parent)
                if are_changed(parent, trace):
                    trace.copies_tests = True
                    start_over(trace, parent, "copies what is tested and then changed")
                _maybe_free_numbers(trace, parent)
            return result
        except STOPS as error:
            _maybe_start_over(trace, parent, func, error)
            if is_outermost and trace.follows_sizes and not trace.unrolls_sizes:
                trace.unrolls_sizes = True
                start_over(trace, parent, "unrolls loops over sizes that change")
            if is_outermost and trace.tested:
                trace.take_for_sizes()
                start_over(trace, parent, "takes ints that change for sizes")
            if is_outermost and trace.changing:
                trace.take_for_constants()
                start_over(trace, parent, "takes what changes for constants")
            raise
        finally:
            _local.tx = before

    InliningInstructionTranslator.build_inline_tracer = staticmethod(build_inline_tracer)  # type: ignore[assignment,method-assign]
    InliningInstructionTranslator.inline_call = classmethod(inline_call)  # type: ignore[assignment,method-assign]


def _settings(root: Any) -> dict[str, Any]:
    """For an export, torch makes `print` and its like do nothing; here they are to be seen."""
    return SETTINGS | {"reorderable_logging_functions": set()} if root.output.export else SETTINGS


def _hook_generators() -> None:
    """A generator's frame is traced where it is advanced, and not where it is called."""
    send = LocalGeneratorObjectVariable.gen_send_ex2

    def gen_send_ex2(self: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return send(self, tx, *args, **kwargs)
        except STOPS as error:
            trace = sites.trace_of(tx)
            if trace is not None:
                _maybe_start_over(trace, tx, self, error)
            raise

    LocalGeneratorObjectVariable.gen_send_ex2 = gen_send_ex2  # type: ignore[method-assign]


def _exchange(trace: sites.Trace, func: Any) -> Any:
    """The function with the twin's code where the twin is wanted, else itself."""
    code = func.get_code()
    trace.reached[code] = None
    if code not in trace.wanted:
        return func
    twin = convert.twin_of(code)
    if twin is None:
        return func
    sites.register_conversion(twin)
    return _with_code(func, twin.code)


def _with_code(func: Any, code: types.CodeType) -> Any:
    """A function's stand-in with other code."""
    original, func = func, object.__new__(type(func))
    vars(func).update(vars(original))
    if isinstance(func, LocalGeneratorFunctionVariable):
        func.vt = _with_code(func.vt.realize(), code)
    elif isinstance(func, NestedUserFunctionVariable):
        func.code = ConstantVariable.create(code) if not isinstance(func.code, types.CodeType) else code
    elif isinstance(func, UserFunctionVariable):
        original = original.fn
        func.fn = types.FunctionType(
            code, original.__globals__, original.__name__, original.__defaults__, original.__closure__
        )
        func.fn.__kwdefaults__ = original.__kwdefaults__
        func.fn.__dict__.update(original.__dict__)
        func.fn.__qualname__, func.fn.__module__ = original.__qualname__, original.__module__
    return func


def _maybe_start_over(trace: sites.Trace, parent: Any, func: Any, error: Exception) -> None:
    """The trace stopped in a function that has sites and is not converted yet: convert it, and trace again."""
    if getattr(error, "gw_final", False) or (isinstance(error, Refusal) and error.final):
        return
    code = func.get_code()
    if code in trace.wanted or sites.conversion_of(code) is not None:
        error.gw_stays = True  # type: ignore[attr-defined]
        return
    try:
        if not convert.has_sites(code):
            return
    except syntax.SourceUnavailable as unavailable:
        if not _steered_by_data(error):
            return
        error.gw_final = True  # type: ignore[attr-defined]
        name = getattr(code, "co_qualname", code.co_name)
        refuse(parent, rules.SourceUnavailable(name, str(unavailable)))
    trace.wanted.add(code)
    trace.stalls = trace.stalls + 1 if hasattr(error, "gw_stays") else 0
    trace.wanted.update(itertools.islice(_convertible_callers(trace, parent), 2**trace.stalls - 1))
    start_over(trace, parent, f"converts {code.co_name}")


def _convertible_callers(trace: sites.Trace, tx: Any) -> Iterator[types.CodeType]:
    """Functions that the trace is in, from the inside, which are not converted and have sites.

    Where converting one does not help its caller may, and so on: each time twice as many, so that a deep stack does not
    take as many traces as it has callers.
    """
    for frame in _frames(tx):
        code = frame.f_code
        if code in trace.wanted or sites.conversion_of(code) is not None:
            continue
        with contextlib.suppress(syntax.SourceUnavailable):
            if convert.has_sites(code):
                yield code


def _frames(tx: Any) -> Iterator[Any]:
    while tx.parent is not None:  # the outermost is graphweld's own
        yield tx
        tx = tx.parent


def _maybe_free_numbers(trace: sites.Trace, parent: Any) -> None:
    """The trace changed what it took for constants: mark it, and trace again."""
    found = counters.newly_changing(parent, trace)
    if found:
        trace.changing |= found
        start_over(trace, parent, f"makes inputs of {', '.join(sorted(found))}")
    if not trace.tested.isdisjoint(trace.sizes):
        start_over(trace, parent, f"has tensor values decide {', '.join(sorted(trace.tested))}")
    if trace.on_trial and not trace.tests_data:
        trace.take_for_constants()
        start_over(trace, parent, "has no sites")


def start_over(trace: sites.Trace, parent: Any, reason: str) -> NoReturn:
    trace.start_over()
    parent.speculation_log.clear()
    raise exc.RestartAnalysis(restart_reason=f"graphweld {reason}")


def _steered_by_data(error: Exception) -> bool:
    """Whether a trace stopped because Python asked for a value of the data."""
    return isinstance(error, (exc.UserError, GuardOnDataDependentSymNode)) or "Data-dependent" in str(
        getattr(error, "gb_type", "")
    )


def _hook_calls() -> None:
    user_call = UserFunctionVariable.call_function
    torch_call = TorchInGraphFunctionVariable.call_function
    itertools_call = ItertoolsVariable.call_function
    polyfilled_call = PolyfilledFunctionVariable.call_function
    make_handler = BuiltinVariable._make_handler

    def call_function(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if isinstance(self, UserMethodVariable) and output.is_logging(self.fn) and sites.trace_of(tx) is not None:
            return output.log(tx, self.obj, self.fn.__name__, args, kwargs)
        handler = intrinsics.HANDLERS.get(self.fn)
        if handler is not None and sites.trace_of(tx) is not None:
            before, _local.tx = getattr(_local, "tx", None), tx
            try:
                answer = handler(tx, list(args))
            finally:
                _local.tx = before
            if answer is not None:
                return answer
        return user_call(self, tx, args, kwargs)

    def torch_call_function(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if sites.trace_of(tx) is None:
            return torch_call(self, tx, args, kwargs)
        if self.value is torch.Tensor.__getitem__ and indexing.needs_help(tx, args[1]):
            return indexing.getitem(tx, *args)
        of_list = growing_tensors.cat(tx, self.value, list(args), kwargs)
        of_list = of_list or list_operations.call_torch(tx, self.value, list(args), kwargs)
        if of_list is not None:
            return of_list
        failing_operators.refuse_in_export(tx, self.value)
        checked = checks.check(tx, self.value, args, kwargs, torch_call)
        if checked is not None:
            return checked
        product = products.of_data(tx, args, kwargs) if self.value in products.FUNCTIONS else None
        if product is not None:
            return product
        polyfill = polyfills.FUNCTIONS.get(self.value) or math_domain.of_data(tx, self.value, args)
        if polyfill is not None or (self.value in polyfills.OF_NUMBERS and is_data_dependent(args[0])):
            return call(tx, polyfill or polyfills.OF_NUMBERS[self.value], *args, **kwargs)
        of_sizes = data_sized.instead(tx, self.value, args, kwargs)
        if of_sizes is not None:
            return call(tx, of_sizes, *args, **kwargs)
        args, kwargs = indexing.numbers_for_sizes(tx, self.value.__name__, args, draws.plain(kwargs))
        args, kwargs = with_choices(tx, self.value.__name__, args, kwargs)
        if any(map(merge_in, (*args, *kwargs.values()))):
            writes = builtin_functions.writes(self.value, kwargs)
            return distribute(tx, list(args), kwargs, functools.partial(torch_call_function, self, tx), writes)
        result = torch_call(self, tx, args, kwargs)
        statistics.count_writes(self.value, args, kwargs)
        if self.value is torch.autograd.grad:
            asked_gradients.check(tx, args, kwargs, result)
        return result

    def polyfilled_call_function(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        ours = None if sites.trace_of(tx) is None else builtin_functions.polyfilled(tx, self.fn, args)
        return polyfilled_call(self, tx, args, kwargs) if ours is None else ours(tx, *args, **kwargs)

    def itertools_call_function(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if self.value is itertools.product and not kwargs and any(sequences.is_dynamic(tx, a) for a in args):
            return sequences.product(tx, *args)
        try:
            return itertools_call(self, tx, args, kwargs)
        except exc.Unsupported as error:
            if self.value is not itertools.groupby or sites.trace_of(tx) is None or isinstance(error, Refusal):
                raise
            words = "write `torch.unique_consecutive(x, return_counts=True)` for runs of equal values and their lengths"
            refuse(tx, rules.LoopNotWelded("groupby", "which items belong together, the data decides", words))

    def handler_for(fn: Callable[..., Any], arg_types: list[type], has_kwargs: bool) -> Any:
        ours = builtin_functions.builtin(fn, arg_types, has_kwargs)
        if ours is None:
            return builtin_functions.told(fn, arg_types, make_handler(fn, arg_types, has_kwargs))
        ours = builtin_functions.told(fn, arg_types, ours)
        # Dynamo calls a handler for constants with constants that it has yet to look at.
        return lambda tx, args, kwargs: ours(tx, [a.realize() for a in args], kwargs)

    UserFunctionVariable.call_function = call_function  # type: ignore[method-assign]
    TorchInGraphFunctionVariable.call_function = torch_call_function  # type: ignore[method-assign]
    PolyfilledFunctionVariable.call_function = polyfilled_call_function  # type: ignore[method-assign]
    ItertoolsVariable.call_function = itertools_call_function  # type: ignore[method-assign]
    BuiltinVariable._make_handler = staticmethod(handler_for)  # type: ignore[assignment,method-assign]
    BuiltinVariable.call_function_handler_cache.clear()  # made for what torch alone compiled before


def _hook_output() -> None:
    logger_method = LoggingLoggerVariable.call_method
    skipped_call = SkipFunctionVariable.call_function

    def log(self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
        if sites.trace_of(tx) is not None and name in output.LOGGING and exported.is_heard(tx, self, name):
            return output.log(tx, self, name, args, kwargs)
        return logger_method(self, tx, name, args, kwargs)

    def skipped(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if callable(self.value) and sites.trace_of(tx) is not None:
            if self.value in output.SPEAKING:
                return output.SPEAKING[self.value](tx, list(args), dict(kwargs))
            if self.value is pickle.dumps and (found := pickled.dumps(tx, list(args), dict(kwargs))) is not None:
                return found
            if self.value in polyfills.SKIPPED:
                return call(tx, polyfills.SKIPPED[self.value], *args, **kwargs)
        return skipped_call(self, tx, args, kwargs)

    LoggingLoggerVariable.call_method = log  # type: ignore[method-assign]
    SkipFunctionVariable.call_function = skipped  # type: ignore[method-assign]


def _hook_methods() -> None:
    call_method = TensorVariable.call_method

    def method(self: TensorVariable, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
        lost = getattr(self, "gw_lost_alias", None)
        if lost is not None and changes_in_place(name):
            refuse(tx, rules.RegionMutates(lost, "a branch"))
        polyfill = polyfills.METHODS.get(name) or data_sized.method_instead(self, name)
        if polyfill is not None and sites.trace_of(tx) is not None:
            return call(tx, polyfill, self, *args, **kwargs)
        if sites.trace_of(tx) is not None:
            [_, *args], kwargs = indexing.numbers_for_sizes(tx, name, [self, *args], kwargs)
            args, kwargs = with_choices(tx, name, args, kwargs)
            if name == "unbind" and example(self).dim() and sequences.is_dynamic(tx, self):
                if all(isinstance(dim, ConstantVariable) and dim.value == 0 for dim in (*args, *kwargs.values())):
                    return sequences.as_sequence(tx, self)
            if name in ("split", "split_with_sizes") and args and isinstance(args[0].realize(), GrownList):
                return list_operations.split(tx, self, *args, **kwargs)
            if name == "resize_as_" and args and is_tensor(args[0]) and example(self).shape == example(args[0]).shape:
                return self  # nothing to do
            if name == "__setitem__":
                if indexing.is_part(args[1], self, args[0]):
                    return ConstantVariable.create(None)
                args = [indexing.plain_key(tx, args[0]), *args[1:]]
                parts = indexing.split(args[0])
                if parts is not None:
                    if not indexing.check_positions(tx, self, parts) or len(parts) > 1:  # torch takes one
                        return indexing.setitem(tx, self, *args)
                    with facts_forgotten(tx.output.shape_env):  # that it is inside: checked, where Python raises
                        return call_method(self, tx, name, [indexing.as_number(tx, parts[0]), *args[1:]], kwargs)
            if any(map(merge_in, (*args, *kwargs.values()))):
                return distribute(tx, list(args), kwargs, functools.partial(method, self, tx, name))
            if name == "item" and "example_value" in self.proxy.node.meta:
                return read_once(self, tx, lambda: call_method(self, tx, name, args, kwargs))
            product = products.of_data(tx, [self, *args], kwargs) if name in products.METHODS else None
            if product is not None:
                return product
            if name in reshapes.NAMES:
                return reshapes.reshaped(
                    tx, self, name, args, kwargs, lambda: call_method(self, tx, name, args, kwargs)
                )
        with indexing.views_made_again(tx, name):
            return call_method(self, tx, name, args, kwargs)

    TensorVariable.call_method = method  # type: ignore[method-assign]
