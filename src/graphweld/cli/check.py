"""`graphweld check`: find the places where graphs would break, without running anything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphweld import __version__
from graphweld.cli.writing import write_text

if TYPE_CHECKING:
    from graphweld.diagnostics.finding import Finding

_FORMATS = ("full", "concise", "json", "sarif", "github", "junit")


@click.command(short_help="Find in the source where graphs would break; runs nothing.")
@click.argument("paths", nargs=-1, metavar="PATHS...")
@click.option("--strict", is_flag=True, default=None, help="Show guesses too: code that may well hold tensors.")
@click.option("--select", metavar="CODES", help="Show these codes only: GW201,GW202 or a beginning such as GW20.")
@click.option("--ignore", metavar="CODES", help="Do not show these codes.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out files and folders with this name or path.")
@click.option("--output-format", "-f", "form", type=click.Choice(_FORMATS), default="full", help="How to tell them.")
@click.option("--output-file", "-o", "output", metavar="PATH", help="Write there, not to stdout.")
@click.option("--baseline", metavar="PATH", help="Do not show what this baseline holds.")
@click.option("--write-baseline", "write_to", metavar="PATH", help="Write all findings to a baseline, and show none.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 although there are findings.")
@click.option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Processes; as many as there are cores.")
def check(
    paths: tuple[str, ...],
    strict: bool | None,
    select: str | None,
    ignore: str | None,
    exclude: tuple[str, ...],
    form: str,
    output: str | None,
    baseline: str | None,
    write_to: str | None,
    exit_zero: bool,
    jobs: int | None,
) -> int:
    r"""Find in Python files where tensor values steer Python, and what else breaks graphs.

    Nothing is imported or run: tensors are followed from where the source tells of them. Each finding says whether
    graphweld welds it, and what to write otherwise. The pages of the codes tell more: `graphweld rule GW201`.

    A comment `# gw: ignore[GW201]` on the line, `# gw: ignore-file` at the top of a file, and the table
    [tool.graphweld] of pyproject.toml (select, ignore, exclude, per-file-ignores, strict, baseline) say what not to
    show.

    Exit code: 0 nothing found, 1 findings, 2 wrong usage.

    \b
    graphweld check .
    graphweld check src --strict --output-format sarif -o graphweld.sarif
    """
    from graphweld.lint import baseline as baselines
    from graphweld.lint import checker
    from graphweld.lint.settings import codes

    given = [Path(path) for path in paths or (".",)]
    settings = checker.settings_for(given).override(
        strict=strict or None,
        select=None if select is None else codes(select.split(","), "--select"),
        ignore=None if ignore is None else codes(ignore.split(","), "--ignore"),
        baseline=baseline,
    )
    settings = settings.override(exclude=(*settings.exclude, *exclude))
    if write_to is not None:
        settings = checker.without_baseline(settings)
    files = list(checker.find_files(given, settings))
    found = checker.check(files, settings, jobs=jobs or os.cpu_count() or 1)
    if write_to is not None:
        baselines.write(found, Path(write_to))
        click.echo(f"Wrote {len(found)} findings to {write_to}.", err=True)
        return 0
    _show(found, len(files), form, output)
    return 1 if found and not exit_zero else 0


def _show(found: Sequence[Finding], files: int, form: str, output: str | None) -> None:
    from rich.console import Console

    from graphweld.report.render.findings import full

    if form == "full" and output is None:
        console = Console(soft_wrap=True, highlight=False)
        console.print(full.render(found, files))
        return
    text = _text(found, files, form)
    if output is None:
        click.echo(text, nl=False)
        return
    write_text(output, text)


def _text(found: Sequence[Finding], files: int, form: str) -> str:
    from graphweld.report.render.findings import concise, full, github, json, junit, sarif

    match form:
        case "concise":
            return concise.render(found)
        case "json":
            return json.render(found, files)
        case "sarif":
            return sarif.render(found, __version__)
        case "github":
            return github.render(found)
        case "junit":
            return junit.render(found)
    return full.plain(found, files)
