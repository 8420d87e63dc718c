"""An exported program compiled by AOTInductor: a file that runs without Python sources, from Python or from C++."""

import warnings
from typing import Any

import torch
import torch._inductor
from torch.fx import GraphModule

from graphweld.capture.inductor import lay_out_operands


def compile_package(program: torch.export.ExportedProgram, path: str) -> None:
    """Compile, and write to `path`; the faults of Inductor's that `capture.inductor` tells of are kept off here too."""
    has_regions = any(isinstance(m, GraphModule) for m in program.graph_module.children())
    settings: dict[str, Any] = {}
    if has_regions:
        lay_out_operands()
        settings["inplace_buffers"] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch's, about how it copies a program itself
        torch._inductor.aoti_compile_and_package(program, package_path=path, inductor_configs=settings)


def load_package(path: str) -> Any:
    """The program in a package, to be called like the one it was made from."""
    return torch._inductor.aoti_load_package(path)
