"""Every Python block of the documentation runs: those of one page one after the other, as a reader would type them."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from graphweld.targets import compile as compile_module

ROOT = Path(__file__).resolve().parents[2]
GENERATED = re.compile(r"<!-- Written by|<!-- gw\.source:")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)

PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if BLOCK.search(page.read_text(encoding="utf-8")) and not GENERATED.search(page.read_text(encoding="utf-8"))
]


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same graphs, without the minutes that Inductor takes to compile them."""
    plain = compile_module.compile_target

    def compile_target(target: Any, **how: Any) -> Any:
        return plain(target, **{**how, "backend": "eager"})

    monkeypatch.setattr(compile_module, "compile_target", compile_target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType(f"gw_documented_{PAGES.index(page)}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(tmp_path)  # where a page writes its files
    for number, text in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
        file = tmp_path / f"{page.stem}_{number}.py"  # functions are found by their file
        file.write_text(text, encoding="utf-8")
        exec(compile(text, str(file), "exec"), vars(module))


def test_the_pages_are_there() -> None:
    assert {page.stem for page in PAGES} >= {"README", "index", "tutorial", "run", "faq", "comparison", "testing"}
