"""`graphweld diff`: what conversion makes of a function's source."""

from __future__ import annotations

import click


@click.command(short_help="Show the converted Python of a function.")
@click.argument("target", metavar="FILE.py:NAME")
@click.option("--full", is_flag=True, help="Print the whole converted source instead of the diff.")
def diff(target: str, full: bool) -> None:
    """Show, as a unified diff, what is traced in place of a function's own source.

    NAME is a function, Class.method, a module object or an nn.Module class. The file is imported; the function is not
    called.
    """
    from graphweld.api import diff as diff_function
    from graphweld.api import source
    from graphweld.cli.target import load_target, split

    file, name = split(target)
    found = load_target(file, name, instantiate=False)
    text = source(found.fn) if full else diff_function(found.fn)
    if text:
        click.echo(text.rstrip("\n"))
    else:
        click.echo(f"{found.name} is traced as it is written: nothing in it is converted.")
