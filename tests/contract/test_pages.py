"""What the pages tell people to write instead does become one graph, with the result of eager."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch

from graphweld.diagnostics.codes import CODES, rule_class
from graphweld.testing import assert_whole

INSTEAD = re.compile(r"## Use instead\n.*?```python\n(.*?)```", re.DOTALL)
DEFINES = re.compile(r"^def (\w+)\((self, )?x\):", re.MULTILINE)

OF_A_MODULE = {"GW140"}  # a module's methods, which do not stand alone
ENDLESS = {"GW110"}  # whose loop does not end for a step below 1, in eager neither


def advice() -> list[Any]:
    found = ((code, INSTEAD.search(rule_class(code).page())) for code in CODES)
    return [pytest.param(code, match[1], id=code) for code, match in found if match and code not in OF_A_MODULE]


@pytest.mark.parametrize(("code", "text"), advice())
def test_what_a_page_advises_is_whole(code: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "advised.py"
    path.write_text(f"import torch\n\n{text}", encoding="utf-8")
    module = types.ModuleType("gw_advised_for_tests")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    defined = DEFINES.search(text)
    assert defined is not None
    fn = getattr(module, defined[1])
    called = fn.__get__(object()) if defined[2] else fn
    assert_whole(called, [torch.ones(3), *([] if code in ENDLESS else [-torch.ones(3)])])
