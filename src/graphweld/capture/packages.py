"""An exported program compiled by AOTInductor: a file that runs without Python sources, from Python or from C++."""

import warnings
from typing import Any

import torch
import torch._inductor
from torch.fx import GraphModule

from graphweld.capture.inductor import ROUNDED
from graphweld.capture.inductor_faults import keep_from_faults


def compile_package(program: torch.export.ExportedProgram, path: str) -> None:
    """Compile, and write to `path`."""
    keep_from_faults()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch's, about how it copies a program itself
        torch._inductor.aoti_compile_and_package(program, package_path=path, inductor_configs=_settings(program))


def _settings(program: torch.export.ExportedProgram) -> dict[str, Any]:
    """Floats of 16 bits are rounded as in Python, which tests of them ask for: see `tests_rounded_values`."""
    graphs = [m.graph for m in program.graph_module.modules() if isinstance(m, GraphModule)]
    values = [node.meta.get("val") for graph in graphs for node in graph.nodes]
    is_rounded = any(getattr(value, "dtype", None) in ROUNDED for value in values)
    return {"emulate_precision_casts": True} if is_rounded else {}


def load_package(path: str) -> Any:
    """The program in a package, to be called like the one it was made from."""
    return torch._inductor.aoti_load_package(path)
