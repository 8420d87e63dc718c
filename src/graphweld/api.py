"""The public functions: what they mean, take and raise. The work is done in `targets` and `convert`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from graphweld.diagnostics import UsageError
from graphweld.versions import require_torch

if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from graphweld.diagnostics.finding import Finding
    from graphweld.report.model import Report
    from graphweld.view.drawing import Drawing

Backend = str | Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])


@overload
def compile(
    fn: F,
    /,
    *,
    fullgraph: bool = ...,
    backend: Backend = ...,
    mode: str | None = ...,
    dynamic: bool | None = ...,
    options: Mapping[str, Any] | None = ...,
    checkpoint: bool = ...,
) -> F: ...
@overload
def compile(
    *,
    fullgraph: bool = ...,
    backend: Backend = ...,
    mode: str | None = ...,
    dynamic: bool | None = ...,
    options: Mapping[str, Any] | None = ...,
    checkpoint: bool = ...,
) -> Callable[[F], F]: ...
def compile(
    fn: Any = None,
    /,
    *,
    fullgraph: bool = True,
    backend: Backend = "inductor",
    mode: str | None = None,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
    checkpoint: bool = False,
) -> Any:
    """Compile a function, method or module into one graph, branches on tensor values included.

    The result is called like the original and gives what the original gives::

        g = gw.compile(f)
        assert equal(g(x), f(x))        # whichever way the branches of f go, from one graph

    It works as a decorator too, with and without arguments. Eager calls of the original are not affected.

    Args:
        fn: a function, a method, or a `torch.nn.Module`.
        fullgraph: one graph or a `GraphBreakError` (the default). With False, what can be welded is, and torch breaks
            the graph at the rest.
        backend: the name of a backend of `torch.compile`, or a function `(graph_module, example_inputs) -> callable`.
        mode: as in `torch.compile`; for Inductor "default", "reduce-overhead", "max-autotune", ...
        dynamic: as in `torch.compile`; None lets sizes become dynamic when they are seen to change.
        options: passed on to the backend, as in `torch.compile`.
        checkpoint: let loops steered by tensor values keep what enters about sqrt(2n) of their n trips, and compute the
            trips between again in the backward pass. Less memory, for one more run of the loop.

    Raises:
        UsageError: at once, for something that cannot be called, or an unsupported torch.
        GraphBreakError: at the first call with inputs of a kind, if `fullgraph` and it cannot be one graph; its
            `diagnostics` list every place in the way.

    Limits: one graph for each kind of inputs (types, dtypes, ranks, Python values), as torch guards them. Where the
    program raises, the compiled call ends, and plain Python runs once more: to raise, or to go on behind a handler of
    another function. With backends other than "eager", `checkpoint` leaves loops that append to lists or draw random
    numbers as they are.
    """
    if fn is None:
        how: dict[str, Any] = {"fullgraph": fullgraph, "backend": backend, "mode": mode, "dynamic": dynamic}
        return partial(compile, **how, options=options, checkpoint=checkpoint)
    _require_callable(fn)
    if not isinstance(backend, str) and not callable(backend):
        raise UsageError.because(
            f"backend must be a name or a function, not {type(backend).__name__}",
            'such as "inductor", "aot_eager" or "eager"',
        )
    require_torch()
    from graphweld.targets.compile import compile_target

    chosen = None if options is None else dict(options)
    return compile_target(
        fn,
        fullgraph=fullgraph,
        backend=backend,
        mode=mode,
        dynamic=dynamic,
        options=chosen,
        checkpoint=checkpoint,
    )


def opaque(fn: Callable[..., Any], out: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function that torch cannot trace: in a graph it is one node.

    In short::

        smooth = gw.opaque(lambda x: scipy.signal.medfilt(x.numpy()), out=torch.empty_like)
        smooth(x)        # in plain Python as in a compiled program, in branches and loops as well

    Args:
        fn: takes tensors, and numbers, strings and bools where its parameters are annotated as such; returns a tensor,
            an array that becomes one, or a tuple of them where it is annotated as `tuple[torch.Tensor, ...]` of a
            known length. Its result may depend on its arguments only, and it must not change them.
        out: takes the same arguments and returns an empty tensor (or tuple) like the result: its shape, dtype and
            device. It is run on tensors without data.

    Raises:
        UsageError: for something that cannot be called; when called, for an argument that requires a gradient, since
            none flows through.

    Limits: calls whose results are not used may be left out, and their order is that of the data.
    """
    _require_callable(fn)
    _require_callable(out)
    require_torch()
    from graphweld.targets.opaque import opaque_target

    return opaque_target(fn, out)


def explain(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None) -> Report:
    """Run a function under `torch.compile` and under graphweld, and report the graphs and breaks of both.

    In short::

        report = gw.explain(f, (x,))
        print(report)                   # what broke, where, why, and what each place became
        assert report.is_whole          # one graph and no break left

    Args:
        fn: a function, a method, or a `torch.nn.Module`.
        args: the positional arguments, as a tuple.
        kwargs: the keyword arguments.

    Raises:
        UsageError: for something that cannot be called, arguments that are no tuple, or an unsupported torch.
        Exception: whatever `fn` itself raises on these arguments.

    Limits: `fn` runs more than once, so what it prints or writes to files happens more than once. A place that cannot
    be welded is part of the report, not an exception.
    """
    _require_callable(fn)
    _require_tuple(args)
    require_torch()
    from graphweld.targets.explain import explain as explain_target

    return explain_target(fn, args, dict(kwargs or {}))


def draw(
    fn: Callable[..., Any] | str | os.PathLike[str],
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    welded: bool = True,
) -> Drawing:
    """Draw the graph of a call: If and Loop as boxes that hold their branches and bodies, with your names and lines.

    In short::

        gw.draw(f, (x,))                                # a notebook shows it
        gw.draw(f, (x,)).save("f.html")                 # .html, .svg or .dot
        gw.draw(f, (x,), welded=False).save("f.svg")    # what torch alone makes of it: each graph, each break
        gw.draw("model.onnx").save("model.html")        # or a .pt2 file

    Args:
        fn: a function, a method, a `torch.nn.Module`, or the path of an .onnx or .pt2 file.
        args: the positional arguments, as a tuple.
        kwargs: the keyword arguments.
        welded: draw the one graph that graphweld makes; with False, the graphs that `torch.compile` alone makes.

    Raises:
        GraphBreakError: if `welded`, and it cannot be one graph.
        UsageError: for something that cannot be called, a file that holds no graph, or an unsupported torch.
        Exception: whatever `fn` itself raises on these arguments.

    Limits: `fn` is run on copies of its arguments (of itself, if it is a module), once or twice. What only carries a
    value on, such as a copy that nobody asked for, is not shown, nor is what no result depends on. A page is laid out
    by the browser; an SVG needs `dot` (Graphviz) or `node` (Node.js).
    """
    if not isinstance(fn, str | os.PathLike):
        _require_callable(fn)
        _require_tuple(args)
    require_torch()
    from graphweld.targets import draw as target

    if isinstance(fn, str | os.PathLike):
        return target.draw_file(fn)
    return target.draw_call(fn, args, dict(kwargs or {}), welded=welded)


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, strict: bool | None = None, jobs: int = 1
) -> list[Finding]:
    """Find in Python files where tensor values steer Python, and what else breaks graphs. Runs nothing.

    In short::

        for finding in gw.check(["src"]):
            print(finding.one_line(), finding.expected)

    Args:
        paths: files, and folders with all below them.
        strict: give guesses too (their `is_sure` is False): code that may well hold tensors. None asks the project.
        jobs: processes. More than one starts other Pythons, which import the main module, as multiprocessing does.

    Raises:
        UsageError: for a path that does not exist, or settings in pyproject.toml that cannot be read.

    Limits: tensors are followed inside a file, from what its source tells of them; see `docs/check.md`. What stands in
    `[tool.graphweld]` of the first path's project holds, a baseline included.
    """
    from graphweld.lint import checker

    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    settings = checker.settings_for(given).override(strict=strict)
    return checker.check(given, settings, jobs=jobs)


def export(
    module_or_fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
) -> torch.export.ExportedProgram:
    """Export a module, function or method as one graph that needs no Python, branches on tensor values included.

    In short::

        program = gw.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("batch")},))
        program.module()(y)                             # as model(y), whichever way its branches go
        torch.export.save(program, "model.pt2")

    Args:
        module_or_fn: what to export.
        args: positional arguments to trace with, as a tuple. Python values among them become part of the program.
        kwargs: keyword arguments to trace with.
        dynamic_shapes: as in `torch.export.export`: which sizes may differ from those of `args`.

    Raises:
        ExportError: if it cannot become one graph, or does what no such graph can do: print, or change Python objects
            other than buffers.
        UsageError: for something that cannot be called, arguments that are no tuple, or an unsupported torch.
        Exception: whatever the program itself raises on every path.

    Limits: a `raise` that tensor values decide is a RuntimeError that names the exception. Results are values, which
    never are the argument's own tensors. Gradients through an exported program are those of torch's operators.
    """
    _require_callable(module_or_fn)
    _require_tuple(args)
    require_torch()
    from graphweld.targets.export import export_target

    return export_target(module_or_fn, args, dict(kwargs or {}), dynamic_shapes)


def export_onnx(
    module_or_fn: Callable[..., Any],
    args: tuple[Any, ...],
    path: str | os.PathLike[str] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    opset_version: int | None = None,
    verify: bool | Sequence[tuple[Any, ...]] = True,
) -> torch.onnx.ONNXProgram:
    """Export a module, function or method as an ONNX model, its branches as If nodes and its loops as Loop nodes.

    In short::

        gw.export_onnx(model, (x,), "model.onnx", verify=[(y,)])      # y takes other paths than x
        onnxruntime.InferenceSession("model.onnx").run(None, {"x": y.numpy()})

    Args:
        module_or_fn: what to export.
        args: positional arguments to trace with, as a tuple. Python values among them become part of the model.
        path: where to write the model; None writes nothing. Weights of more than a gigabyte go to a file beside it.
        kwargs: keyword arguments to trace with.
        dynamic_shapes: as in `torch.export.export`: which sizes may differ from those of `args`.
        opset_version: the version of ONNX's operators, 18 to 23; None is torch's choice.
        verify: run the model in ONNX Runtime and compare with eager Python, on `args`, and on each tuple of arguments
            given here. False compares nothing.

    Returns:
        The model; `.model_proto` is ONNX's own object, and calling it runs ONNX Runtime.

    Raises:
        ExportError: if it cannot become one graph; if it does what no ONNX model can, such as print; if it draws random
            numbers and `verify` is not False; if an operator has no translation; or if the results differ. No file is
            written then.
        UsageError: for wrong arguments, or where the packages of the extra `onnx` are missing.

    Limits: a model changes and keeps nothing. An argument or buffer `x` that the program changes is an output
    `x_after`; the buffer is an input too, with what it is at the export as its default. Random numbers are other ones
    in ONNX Runtime.
    """
    _require_callable(module_or_fn)
    _require_tuple(args)
    require_torch()
    from graphweld.targets.onnx import export_onnx_target

    return export_onnx_target(
        module_or_fn,
        args,
        path,
        kwargs=dict(kwargs or {}),
        dynamic_shapes=dynamic_shapes,
        opset_version=opset_version,
        verify=verify,
    )


def package(
    module_or_fn: Callable[..., Any],
    args: tuple[Any, ...],
    path: str | os.PathLike[str],
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> Path:
    """Export and compile with AOTInductor to one .pt2 file, which runs without the Python that it was made from.

    In short::

        gw.package(model, (x,), "model.pt2")           # docs/deploy.md loads it from Python and from C++

    Args:
        module_or_fn: what to export.
        args: positional arguments to trace with, as a tuple. Python values among them become part of the program.
        path: where to write the package; its name ends in `.pt2`.
        kwargs: keyword arguments to trace with.
        dynamic_shapes: as in `torch.export.export`: which sizes may differ from those of `args`.

    Returns:
        The path.

    Raises:
        ExportError: as for `export`; or if AOTInductor does not compile it.
        UsageError: for wrong arguments, or an unsupported torch.

    Limits: it is compiled for this kind of machine and this torch, and that takes a C++ compiler and a minute.
    """
    _require_callable(module_or_fn)
    _require_tuple(args)
    require_torch()
    from graphweld.targets.aoti import package_target

    return package_target(module_or_fn, args, path, kwargs=dict(kwargs or {}), dynamic_shapes=dynamic_shapes)


def enabled() -> AbstractContextManager[None]:
    """A context in which torch's own entry points weld, for code that is not to be changed.

    In short::

        with gw.enabled():
            fast = torch.compile(model)                         # as gw.compile(model, fullgraph=False)
            program = torch.export.export(model, (x,))          # as gw.export(model, (x,)), strict or not
            torch.onnx.export(model, (x,), "model.onnx")

    Raises:
        UsageError: for an unsupported torch.

    Limits: it is what is *called* inside that welds. `from torch import compile`, run before, keeps the plain one.
    Exports weld in the thread that entered the context only.
    """
    require_torch()
    from graphweld.targets.enabled import enabled as enabled_target

    return enabled_target()


def source(fn: Callable[..., Any]) -> str:
    """The converted Python of a function: what is traced in its place, as readable text.

    In short::

        print(gw.source(f))             # runs nothing; a function without a branch or loop comes back as it is written

    Args:
        fn: a function, a method, or a `torch.nn.Module` (its `forward`).

    Raises:
        ConversionError: if the source cannot be found (GW001) or holds what cannot be converted (GW002).
        UsageError: for something that cannot be called.

    Limits: the text is for reading. Its layout may change from version to version.
    """
    _require_callable(fn)
    from graphweld.convert import source_of

    return source_of(fn)


def diff(fn: Callable[..., Any]) -> str:
    """The unified diff from a function's own source to its converted source; empty where nothing is converted.

    In short::

        print(gw.diff(f))               # lines with - are the user's, lines with + are what is traced

    Args and Raises: as for `source`.
    """
    _require_callable(fn)
    from graphweld.convert import diff_of

    return diff_of(fn)


def _require_callable(fn: object) -> None:
    if not callable(fn):
        raise UsageError.because(
            f"{type(fn).__name__} object {fn!r:.60} cannot be called", "pass a function, a method or a module"
        )


def _require_tuple(args: object) -> None:
    if not isinstance(args, tuple):
        raise UsageError.because(
            f"args must be a tuple of the positional arguments, not {type(args).__name__}",
            "for a single argument write `(x,)`",
        )
