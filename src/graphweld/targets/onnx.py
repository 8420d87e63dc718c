"""`gw.export_onnx`: an exported program as an ONNX model, by torch's own exporter, checked and run.

torch's exporter leaves out of the file, without a word, that a program raises, that it changes its buffers or
arguments, and results that are no tensors. Here each has a form that ONNX can hold, or is refused before anything is
written.
"""

import copy
import logging
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument

from graphweld.capture.exported_names import Changed, changed_by_program, result_names
from graphweld.capture.exporter import flat_inputs, flat_results, named_sizes, raising_nodes, values_of
from graphweld.capture.quiet import quiet
from graphweld.capture.refusal import export_failed
from graphweld.convert import code_of
from graphweld.diagnostics import ExportError, Span, UsageError, diagnose, rules
from graphweld.targets.export import as_module, changed_by, export_target
from graphweld.targets.onnx_aliases import by_first_names
from graphweld.targets.onnx_numbers import floats_as_doubles
from graphweld.targets.onnx_outputs import NUMBER, numbers_as_tensors
from graphweld.targets.onnx_raises import carry_raises

EXPORTER = "torch's ONNX exporter"
LOGS = ("torch.onnx", "onnx_ir", "onnxscript")
MOST_INLINE = 1 << 30  # bytes; protobuf ends at two gigabytes
RTOL, ATOL = 1e-3, 1e-5  # another runtime adds up in another order

Verify = bool | Sequence[tuple[Any, ...]]


def export_onnx_target(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    path: str | os.PathLike[str] | None,
    *,
    kwargs: dict[str, Any],
    dynamic_shapes: Any,
    opset_version: int | None,
    verify: Verify,
) -> torch.onnx.ONNXProgram:
    """Export, refuse what cannot be held, check, run, and only then write."""
    require("onnx", "onnxscript", *(["onnxruntime"] if verify else []))
    from graphweld.targets.onnx_draws import places_of_draws
    from graphweld.targets.onnx_names import name_sizes, name_sources  # import onnx, which is an extra
    from graphweld.targets.onnx_state import give_defaults, names_of
    from graphweld.targets.onnx_trip_counts import count_trips

    model, program, kinds = _made(target, args, kwargs, dynamic_shapes, opset_version)
    assert model.exported_program is not None, "this model comes from one"
    changed = changed_by_program(model.exported_program, args, kwargs)  # shows once the exporter has made it functional
    if changed:
        model, program, kinds = _made(target, args, kwargs, dynamic_shapes, opset_version, changed)
    count_trips(model.model)
    state = names_of(target, changed)
    name_sources(model.model, result_names(program, [*changed.arguments, *state.values()]))
    name_sizes(model.model, named_sizes(program, args, kwargs, dynamic_shapes))
    for output, kind in zip(model.model.graph.outputs, kinds, strict=True):
        if kind:
            output.metadata_props[NUMBER] = kind
    if not model.model.graph.outputs:
        _refuse(target, "return nothing", "return a tensor")
    draws = next(places_of_draws(model.model), None)
    if verify is not False and draws is not None:
        _refuse(
            target,
            f"draw the random numbers of eager Python (at {draws})",
            "pass `verify=False` (`--no-verify`), and the runtime draws others",
        )
    give_defaults(model.model, as_module(target, changed), state)
    _check(model)
    for row in [] if verify is False else [args] if verify is True else [args, *verify]:
        _compare(target, model, row, kwargs, changed)
    if path is not None:
        size = sum(v.const_value.nbytes for v in model.model.graph.initializers.values() if v.const_value is not None)
        model.save(path, external_data=size > MOST_INLINE)
    return model


def _made(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic_shapes: Any,
    opset_version: int | None,
    also: Changed | None = None,
) -> tuple[torch.onnx.ONNXProgram, torch.export.ExportedProgram, list[str]]:
    """The model, the program that it comes from, and what its results are in Python (see `numbers_as_tensors`)."""
    from graphweld.targets.onnx_state import names_of

    program = export_target(target, args, kwargs, dynamic_shapes, also, gives_lists=True)
    kinds = numbers_as_tensors(program)
    for spec in program.graph_signature.output_specs:
        if isinstance(spec.arg, ConstantArgument) and spec.arg.value is not None:
            _refuse(target, f"return {spec.arg.value!r}", "return a tensor")
    for words in carry_raises(program, raising_nodes(program)):
        _refuse(target, f"raise an exception ({words}) where it returns no tensor", "return a tensor")
    by_first_names(program)
    floats_as_doubles(program)
    return _translated(program, opset_version, names_of(target, also)), program, kinds


def _translated(
    program: torch.export.ExportedProgram, opset_version: int | None, state: Mapping[str, str]
) -> torch.onnx.ONNXProgram:
    from graphweld.targets.onnx_regions import translations  # imports onnx, which is an extra
    from graphweld.targets.onnx_results import type_results
    from graphweld.targets.onnx_state import as_inputs

    try:  # with gradients, torch traces branches anew at each step
        with warnings.catch_warnings(), torch.no_grad(), quiet(*LOGS, below=logging.ERROR):
            warnings.simplefilter("ignore")  # torch's, about how it does things itself; as is what it logs
            made = torch.onnx.export(
                program,
                dynamo=True,
                custom_translation_table=translations(),
                opset_version=opset_version,
                optimize=False,
                verbose=False,
            )
            assert made is not None, "torch gives no program only where it is asked for the old exporter"
            type_results(program, made.model)
            as_inputs(made.model, state)
            made.optimize()
    except Exception as error:
        raise ExportError([export_failed(EXPORTER, _first_cause(error))]) from error
    return made


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _refuse(target: Callable[..., Any], what: str, change: str) -> None:
    code = code_of(target)
    span = Span.at(code.co_filename, code.co_firstlineno)
    raise ExportError([diagnose(rules.NotCarried(what, "an ONNX file", change), span)])


def _check(model: torch.onnx.ONNXProgram) -> None:
    """ONNX's own checker, with shapes inferred through every region."""
    import onnx

    try:
        onnx.checker.check_model(model.model_proto, full_check=True)
    except Exception as error:
        raise ExportError([export_failed("ONNX's checker", error)]) from error


def _compare(
    target: Callable[..., Any],
    model: torch.onnx.ONNXProgram,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    changed: Changed,
) -> None:
    """One call in ONNX Runtime and in eager Python."""
    from graphweld.targets.onnx_results import results_of
    from graphweld.targets.onnx_state import state_kept

    assert model.exported_program is not None, "this model comes from one"
    inputs = flat_inputs(model.exported_program, *copy.deepcopy((args, kwargs)))
    own_args, own_kwargs = copy.deepcopy((args, kwargs))
    raised: Exception | None = None
    owner = as_module(target)
    with state_kept(owner, changed.state), torch.random.fork_rng(devices=[]):
        try:
            wanted = target(*own_args, **own_kwargs)
            if changed:
                wanted = wanted, changed_by(own_args, own_kwargs, owner, changed)
            wanted = values_of(wanted)
        except Exception as error:  # noqa: BLE001 - then the model has to raise as well
            raised = error
    try:
        found = results_of(model, inputs)
    except Exception as error:
        if raised is not None:
            return
        raise ExportError([export_failed("ONNX Runtime", error)]) from error
    if raised is not None:
        words = f"plain Python raises {type(raised).__name__}, and the model does not"
        raise ExportError([diagnose(rules.ExportDiffers("the call", words, "ONNX Runtime"), None)])
    outputs = zip(model.model.graph.outputs, found, strict=True)
    try:
        pairs = list(zip(outputs, flat_results(model.exported_program, wanted), strict=True))
    except ValueError as error:
        words = f"it has other parts than that of the call it was exported with: {error}"
        raise ExportError([diagnose(rules.ExportDiffers("the result", words, "ONNX Runtime"), None)]) from None
    for (value, result), want in pairs:
        words = _difference(result, want)
        if words:
            raise ExportError([diagnose(rules.ExportDiffers(f"output `{value.name}`", words, "ONNX Runtime"), None)])


def _difference(found: Any, wanted: Any) -> str:
    """How what ONNX Runtime gives differs from a result of Python's, "" where it does not."""
    if isinstance(wanted, list | tuple):
        if not isinstance(found, list) or len(found) != len(wanted):
            return f"{found} where plain Python has {wanted}"
        return next(filter(None, map(_difference, found, wanted)), "")
    if found is None or wanted is None or isinstance(wanted, str):
        return "" if found == wanted else f"{found!r} where plain Python has {wanted!r}"
    try:
        is_typed = isinstance(wanted, torch.Tensor)  # a float of Python's may be of any size
        torch.testing.assert_close(
            found, torch.as_tensor(wanted), rtol=RTOL, atol=ATOL, equal_nan=True, check_dtype=is_typed
        )
    except AssertionError as difference:
        return " ".join(str(difference).split())
    return ""


def require(*packages: str) -> None:
    """UsageError where packages of the extra `onnx` are missing."""
    import importlib.util

    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError.because(f"this needs {', '.join(missing)}", 'pip install "graphweld[onnx]"')
