"""Files that verbs write: checked before minutes of work, and written with errors that a person can read."""

from __future__ import annotations

from pathlib import Path

from graphweld.diagnostics import UsageError


def check_writable(path: str) -> None:
    """UsageError for a path that cannot be written."""
    target = Path(path)
    if target.is_dir():
        raise UsageError.because(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise UsageError.because(f"cannot write {path}: there is no folder {target.parent}")
    is_new = not target.exists()
    try:
        target.open("ab").close()
    except OSError as error:
        raise UsageError.because(f"cannot write {path}: {error.strerror}") from error
    if is_new:
        target.unlink()


def write_text(path: str, text: str) -> None:
    """Write a file."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError.because(f"cannot write {path}: {error.strerror}") from error
