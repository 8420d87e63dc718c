"""`graphweld fix`: branches written out with `torch.cond`, as a patch."""

from __future__ import annotations

import difflib
import tempfile
from pathlib import Path

import click

from graphweld.cli.writing import write_text


@click.command(short_help="Write branches out with torch.cond, as a patch, for code without graphweld.")
@click.argument("target", metavar="FILE.py:NAME")
@click.option(
    "--inputs",
    "-i",
    "inputs",
    multiple=True,
    required=True,
    metavar="EXPR",
    help="Positional arguments, as for explain; give a set for each way through the function.",
)
@click.option("--write", is_flag=True, help="Change the file; without it the patch is only shown.")
def fix(target: str, inputs: tuple[str, ...], write: bool) -> None:
    r"""Write the `if` statements of a function that tensor values decide out with torch.cond.

    For people who want to own such code, and need no graphweld at run time. Which branches are meant is found by
    running the function. The result is run as plain Python and as one graph on the same inputs: where a value, an
    argument or a gradient differs, nothing is written. Loops are not written out.

    What none of the inputs shows is not checked: give inputs for each way through. Where plain Python gives a branch's
    argument itself, torch.cond gives a copy.

    \b
    graphweld fix model.py:f -i "torch.ones(3)" -i "-torch.ones(3)"          show the patch
    graphweld fix model.py:f -i "torch.ones(3)" -i "-torch.ones(3)" --write  apply it
    """
    from graphweld.cli.target import check_fit, find_in, load_target, positional_arguments, split
    from graphweld.versions import require_torch

    file, name = split(target)
    require_torch()
    from graphweld.targets.fix import fixed_file
    from graphweld.testing import difference

    found = load_target(file, name, instantiate=True)
    sets = [positional_arguments(text, found) for text in inputs]
    for args in sets:
        check_fit(found, args, {})
    before = Path(file).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        after = fixed_file(found.fn, lambda module: find_in(module, file, name), sets, difference, Path(scratch))
    if after == before:
        click.echo(f"{name}: no branch in it is decided by tensor values.")
        return
    name_in_patch = Path(file).as_posix().lstrip("/")
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name_in_patch}", f"b/{name_in_patch}"
    )
    click.echo("".join(lines), nl=False)
    if write:
        write_text(file, after)
