"""`graphweld explain`: run a function before and after welding, and report both."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from graphweld.cli.writing import check_writable, write_text
from graphweld.diagnostics import GraphweldError, UsageError

if TYPE_CHECKING:
    from graphweld.cli.target import Target
    from graphweld.report import Report

_SEED = 0
_PIPE_WIDTH = 120


@click.command(short_help="Report what breaks a graph, and what welding makes of it.")
@click.argument("target", metavar="FILE.py:NAME")
@click.option(
    "--inputs",
    "-i",
    "inputs",
    multiple=True,
    metavar="EXPR",
    help='The positional arguments as a Python expression, such as "torch.randn(3, 3), 2". Given again: another set of '
    "arguments, with a report of its own.",
)
@click.option("--kwargs", "kwargs", metavar="EXPR", help='The keyword arguments, such as "dict(scale=2.0)".')
@click.option(
    "--json", "json_path", metavar="PATH", help="Write the report as JSON too; - writes only that, to stdout."
)
@click.option("--html", "html_path", metavar="PATH", help="Write the (last) report as one HTML page.")
@click.option("--traceback", is_flag=True, help="If the function itself raises, show the whole traceback.")
def explain(
    target: str,
    inputs: tuple[str, ...],
    kwargs: str | None,
    json_path: str | None,
    html_path: str | None,
    traceback: bool,
) -> None:
    r"""Run a function under torch.compile and under graphweld, and report the graphs and breaks of both.

    NAME is a function, Class.method, a module object, or an nn.Module class that needs no arguments. Expressions see
    `torch`, `math` and everything in the file; random numbers are seeded with 0. Without --inputs the function is
    called without arguments.

    The JSON of one set of inputs is one report, of several a list of them.

    \b
    graphweld explain model.py:f --inputs "torch.randn(3, 3)"
    graphweld explain model.py:Net -i "torch.ones(2, 8)" -i "-torch.ones(2, 8)" --json report.json
    """
    for path in (json_path, html_path):
        if path not in (None, "-"):
            check_writable(path)
    from graphweld.cli.target import check_fit, keyword_arguments, load_target, positional_arguments, split
    from graphweld.versions import require_torch

    file, name = split(target)
    require_torch()
    import torch

    found = load_target(file, name, instantiate=True)
    torch.manual_seed(_SEED)
    named = {} if kwargs is None else keyword_arguments(kwargs, found)
    sets = [positional_arguments(text, found) for text in inputs] or [()]
    for args in sets:
        check_fit(found, args, named)
    reports = [_report(found, args, named, traceback) for args in sets]
    if json_path != "-":
        _show(reports)
    if json_path is not None:
        _write(json_path, reports)
    if html_path is not None:
        write_text(html_path, reports[-1].to_html())


def _report(target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], traceback: bool) -> Report:
    from graphweld.api import explain as explain_function
    from graphweld.cli.target import raised

    try:
        return explain_function(target.fn, args, kwargs)
    except GraphweldError:
        raise
    except Exception as error:
        if traceback:
            raise
        raise UsageError.because(
            f"{target.name} raises {raised(error, target.file)}", "--traceback shows where"
        ) from error


def _show(reports: list[Report]) -> None:
    from rich.console import Console

    from graphweld.report.render.terminal import plain

    console = Console()
    for number, report in enumerate(reports):
        if number:
            click.echo()
        if console.is_terminal:
            console.print(report)
        else:
            click.echo(plain(report, _PIPE_WIDTH))


def _write(path: str, reports: list[Report]) -> None:
    import json

    data = [report.to_dict() for report in reports]
    text = json.dumps(data[0] if len(data) == 1 else data, indent=2, ensure_ascii=False)
    if path == "-":
        sys.stdout.write(text + "\n")
        return
    write_text(path, text + "\n")
