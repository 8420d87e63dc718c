"""What must hold for the repository as a whole."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from graphweld import __version__, versions
from tests.contract.tree import PACKAGE, ROOT, Module, modules, tracked_files

if sys.version_info >= (3, 11):
    import tomllib
else:  # the contract tests run on the project's own Python, 3.11
    tomllib = None

TEXT = {".py", ".md", ".toml", ".txt", ".sh", ".cfg", ".json", ".yml", ".yaml", ""}
ADDRESS = re.compile(r"https?:" + r"//|\b(?:pypi|pythonhosted|download\.pytorch|registry\.npmjs)\." + r"(?:org|com)\b")
DRAWERS = {"utils", "util", "helpers", "helper", "misc", "common", "tools"}
LONG, REASON = 500, "This file is long"


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_generated_pages_are_in_step() -> None:
    spec = importlib.util.spec_from_file_location("gen_docs", ROOT / "tools" / "gen_docs.py")
    assert spec is not None
    assert spec.loader is not None
    gen_docs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gen_docs)
    assert gen_docs.out_of_step() == []


@pytest.mark.parametrize("path", tracked_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_address_of_a_host_is_committed(path: Path) -> None:
    if path.suffix in TEXT:
        assert ADDRESS.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_no_drawer_and_no_long_file_without_a_reason(module: Module) -> None:
    assert module.path.stem not in DRAWERS
    doc = ast.get_docstring(ast.parse(module.text))
    assert doc, "a module says in its docstring what it is for"
    assert len(module.text.splitlines()) <= LONG or REASON in doc, f"over {LONG} lines: say why at the top"


def test_versions_are_said_once() -> None:
    python = versions.PYTHON_FIRST, versions.PYTHON_BELOW
    assert project()["requires-python"] == ">={}.{},<{}.{}".format(*python[0], *python[1])
    assert f"torch{versions.TORCH_RANGE}" in project()["dependencies"]
    torch = versions.TORCH_FIRST, versions.TORCH_BELOW
    assert versions.TORCH_RANGE == ">={}.{},<{}.{}".format(*torch[0], *torch[1])
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_every_direct_dependency_is_pinned() -> None:
    named = [*project()["dependencies"], *project()["optional-dependencies"]["dev"], "setuptools"]
    wanted = {_name(text) for text in named} - {"graphweld"}
    wanted |= {_name(text) for extra in ("hf", "onnx") for text in project()["optional-dependencies"][extra]}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_name(line) for line in lines if "==" in line}
    assert wanted - pinned == set()
    assert "torch==2.13.0" in lines, "without a local tag, so that any index has it"


def test_the_change_has_a_fragment() -> None:
    fragments = [path.name for path in (ROOT / "changelog.d").iterdir() if path.suffix == ".md"]
    assert fragments
    assert all(re.fullmatch(r"\d+\.(feature|fix|change)\.md", name) for name in fragments)


def test_types_are_shipped() -> None:
    assert (PACKAGE / "py.typed").exists()


def _name(requirement: str) -> str:
    return re.split(r"[\s\[<>=!~;]", requirement)[0].lower().replace("_", "-")
