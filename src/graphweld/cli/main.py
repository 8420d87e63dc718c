"""The command `graphweld`: its verbs, and how every error leaves it.

An error that graphweld raises on purpose, or a wrong argument, is one line on stderr and exit code 2. A traceback means
a fault in graphweld.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from graphweld import __version__
from graphweld.cli.check import check
from graphweld.cli.demo import demo
from graphweld.cli.diff import diff
from graphweld.cli.doctor import doctor
from graphweld.cli.draw import draw
from graphweld.cli.explain import explain
from graphweld.cli.export import export
from graphweld.cli.fix import fix
from graphweld.cli.rule import rule
from graphweld.cli.run import run as run_script
from graphweld.diagnostics import GraphweldError, UsageError

_USAGE, _INTERRUPTED = 2, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="graphweld", message="%(prog)s %(version)s")
def cli() -> None:
    """Weld PyTorch graphs that break at Python control flow on tensor values into one graph.

    Start with `graphweld demo`, then `graphweld explain model.py:f --inputs "torch.randn(3, 3)"` on code of your own.
    """


for _verb in (check, explain, run_script, draw, export, diff, fix, rule, doctor, demo):
    cli.add_command(_verb)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    try:
        code = cli.main(args=None if args is None else list(args), prog_name="graphweld", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return _USAGE
    except click.ClickException as error:
        return _fail(error.format_message())
    except UsageError as error:
        return _fail("; ".join(_told(error)))
    except GraphweldError as error:
        return _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, has gone; what is still in the buffer must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """The entry point."""
    # torch warns of each break as it meets it; here the report tells of them. Who sets TORCH_LOGS decides.
    os.environ.setdefault("TORCH_LOGS", "-dynamo")
    sys.exit(run())


def _told(error: UsageError) -> list[str]:
    """A usage error as one line: each problem, and in brackets what to change."""
    return [
        diagnostic.message + "".join(f" ({hint.text})" for hint in diagnostic.hints[:1])
        for diagnostic in error.diagnostics
    ]


def _fail(message: str) -> int:
    click.echo(f"graphweld: error: {message}", err=True)
    return _USAGE
