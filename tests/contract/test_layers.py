"""Imports go downward only, and the layers that must not need torch do not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.contract.tree import ENV, Module, modules

# Each layer, and the layers it may import besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "diagnostics": set(),
    "versions": {"diagnostics"},
    "syntax": {"diagnostics"},
    "runtime": {"diagnostics"},
    "convert": {"runtime", "syntax", "diagnostics"},
    "capture": {"convert", "runtime", "syntax", "diagnostics", "versions"},
    "view": {"diagnostics"},
    "report": {"view", "diagnostics"},
    "targets": {"capture", "convert", "runtime", "syntax", "report", "view", "diagnostics", "versions"},
    "lint": {"syntax", "diagnostics"},
    "api": {"targets", "convert", "report", "lint", "view", "diagnostics", "versions"},
    "testing": {"api", "diagnostics"},
    "graphweld": {"api", "testing", "diagnostics"},
    "pytest_plugin": {"graphweld", "api", "testing", "report"},
    "cli": {"graphweld", "api", "testing", "targets", "capture", "report", "lint", "view", "diagnostics", "versions"},
    "__main__": {"cli"},
}
TORCH_FREE = {"graphweld", "__main__", "diagnostics", "versions", "syntax", "lint", "report", "cli", "pytest_plugin"}
NEEDS_TORCH = {"graphweld.cli.demo_programs"}  # plain torch programs, loaded by the demo alone

torch_free = [
    m for m in modules() if (m.layer in TORCH_FREE or m.name == "graphweld.view.model") and m.name not in NEEDS_TORCH
]


def layer_of(imported: str) -> str | None:
    """The layer of an imported name; None outside of the package. The package itself is the layer "graphweld"."""
    parts = imported.split(".")
    if parts[0] != "graphweld":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "graphweld"


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_imports_go_downward(module: Module) -> None:
    assert module.layer in MAY_IMPORT, f"{module.layer} has no place in the order of layers"
    allowed = MAY_IMPORT[module.layer] | {module.layer}
    wrong = sorted(name for name in module.imports() if (layer_of(name) or module.layer) not in allowed)
    assert not wrong


@pytest.mark.parametrize("module", torch_free, ids=lambda m: m.name)
def test_torch_free_layers_import_no_torch_at_the_top(module: Module) -> None:
    blocked = (
        "import sys, warnings, importlib\n"
        "warnings.simplefilter('error')\n"
        "sys.modules['torch'] = None\n"
        f"importlib.import_module({module.name!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", blocked], env=ENV, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_module_imports_alone() -> None:
    """One process imports torch; each module is then imported in a fork of it that has no other graphweld module."""
    script = (
        "import os, sys, traceback, warnings\n"
        "import torch._dynamo\n"
        "warnings.simplefilter('error')\n"
        "failed = []\n"
        "for name in sys.argv[1:]:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            __import__(name)\n"
        "        except BaseException:\n"
        "            traceback.print_exc()\n"
        "            os._exit(1)\n"
        "        os._exit(0)\n"
        "    if os.waitpid(child, 0)[1]:\n"
        "        failed.append(name)\n"
        "print(*failed)\n"
    )
    names = [m.name for m in modules() if m.name != "graphweld.__main__"]
    done = subprocess.run(
        [sys.executable, "-c", script, *names],
        env=ENV,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr[-4000:]
