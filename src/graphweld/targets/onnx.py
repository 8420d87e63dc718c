"""`gw.export_onnx`: an exported program as an ONNX model, by torch's own exporter, checked and run.

torch's exporter leaves out of the file, without a word, that a program raises, that it changes its buffers or
arguments, and results that are no tensors. Here each has a form that ONNX can hold, or is refused before anything is
written.
"""

import copy
import logging
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, OutputKind

from graphweld.capture.exported_names import Place, changed_inputs, result_names
from graphweld.capture.exporter import export_failed, flat_inputs, flat_results, named_sizes, raising_nodes
from graphweld.convert import code_of
from graphweld.diagnostics import ExportError, Span, UsageError, diagnose, rules
from graphweld.targets.export import export_target, found_at
from graphweld.targets.onnx_outputs import NUMBER, numbers_as_tensors
from graphweld.targets.onnx_raises import carry_raises

EXPORTER = "torch's ONNX exporter"
MOST_INLINE = 1 << 30  # bytes; protobuf ends at two gigabytes
STATE = {OutputKind.BUFFER_MUTATION: "buffer", OutputKind.PARAMETER_MUTATION: "parameter"}
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
    from graphweld.targets.onnx_names import name_sizes, name_sources  # import onnx, which is an extra
    from graphweld.targets.onnx_trip_counts import count_trips

    model, program, kinds = _made(target, args, kwargs, dynamic_shapes, opset_version)
    _refuse_changed_state(target, model)
    assert model.exported_program is not None, "this model comes from one"
    changed = changed_inputs(model.exported_program, args, kwargs)
    if changed:
        also = list(changed.values())
        model, program, kinds = _made(target, args, kwargs, dynamic_shapes, opset_version, also)
    count_trips(model.model)
    name_sources(model.model, result_names(program, list(changed)))
    name_sizes(model.model, named_sizes(program, args, kwargs, dynamic_shapes))
    for output, kind in zip(model.model.graph.outputs, kinds, strict=True):
        if kind:
            output.metadata_props[NUMBER] = kind
    _check(model)
    for row in [] if verify is False else [args] if verify is True else [args, *verify]:
        _compare(target, model, row, kwargs, list(changed.values()))
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
    also: Sequence[Place] = (),
) -> tuple[torch.onnx.ONNXProgram, torch.export.ExportedProgram, list[str]]:
    """The model, the program that it comes from, and what its results are in Python (see `numbers_as_tensors`)."""
    program = export_target(target, args, kwargs, dynamic_shapes, also, gives_lists=True)
    kinds = numbers_as_tensors(program)
    for spec in program.graph_signature.output_specs:
        if isinstance(spec.arg, ConstantArgument) and spec.arg.value is not None:
            _refuse(target, f"return {spec.arg.value!r}", "return a tensor")
    for words in carry_raises(program, raising_nodes(program)):
        _refuse(target, f"raise an exception ({words}) where it returns no tensor", "return a tensor")
    return _translated(program, opset_version), program, kinds


def _translated(program: torch.export.ExportedProgram, opset_version: int | None) -> torch.onnx.ONNXProgram:
    from graphweld.targets.onnx_lists import type_sequences
    from graphweld.targets.onnx_regions import translations  # imports onnx, which is an extra

    log = logging.getLogger("torch.onnx")
    level = log.level
    try:
        with warnings.catch_warnings(), torch.no_grad():  # with gradients, torch traces branches anew at each step
            warnings.simplefilter("ignore")  # torch's, about how it does things itself; as is what it logs
            log.setLevel(logging.ERROR)
            made = torch.onnx.export(
                program,
                dynamo=True,
                custom_translation_table=translations(),
                opset_version=opset_version,
                optimize=False,
                verbose=False,
            )
            assert made is not None, "torch gives no program only where it is asked for the old exporter"
            type_sequences(program, made.model)
            made.optimize()
    except Exception as error:
        raise ExportError([export_failed(EXPORTER, _first_cause(error))]) from error
    finally:
        log.setLevel(level)
    return made


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _refuse(target: Callable[..., Any], what: str, change: str) -> None:
    code = code_of(target)
    span = Span.at(code.co_filename, code.co_firstlineno)
    raise ExportError([diagnose(rules.NotCarried(what, "an ONNX file", change), span)])


def _refuse_changed_state(target: Callable[..., Any], model: torch.onnx.ONNXProgram) -> None:
    """They show once the exporter has made the program functional, and it leaves them out."""
    assert model.exported_program is not None, "this model comes from one"
    for spec in model.exported_program.graph_signature.output_specs:
        if spec.kind in STATE:
            what = STATE[spec.kind]
            _refuse(target, f"change the {what} `{spec.target}`", "take it as an argument, and return the new value")


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
    changed: Sequence[Place],
) -> None:
    """One call in ONNX Runtime and in eager Python."""
    from graphweld.targets.onnx_lists import results_of

    assert model.exported_program is not None, "this model comes from one"
    inputs = flat_inputs(model.exported_program, *copy.deepcopy((args, kwargs)))
    own_args, own_kwargs = copy.deepcopy((args, kwargs))
    raised: Exception | None = None
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        try:
            wanted = flat_results(target(*own_args, **own_kwargs))
            wanted += [found_at(own_args, own_kwargs, place) for place in changed]
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
    flat = [(value, item) for value, result in outputs for item in (result if isinstance(result, list) else [result])]
    if len(flat) != len(wanted):
        words = f"{len(flat)} tensors where plain Python has {len(wanted)}"
        raise ExportError([diagnose(rules.ExportDiffers("the result", words, "ONNX Runtime"), None)])
    for (value, result), want in zip(flat, wanted, strict=True):
        try:
            is_typed = isinstance(want, torch.Tensor)  # a float of Python's may be of any size
            torch.testing.assert_close(
                result, torch.as_tensor(want), rtol=RTOL, atol=ATOL, equal_nan=True, check_dtype=is_typed
            )
        except AssertionError as difference:
            words = " ".join(str(difference).split())
            rule = rules.ExportDiffers(f"output `{value.name}`", words, "ONNX Runtime")
            raise ExportError([diagnose(rule, None)]) from None


def require(*packages: str) -> None:
    """UsageError where packages of the extra `onnx` are missing."""
    import importlib.util

    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError.because(f"this needs {', '.join(missing)}", 'pip install "graphweld[onnx]"')
