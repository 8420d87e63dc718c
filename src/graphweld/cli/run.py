"""`graphweld run`: a script as it is, with everything that it compiles welded, and one report at its end."""

from __future__ import annotations

import runpy
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphweld.cli.writing import check_writable, write_text
from graphweld.diagnostics import UsageError

if TYPE_CHECKING:
    from graphweld.report.run_model import RunReport

_FAILED, _INTERRUPTED = 1, 130


@click.command(
    short_help="Run a script with everything it compiles welded, and report at its end.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("script", metavar="SCRIPT")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--no-weld", is_flag=True, help="Weld nothing; measure what torch makes of it alone.")
@click.option("--json", "json_path", metavar="PATH", help="Write the report as JSON too.")
@click.option("--html", "html_path", metavar="PATH", help="Write the report as one HTML page too.")
def run(script: str, args: tuple[str, ...], no_weld: bool, json_path: str | None, html_path: str | None) -> int:
    r"""Run a Python script, unmodified, as `python SCRIPT ARGS...` would.

    Inside, every torch.compile, torch.export.export and torch.onnx.export welds. At the end one report, on stderr,
    tells of all of them: graphs and breaks before and after, sites, recompiles, time, and the breaks that are left.
    What torch alone makes of a function is measured in a child process at its first call, on the same arguments.

    The exit code is the script's. Options for graphweld stand before SCRIPT.

    \b
    graphweld run train.py --epochs 1
    graphweld run --no-weld --json before.json train.py
    """
    for path in (json_path, html_path):
        if path is not None:
            check_writable(path)
    if not Path(script).is_file():
        raise UsageError.because(f"no such file: {script}")
    from graphweld.versions import require_torch

    require_torch()
    code, report = _run(script, args, weld=not no_weld)
    _show(report)
    if json_path is not None:
        import json

        write_text(json_path, json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n")
    if html_path is not None:
        write_text(html_path, report.to_html())
    return code


def _run(script: str, args: tuple[str, ...], *, weld: bool) -> tuple[int, RunReport]:
    import torch

    from graphweld.report.run_model import RunReport
    from graphweld.targets.run import Recorder

    recorder = Recorder(weld=weld)
    before = sys.argv, sys.path[:]
    sys.argv = [script, *args]
    sys.path.insert(0, str(Path(script).resolve().parent))
    start = time.perf_counter()
    try:
        with recorder.recording():
            code, ended = _as_main(script)
    finally:
        sys.argv, sys.path[:] = before
    report = RunReport(
        script=script,
        welded=weld,
        compiled=recorder.compiled(),
        seconds=time.perf_counter() - start,
        ended=ended,
        torch_version=torch.__version__,
    )
    return code, report


def _as_main(script: str) -> tuple[int, str]:
    """Run a file as `python FILE` does: its exit code, and how it ended."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as left:
        if left.code is None or isinstance(left.code, int):
            return left.code or 0, f"exit code {left.code or 0}"
        click.echo(left.code, err=True)
        return _FAILED, f"exit code {_FAILED}"
    except KeyboardInterrupt:
        return _INTERRUPTED, "interrupted"
    except BaseException as error:  # noqa: BLE001 - the script's own, told as Python tells it; the report comes all the same
        shown = error.__traceback__
        while shown is not None and shown.tb_frame.f_code.co_filename != script:
            shown = shown.tb_next
        traceback.print_exception(type(error), error, shown)
        return _FAILED, f"{type(error).__name__}"
    return 0, "exit code 0"


def _show(report: RunReport) -> None:
    from rich.console import Console

    from graphweld.report.render.run import plain, render

    console = Console(stderr=True)
    if console.is_terminal:
        console.print(render(report))
    else:
        click.echo(plain(report), err=True)
