"""Files in, findings out; in several processes where there is enough to do."""

from __future__ import annotations

import ast
import gc
import io
import os
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from graphweld.diagnostics import UsageError
from graphweld.diagnostics.finding import Finding
from graphweld.lint import baseline
from graphweld.lint.findings import findings_of
from graphweld.lint.flow.analysis import events_of
from graphweld.lint.settings import Settings, find_settings
from graphweld.lint.suppressions import ignored, is_ignored, is_whole_file_ignored

_ENOUGH_FOR_PROCESSES = 40
_FILES_AT_ONCE = 16


def check(paths: Iterable[str | os.PathLike[str]], settings: Settings | None = None, *, jobs: int = 1) -> list[Finding]:
    """Check files, and folders with all below them. Without settings, those of the first path's project hold.

    With more than one job, other Pythons are started, which import the main module: it must be safe to import.
    """
    given = list(paths)
    if settings is None:
        settings = settings_for(given)
    files = list(find_files(given, settings))
    one = partial(check_file, settings=settings)
    if jobs > 1 and len(files) >= _ENOUGH_FOR_PROCESSES:
        # Fresh processes, not forks: the caller may have threads of torch's.
        with ProcessPoolExecutor(jobs, get_context("spawn"), _prepare) as pool:
            found = list(pool.map(one, files, chunksize=_FILES_AT_ONCE))
    else:
        found = list(map(one, files))
    findings = [finding for each in found for finding in each]
    return findings if settings.baseline is None else baseline.new(findings, Path(settings.baseline))


def settings_for(paths: Sequence[str | os.PathLike[str]]) -> Settings:
    """The settings of the project that the first path belongs to."""
    start = Path(paths[0] if paths else ".").resolve()
    return find_settings(start if start.is_dir() else start.parent)


def without_baseline(settings: Settings) -> Settings:
    """The same settings, with every finding shown."""
    return replace(settings, baseline=None)


def find_files(paths: Iterable[str | os.PathLike[str]], settings: Settings) -> Iterator[str]:
    """Python files, in order, each once. What is named itself is taken, whatever is excluded."""
    seen: set[str] = set()
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError.because(f"no such file or folder: {path}")
        for file in [str(path)] if path.is_file() else _below(str(path), settings):
            if file not in seen:
                seen.add(file)
                yield file


def check_file(file: str, settings: Settings) -> list[Finding]:
    """Findings of one file; of one that is no Python, or cannot be read, none."""
    try:
        data = Path(file).read_bytes()
    except OSError:
        return []
    # Nothing but torch makes tensors; and decoding and parsing are most of the work.
    if b"torch" not in data:
        return []
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        return []
    return check_text(text, file, settings)


def check_text(text: str, file: str = "<text>", settings: Settings | None = None) -> list[Finding]:
    """Findings of a source text, in its order; none where it does not parse."""
    settings = settings or Settings()
    lines = text.splitlines()
    if is_whole_file_ignored(lines):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the file's own, such as invalid escapes
            tree = ast.parse(text)
        found = list(findings_of(events_of(tree), file, lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # no Python of this version, or nested deeper than Python itself can read
    marks = ignored(lines)
    shown = [
        finding
        for finding in found
        if (finding.is_sure or settings.strict)
        and settings.shows(finding.code, file)
        and not (marks and is_ignored(finding, marks))
    ]
    return sorted(shown, key=_place)


def _place(finding: Finding) -> tuple[int, int, str]:
    span = finding.span
    return (0, 0, finding.code) if span is None else (span.line, span.column, finding.code)


def _below(folder: str, settings: Settings) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        inside = os.path.relpath(root, folder).replace(os.sep, "/").removeprefix(".").removeprefix("/")
        prefix = f"{inside}/" if inside else ""
        folders[:] = sorted(name for name in folders if not settings.excludes(prefix + name))
        for name in sorted(files):
            if name.endswith(".py") and not settings.excludes(prefix + name):
                yield os.path.join(root, name)


def _prepare() -> None:
    """Syntax trees are many objects without cycles: looking for cycles often would take most of the time."""
    gc.set_threshold(200_000, 20, 20)
