"""An exported program compiled by AOTInductor: a file that runs without Python sources, from Python or from C++."""

import warnings
from typing import Any

import torch
import torch._inductor

from graphweld.capture.inductor_faults import keep_from_faults


def compile_package(program: torch.export.ExportedProgram, path: str) -> None:
    """Compile, and write to `path`."""
    keep_from_faults()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch's, about how it copies a program itself
        torch._inductor.aoti_compile_and_package(program, package_path=path)


def load_package(path: str) -> Any:
    """The program in a package, to be called like the one it was made from."""
    return torch._inductor.aoti_load_package(path)
