"""Write the documentation that comes from code: pages of codes, the command line, converted programs, pictures.

`--check` only compares.

python tools/gen_docs.py            write what differs
python tools/gen_docs.py --check    name what differs, and fail
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import inspect
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import torch

import graphweld as gw
from graphweld.capture.registry import torch_breaks
from graphweld.cli.main import cli
from graphweld.cli.target import load_target
from graphweld.diagnostics.codes import CODES, name_of, rule_class
from graphweld.diagnostics.torch_breaks import CAUSES, Cause, cause_of
from graphweld.syntax.analysis.sites import find_sites
from graphweld.syntax.names import Names, names_in
from graphweld.syntax.pipeline import PASSES, make_unit

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
CODES_FOLDER = DOCS / "codes"
NOTE = "<!-- Written by tools/gen_docs.py: change the source, then run `make docs`. -->\n\n"
WIDTH = 100
SHOWN = re.compile(r"(<!-- gw\.source: (\S+):(\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> dict[Path, str]:
    """Every generated page, by its path."""
    found = {CODES_FOLDER / f"{code}.md": NOTE + rule_class(code).page() for code in CODES}
    found[CODES_FOLDER / "index.md"] = NOTE + _index()
    found[DOCS / "torch-breaks.md"] = NOTE + _torch_breaks()
    found[DOCS / "passes.md"] = NOTE + _passes(DOCS / "examples" / "first_large.py")
    found[DOCS / "cli.md"] = NOTE + _command_line()
    found[DOCS / "how-it-works.md"] = SHOWN.sub(
        _program_and_twin, (DOCS / "how-it-works.md").read_text(encoding="utf-8")
    )
    found.update(_figures(DOCS / "examples" / "figures.py", DOCS / "figures"))
    return found


def out_of_step() -> list[str]:
    """What differs between the pages on disk and the code, one line each."""
    wanted = pages()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    orphans = [path for path in CODES_FOLDER.glob("*.md") if path not in wanted]
    return [f"{path.relative_to(ROOT)} is out of step" for path in stale] + [
        f"{path.relative_to(ROOT)} belongs to no code" for path in orphans
    ]


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of step")
    if parser.parse_args().check:
        problems = out_of_step()
        for problem in problems:
            print(f"{problem}: run `make docs`", file=sys.stderr)
        return 1 if problems else 0
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def _figures(programs: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """The pictures: laid out anew where what they show has changed, so that only a change needs Node.js."""
    choose, count_down = (load_target(str(programs), name, instantiate=False).fn for name in ("choose", "count_down"))
    matrices = torch.ones(4, 4), torch.ones(4, 4)
    drawn = {
        "break": gw.draw(choose, matrices, welded=False),
        "if": gw.draw(choose, matrices),
        "loop": gw.draw(count_down, (torch.ones(3), torch.tensor(3))),
    }
    for name, drawing in drawn.items():
        path = folder / f"{name}.svg"
        mark = f"<!-- {hashlib.sha256(drawing.to_dot().encode()).hexdigest()} -->\n"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        yield path, text if text.endswith(mark) else drawing.to_svg() + mark


def _program_and_twin(found: re.Match[str]) -> str:
    """A function of a file below docs/, and what graphweld converts it to."""
    start, path, name, end = found.groups()
    function = runpy.run_path(str(DOCS / path))[name]
    original, twin = inspect.getsource(function), gw.source(function)
    return f"{start}```python\n{original}```\n\nis traced as\n\n```python\n{twin}```\n\n{end}"


def _index() -> str:
    rows = [f"| [{code}]({code}.md) | {name_of(code)} | {_summary(code)} |" for code in CODES]
    head = [
        "# Codes",
        "",
        "`graphweld rule CODE` prints the same pages.",
        "",
        "| code | name | meaning |",
        "| --- | --- | --- |",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _summary(code: str) -> str:
    return " ".join((rule_class(code).__doc__ or "").partition("\n\n")[0].split())


def _passes(path: Path) -> str:
    """The one function of a file after each pass that changes it."""
    (original,) = [
        node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
    ]
    function = copy.deepcopy(original)
    names = Names(names_in(function))
    unit = make_unit(function, names, find_sites(function, function.name), names.runtime())
    lines = [
        "# One program after each pass",
        "",
        "A function is converted by a list of passes, each of which leaves Python that means the same. This is one",
        "function after each pass that changes it; what the operators of `gw` do is told in",
        "[how it works](how-it-works.md).",
    ]
    before, title, words = "", "as written", ""
    for run in (None, *PASSES):
        if run is not None:
            run(unit)
            title, words = run.__name__, (inspect.getdoc(inspect.getmodule(run)) or "").partition("\n")[0]
        after = ast.unparse(ast.fix_missing_locations(copy.deepcopy(function)))
        if after != before:
            lines += ["", f"## {title}", "", *([words, ""] if words else []), f"```python\n{after}\n```"]
        before = after
    return "\n".join(lines) + "\n"


def _torch_breaks() -> str:
    """Every break that torch names, by cause."""
    names = torch_breaks()
    by_cause: dict[Cause | None, list[str]] = {cause: [] for cause in (*CAUSES, None)}
    for code in sorted(names):
        by_cause[cause_of(names[code])].append(code)
    lines = [
        "# Why graphs break",
        "",
        f"torch {torch.__version__.partition('+')[0]} names {len(names)} kinds of graph breaks. Each belongs to one of",
        "these causes; what belongs to none is told in torch's own words.",
        "",
        "| cause | graphweld | what to do |",
        "| --- | --- | --- |",
    ]
    words = {"welded": "welds it", "partly": "welds some of it", "change": "cannot help"}
    lines += [f"| {cause.name} | {words[cause.answer]} | {_cell(cause.advice)} |" for cause in CAUSES]
    for cause, codes in by_cause.items():
        lines += ["", "## in torch's own words" if cause is None else f"## {cause.name}", ""]
        lines += [f"- {code}: {' '.join(names[code].split())}" for code in codes]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _command_line() -> str:
    return "# Command line\n\n" + "\n".join(_sections(cli, "graphweld", None))


def _sections(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield f"## `{context.command_path}`\n\n```\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            assert found is not None
            yield from _sections(found, verb, context)


if __name__ == "__main__":
    sys.exit(main())
