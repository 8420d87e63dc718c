"""`graphweld rule`: the page of a code."""

from __future__ import annotations

import click

from graphweld.diagnostics import UsageError
from graphweld.diagnostics.codes import CODES, rule_class


@click.command(short_help="Print the page of a code such as GW102.")
@click.argument("code", required=False)
def rule(code: str | None) -> None:
    """Print what a code means, why, an example, and what to write instead. Without a code, list them all."""
    if code is None:
        for known, (name, _) in CODES.items():
            click.echo(f"{known}  {name}")
        return
    wanted = code.upper()
    by_name = {name: known for known, (name, _) in CODES.items()}
    wanted = by_name.get(code.lower(), wanted)
    if wanted not in CODES:
        raise UsageError.because(f"there is no code {code!r}", "`graphweld rule` lists them")
    click.echo(rule_class(wanted).page().rstrip())
