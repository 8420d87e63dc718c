"""graphweld: one graph from Python control flow that tensor values steer.

Names are loaded on first use, so that `import graphweld` is quick and does not import torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphweld import testing as testing
    from graphweld.api import check as check
    from graphweld.api import compile as compile  # noqa: A004  (the name follows torch.compile)
    from graphweld.api import diff as diff
    from graphweld.api import draw as draw
    from graphweld.api import enabled as enabled
    from graphweld.api import explain as explain
    from graphweld.api import export as export
    from graphweld.api import export_onnx as export_onnx
    from graphweld.api import opaque as opaque
    from graphweld.api import package as package
    from graphweld.api import source as source
    from graphweld.diagnostics.errors import GraphweldError as GraphweldError

__version__ = "0.1.0"

__all__ = [
    "GraphweldError",
    "check",
    "compile",
    "diff",
    "draw",
    "enabled",
    "explain",
    "export",
    "export_onnx",
    "opaque",
    "package",
    "source",
    "testing",
]

_HOME = {
    "GraphweldError": "graphweld.diagnostics.errors",
    "check": "graphweld.api",
    "compile": "graphweld.api",
    "diff": "graphweld.api",
    "draw": "graphweld.api",
    "enabled": "graphweld.api",
    "explain": "graphweld.api",
    "export": "graphweld.api",
    "export_onnx": "graphweld.api",
    "opaque": "graphweld.api",
    "package": "graphweld.api",
    "source": "graphweld.api",
}


def __getattr__(name: str) -> Any:
    if name == "testing":
        return importlib.import_module("graphweld.testing")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'graphweld' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value  # later reads find it without this function
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
