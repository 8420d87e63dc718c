"""Functions that nobody wrote for us: each converts, or is refused in a way that is foreseen."""

from __future__ import annotations

import importlib
import types

import pytest

from graphweld.syntax import SourceUnavailable, UnsupportedSyntax, convert, sites
from tests.unit.syntax.library import codes_of

QUICK = ["contextlib", "dataclasses", "json.decoder", "textwrap"]
LONG = ["argparse", "ast", "asyncio.base_events", "configparser", "inspect"]
MODULES = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)]


@pytest.mark.parametrize("name", MODULES)
def test_module_converts(name: str) -> None:
    converted = 0
    for code in codes_of(importlib.import_module(name)):
        try:
            conversion = convert(code)
        except (SourceUnavailable, UnsupportedSyntax):
            continue
        if conversion is None:
            assert not sites(code)
            continue
        converted += 1
        twin = conversion.code
        assert twin.co_freevars == code.co_freevars
        assert (twin.co_name, twin.co_filename, twin.co_firstlineno) == (
            code.co_name,
            code.co_filename,
            code.co_firstlineno,
        )
        assert isinstance(compile(conversion.source, "source", "exec"), types.CodeType)
    assert converted
