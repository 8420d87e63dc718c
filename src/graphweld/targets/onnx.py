"""`gw.export_onnx`: an exported program as an ONNX model, by torch's own exporter, checked and run.

What ONNX has no way to hold is refused before anything is written: torch's exporter leaves out of the file, without a
word, that a program raises, that it changes its buffers or arguments, and results that are no tensors.
"""

import copy
import logging
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument

from graphweld.capture.exporter import export_failed, flat_inputs, flat_results, named_sizes, raising_nodes
from graphweld.convert import code_of
from graphweld.diagnostics import ExportError, Span, UsageError, diagnose, rules
from graphweld.targets.export import export_target

EXPORTER = "torch's ONNX exporter"
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
    from graphweld.targets.onnx_names import name_sizes, name_sources
    from graphweld.targets.onnx_trip_counts import count_trips

    program = export_target(target, args, kwargs, dynamic_shapes)
    for words in raising_nodes(program):
        _refuse(
            target, f"raise an exception ({words})", "check the inputs before, and leave the check out of the program"
        )
    for spec in program.graph_signature.output_specs:
        if isinstance(spec.arg, ConstantArgument) and spec.arg.value is not None:
            _refuse(target, f"return {spec.arg.value!r}", "return a tensor")
    model = _translated(program, opset_version)
    count_trips(model.model)
    name_sources(model.model)
    name_sizes(model.model, named_sizes(program, args, kwargs, dynamic_shapes))
    _refuse_changes(target, model)
    _check(model)
    for row in [] if verify is False else [args] if verify is True else [args, *verify]:
        _compare(target, model, row, kwargs)
    if path is not None:
        size = sum(v.const_value.nbytes for v in model.model.graph.initializers.values() if v.const_value is not None)
        model.save(path, external_data=size > MOST_INLINE)
    return model


def _translated(program: torch.export.ExportedProgram, opset_version: int | None) -> torch.onnx.ONNXProgram:
    from graphweld.targets.onnx_regions import translations  # imports onnx, which is an extra

    log = logging.getLogger("torch.onnx")
    level = log.level
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's, about how it does things itself; as is what it logs
            log.setLevel(logging.ERROR)
            made = torch.onnx.export(
                program,
                dynamo=True,
                custom_translation_table=translations(),
                opset_version=opset_version,
                verbose=False,
            )
    except Exception as error:
        raise ExportError([export_failed(EXPORTER, _first_cause(error))]) from error
    finally:
        log.setLevel(level)
    assert made is not None, "torch gives no program only where it is asked for the old exporter"
    return made


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _refuse(target: Callable[..., Any], what: str, change: str) -> None:
    code = code_of(target)
    span = Span.at(code.co_filename, code.co_firstlineno)
    raise ExportError([diagnose(rules.NotCarried(what, "an ONNX file", change), span)])


def _refuse_changes(target: Callable[..., Any], model: torch.onnx.ONNXProgram) -> None:
    """Changes of what goes in, which the exporter leaves out; they show once it has made the program functional."""
    assert model.exported_program is not None, "this model comes from one"
    signature = model.exported_program.graph_signature
    for name in signature.buffers_to_mutate.values():
        _refuse(target, f"change the buffer `{name}`", "take it as an argument, and return the new value")
    for name in signature.user_inputs_to_mutate.values():
        _refuse(target, f"change its argument `{name}`", "return the new value")


def _check(model: torch.onnx.ONNXProgram) -> None:
    """ONNX's own checker, with shapes inferred through every region."""
    import onnx

    try:
        onnx.checker.check_model(model.model_proto, full_check=True)
    except Exception as error:
        raise ExportError([export_failed("ONNX's checker", error)]) from error


def _compare(
    target: Callable[..., Any], model: torch.onnx.ONNXProgram, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """One call in ONNX Runtime and in eager Python."""
    assert model.exported_program is not None, "this model comes from one"
    inputs = flat_inputs(model.exported_program, *copy.deepcopy((args, kwargs)))
    own_args, own_kwargs = copy.deepcopy((args, kwargs))
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        wanted = flat_results(target(*own_args, **own_kwargs))
    try:
        found = model(*inputs)
    except Exception as error:
        raise ExportError([export_failed("ONNX Runtime", error)]) from error
    for value, result, want in zip(model.model.graph.outputs, found, wanted, strict=True):
        try:
            torch.testing.assert_close(result, want, rtol=RTOL, atol=ATOL, equal_nan=True)
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
