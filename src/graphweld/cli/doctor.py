"""`graphweld doctor`: whether this environment is one that graphweld works in."""

from __future__ import annotations

import platform
import sys

import click

from graphweld import __version__
from graphweld.diagnostics import UsageError
from graphweld.versions import PYTHON_BELOW, PYTHON_FIRST, TORCH_RANGE, is_supported_python, is_supported_torch


@click.command(short_help="Check versions, and the parts of torch that graphweld relies on.")
def doctor() -> None:
    """Print the versions found and whether they are supported, and each part of torch that is not public, with what a
    probe of it finds. Exit code 1 if anything is not as it should be.
    """
    try:
        import torch
    except ImportError as error:
        raise UsageError.because(f"PyTorch cannot be imported: {error}", f"install torch{TORCH_RANGE}") from error
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from graphweld.capture.private import probe

    def verdict(ok: bool, good: str, bad: str) -> Text:
        return Text(good, style="green") if ok else Text(bad, style="bold red")

    first, below = (".".join(map(str, version)) for version in (PYTHON_FIRST, PYTHON_BELOW))
    torch_version = str(torch.__version__)
    python_ok, torch_ok = is_supported_python(sys.version_info[:2]), is_supported_torch(torch_version)
    versions = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    versions.add_row("graphweld", __version__, "")
    versions.add_row(
        "Python", platform.python_version(), verdict(python_ok, "supported", f"not supported (>={first},<{below} is)")
    )
    versions.add_row("torch", torch_version, verdict(torch_ok, "supported", f"not supported ({TORCH_RANGE} is)"))

    results = list(probe())
    parts: dict[str, dict[tuple[bool, str, str], list[str]]] = {}
    for result in results:
        inside, _, name = result.name.rpartition(".")
        parts.setdefault(result.reason, {}).setdefault((result.ok, result.note, inside), []).append(name)
    privates = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    privates.add_column(no_wrap=False)
    privates.add_column(overflow="fold")
    for reason, found in parts.items():
        privates.add_row(Text(""), Text(reason, style="bold"))
        for (ok, note, inside), names in found.items():
            told = f"{inside}.{names[0]}" if len(names) == 1 else f"{inside}: {', '.join(names)}"
            privates.add_row(verdict(ok, "ok", note or "no"), Text(told))

    console = Console()
    console.print(versions)
    console.print()
    console.print("Parts of torch that are not public, by what they are for", style="bold")
    console.print(privates)
    console.print()
    all_ok = python_ok and torch_ok and all(result.ok for result in results)
    console.print(verdict(all_ok, "All is well.", "Not all is well: see the red lines."))
    if not all_ok:
        raise click.exceptions.Exit(1)
