"""The public functions: what they mean, take and raise. The work is done in `targets` and `convert`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from graphweld.diagnostics import UsageError
from graphweld.versions import require_torch

if TYPE_CHECKING:
    from graphweld.diagnostics.finding import Finding
    from graphweld.report.model import Report

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
) -> F: ...
@overload
def compile(
    *,
    fullgraph: bool = ...,
    backend: Backend = ...,
    mode: str | None = ...,
    dynamic: bool | None = ...,
    options: Mapping[str, Any] | None = ...,
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

    Raises:
        UsageError: at once, for something that cannot be called, or an unsupported torch.
        GraphBreakError: at the first call with inputs of a kind, if `fullgraph` and it cannot be one graph; its
            `diagnostics` list every place in the way.

    Limits: one graph for each kind of inputs (types, dtypes, ranks, Python values), as torch guards them.
    """
    if fn is None:
        return partial(compile, fullgraph=fullgraph, backend=backend, mode=mode, dynamic=dynamic, options=options)
    _require_callable(fn)
    if not isinstance(backend, str) and not callable(backend):
        raise UsageError.because(
            f"backend must be a name or a function, not {type(backend).__name__}",
            'such as "inductor", "aot_eager" or "eager"',
        )
    require_torch()
    from graphweld.targets.compile import compile_target

    chosen = None if options is None else dict(options)
    return compile_target(fn, fullgraph=fullgraph, backend=backend, mode=mode, dynamic=dynamic, options=chosen)


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
    if not isinstance(args, tuple):
        raise UsageError.because(
            f"args must be a tuple of the positional arguments, not {type(args).__name__}",
            "for a single argument write `(x,)`",
        )
    require_torch()
    from graphweld.targets.explain import explain as explain_target

    return explain_target(fn, args, dict(kwargs or {}))


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
