"""`graphweld draw`: a function's graph as a picture, before welding or after it, or the graph in a file."""

from __future__ import annotations

from pathlib import Path

import click

from graphweld.api import draw as draw_it
from graphweld.cli.writing import check_writable
from graphweld.view.drawing import Drawing, check_suffix

_SEED = 0
_FILES = {".onnx", ".pt2"}


@click.command(short_help="Draw the graph of a function, or of an .onnx or .pt2 file.")
@click.argument("target", metavar="FILE.py:NAME|MODEL")
@click.option("--inputs", "-i", metavar="EXPR", default="()", help="The positional arguments, as for `explain`.")
@click.option("--kwargs", "kwargs", metavar="EXPR", help='The keyword arguments, such as "dict(scale=2.0)".')
@click.option("--no-weld", is_flag=True, help="Draw what torch alone makes of it: each graph, and each break.")
@click.option("--output", "-o", metavar="PATH", help="An .html, .svg or .dot file; by default NAME.html.")
def draw(target: str, inputs: str, kwargs: str | None, no_weld: bool, output: str | None) -> None:
    r"""Draw one graph with If and Loop as boxes, or with --no-weld the pieces and what Python runs between them.

    The function is run. An .html page is laid out by the browser, and its boxes open and close; an .svg needs
    the program `dot` (Graphviz) or `node` (Node.js).

    \b
    graphweld draw model.py:f --inputs "torch.randn(2, 3)" -o f.svg
    graphweld draw model.onnx
    """
    is_file = Path(target).suffix in _FILES
    name = Path(target).stem if is_file else target.rpartition(":")[2].rpartition(".")[2]
    path = output or f"{name}.html"
    check_suffix(Path(path))
    check_writable(path)
    drawing = draw_it(target) if is_file else _of_call(target, inputs, kwargs, welded=not no_weld)
    drawing.save(path)
    many = sum(not node.regions for node in drawing.graph.walk())
    click.echo(f"{path}: {Path(path).stat().st_size:,} bytes, {many} nodes")


def _of_call(target: str, inputs: str, kwargs: str | None, *, welded: bool) -> Drawing:
    from graphweld.cli.target import check_fit, keyword_arguments, load_target, positional_arguments, split
    from graphweld.versions import require_torch

    file, name = split(target)
    require_torch()
    import torch

    found = load_target(file, name, instantiate=True)
    torch.manual_seed(_SEED)
    args = () if inputs == "()" else positional_arguments(inputs, found)
    named = {} if kwargs is None else keyword_arguments(kwargs, found)
    check_fit(found, args, named)
    return draw_it(found.fn, args, named, welded=welded)
