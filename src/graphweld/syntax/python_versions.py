"""Syntax that not every supported Python has."""

from __future__ import annotations

import ast
import sys

if sys.version_info >= (3, 11):
    from ast import TryStar
else:

    class TryStar(ast.Try):
        """`except*` came with 3.11; no node is one before."""


__all__ = ["TryStar"]
