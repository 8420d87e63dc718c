"""The versions of Python and torch that this package was checked with. A test holds pyproject.toml to the same."""

from __future__ import annotations

import re

from graphweld.diagnostics import UsageError, diagnose
from graphweld.diagnostics.rules import UnsupportedTorch

PYTHON_FIRST, PYTHON_BELOW = (3, 10), (3, 14)
TORCH_FIRST, TORCH_BELOW = (2, 13), (2, 15)
TORCH_RANGE = ">=2.13,<2.15"


def is_supported_python(version: tuple[int, ...]) -> bool:
    """Whether a Python, as in `sys.version_info`, is one that graphweld supports."""
    return PYTHON_FIRST <= version[:2] < PYTHON_BELOW


def is_supported_torch(version: str) -> bool:
    """Whether a torch, as in `torch.__version__`, is one that graphweld supports.

    >>> is_supported_torch("2.13.0+cpu"), is_supported_torch("2.15.0.dev20270101")
    (True, False)
    """
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is not None and TORCH_FIRST <= (int(found[1]), int(found[2])) < TORCH_BELOW


def require_torch() -> str:
    """Import torch and give its version. UsageError if there is none, or one that is not supported (GW130)."""
    try:
        import torch
    except ImportError as error:
        raise UsageError.because(f"PyTorch cannot be imported: {error}", f"install torch{TORCH_RANGE}") from error
    version = str(torch.__version__)
    if not is_supported_torch(version):
        raise UsageError([diagnose(UnsupportedTorch(version, TORCH_RANGE), None)])
    return version
