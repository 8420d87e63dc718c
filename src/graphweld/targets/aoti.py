"""`gw.package`: an exported program compiled ahead of time, as a file that needs no Python sources."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from graphweld.capture.packages import compile_package
from graphweld.capture.refusal import export_failed
from graphweld.diagnostics import ExportError, UsageError
from graphweld.targets.export import export_target


def package_target(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    path: str | os.PathLike[str],
    *,
    kwargs: dict[str, Any],
    dynamic_shapes: Any,
) -> Path:
    """Export, compile with the machine's C++ compiler, write."""
    file = Path(path)
    if file.suffix != ".pt2":
        raise UsageError.because(f"a package is a .pt2 file, not {file.name}")
    write_package(export_target(target, args, kwargs, dynamic_shapes), file)
    return file


def write_package(program: torch.export.ExportedProgram, file: Path) -> None:
    """Compile an exported program."""
    try:
        compile_package(program, str(file))
    except Exception as error:
        raise ExportError([export_failed("AOTInductor", error)]) from error
