"""The public names and their signatures: a change of either shows as a change of one file."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys

import graphweld
from graphweld import diagnostics, report
from tests import golden
from tests.contract.tree import ENV


def test_signatures() -> None:
    from graphweld import testing

    lines: list[str] = []
    for owner in (graphweld, testing, report, diagnostics):
        lines += [
            f"# {owner.__name__}",
            *(_described(owner.__name__, name, getattr(owner, name)) for name in owner.__all__),
            "",
        ]
    golden.check("public_names.txt", "\n".join(lines))


def test_each_public_name_is_documented() -> None:
    assert not [name for name in graphweld.__all__ if not inspect.getdoc(getattr(graphweld, name))]


def test_dir_lists_the_public_names_and_no_others() -> None:
    assert set(dir(graphweld)) == {*graphweld.__all__, "__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(graphweld, "no_such_name")


def test_importing_graphweld_does_not_import_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import graphweld, sys; graphweld.GraphweldError; print('torch' in sys.modules)"],
        env=ENV,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def _described(owner: str, name: str, value: object) -> str:
    full = f"{owner}.{name}"
    if inspect.ismodule(value):
        return f"{full}: module"
    if isinstance(value, type) and issubclass(value, Exception):
        return f"{full}({value.__mro__[1].__name__})"
    if dataclasses.is_dataclass(value):
        fields = ", ".join(f"{field.name}: {field.type}" for field in dataclasses.fields(value))
        members = [key for key, member in vars(value).items() if not key.startswith("_") and _is_own(member)]
        return f"{full}({fields})  {' '.join('.' + member for member in members)}".rstrip()
    return f"{full}{inspect.signature(value)}"  # type: ignore[arg-type]


def _is_own(member: object) -> bool:
    return isinstance(member, property | classmethod) or inspect.isfunction(member)
