"""What to check and what to show: the table `[tool.graphweld]` of the nearest pyproject.toml, and what overrides it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from graphweld.diagnostics import UsageError
from graphweld.diagnostics.codes import CODES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Settings:
    """`select` and `ignore` take codes or beginnings of codes; `exclude` and `per_file_ignores` take patterns as in
    shells, that fit a name or a path.
    """

    select: tuple[str, ...] = ("GW",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = (".*", "__pycache__", "build", "dist", "node_modules", "venv")
    per_file_ignores: Mapping[str, tuple[str, ...]] | None = None
    strict: bool = False
    baseline: str | None = None

    def shows(self, code: str, file: str) -> bool:
        """Whether findings of a code in a file are wanted."""
        if not code.startswith(self.select) or code.startswith(self.ignore or ("-",)):
            return False
        return not any(
            code.startswith(codes) and is_matched(file, pattern)
            for pattern, codes in (self.per_file_ignores or {}).items()
        )

    def excludes(self, path: str) -> bool:
        """Whether a file or folder is left out; its path is told from the folder that is checked."""
        name = path.rpartition("/")[2]
        return any(fnmatch(name, pattern) or fnmatch(path, pattern) for pattern in self.exclude)

    def override(self, **given: Any) -> Settings:
        """With what a command line or a caller gives; None leaves things as they are."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})


def is_matched(path: str, pattern: str) -> bool:
    """Whether a pattern fits a path, or the last parts of it."""
    return fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}")


def find_settings(start: Path) -> Settings:
    """The settings that hold for a folder: of the nearest pyproject.toml above with a table `[tool.graphweld]`."""
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            table = _read(file).get("tool", {}).get("graphweld")
            if table is not None:
                return from_table(table, file)
    return Settings()


def from_table(table: Mapping[str, Any], file: Path) -> Settings:
    """A table as settings; UsageError for what it should not hold."""
    known = {field.name.replace("_", "-"): field.name for field in fields(Settings)}
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise UsageError.because(f"{file}: [tool.graphweld] has no key {key!r}", f"it has {', '.join(known)}")
        given[known[key]] = _checked(key, value, file)
    if isinstance(given.get("baseline"), str):
        given["baseline"] = str(file.parent / given["baseline"])
    return Settings(**given)


def codes(given: object, where: str) -> tuple[str, ...]:
    """Codes, or beginnings of codes, that exist."""
    if not isinstance(given, list | tuple) or not all(isinstance(code, str) for code in given):
        raise UsageError.because(f"{where} takes a list of codes", 'such as ["GW201"]')
    wanted = tuple(code.strip().upper() for code in given)
    for code in wanted:
        if not any(known.startswith(code) for known in CODES):
            raise UsageError.because(f"{where}: there is no code {code!r}", "`graphweld rule` lists them")
    return wanted


def _checked(key: str, value: object, file: Path) -> object:
    where = f"{file}: {key}"
    if key in ("select", "ignore"):
        return codes(value, where)
    if key == "exclude" and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return (*Settings.exclude, *value)
    if key == "per-file-ignores" and isinstance(value, dict):
        return {str(pattern): codes(names, where) for pattern, names in value.items()}
    if (key == "strict" and isinstance(value, bool)) or (key == "baseline" and isinstance(value, str)):
        return value
    raise UsageError.because(f"{where} cannot be {value!r}")


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError.because(f"{file} cannot be read: {error}") from error
