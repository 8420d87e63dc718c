"""`graphweld export`: write a function or module as an exported program, an ONNX model, or a compiled package."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphweld.cli.writing import check_writable
from graphweld.diagnostics import GraphweldError, UsageError

if TYPE_CHECKING:
    from graphweld.cli.target import Target

_SUFFIXES = {"onnx": ".onnx", "pt2": ".pt2", "package": ".pt2"}
_MOST_KINDS = 8


@click.command(short_help="Write a model that needs no Python: ONNX, .pt2, or compiled.")
@click.argument("target", metavar="FILE.py:NAME")
@click.option("--inputs", "-i", metavar="EXPR", default="()", help="The positional arguments, as for `explain`.")
@click.option("--kwargs", "kwargs", metavar="EXPR", help='The keyword arguments, such as "dict(scale=2.0)".')
@click.option("--to", "form", type=click.Choice(list(_SUFFIXES)), required=True, help="What to write.")
@click.option("--output", "-o", metavar="PATH", help="Where; by default NAME with the suffix, in the current folder.")
@click.option(
    "--dynamic",
    multiple=True,
    metavar="NAME:AXIS=SIZE",
    help='A size that may differ from that of the inputs, such as "x:0=batch". Given again: another one.',
)
@click.option("--opset", type=click.IntRange(18, 23), help="The version of ONNX's operators.")
@click.option("--verify/--no-verify", default=True, help="Run an ONNX model, and compare it with eager Python.")
def export(
    target: str,
    inputs: str,
    kwargs: str | None,
    form: str,
    output: str | None,
    dynamic: tuple[str, ...],
    opset: int | None,
    verify: bool,
) -> None:
    r"""Export one graph, branches and loops on tensor values included, and tell what is in the file.

    \b
    graphweld export model.py:f --inputs "torch.randn(2, 3)" --to onnx --dynamic "x:0=batch"
    graphweld export model.py:Net -i "torch.ones(2, 8)" --to package -o net.pt2
    """
    from graphweld.cli.target import check_fit, keyword_arguments, load_target, positional_arguments, raised, split
    from graphweld.versions import require_torch

    file, name = split(target)
    path = Path(output or f"{name.rpartition('.')[2]}{_SUFFIXES[form]}")
    if path.suffix != _SUFFIXES[form]:
        raise UsageError.because(f"{form} is written to a {_SUFFIXES[form]} file, not {path}")
    check_writable(str(path))
    require_torch()
    found = load_target(file, name, instantiate=True)
    args = () if inputs == "()" else positional_arguments(inputs, found)
    named = {} if kwargs is None else keyword_arguments(kwargs, found)
    check_fit(found, args, named)
    shapes = _shapes(found, args, named, dynamic)
    from graphweld.capture.exporter import LOGS
    from graphweld.capture.quiet import quiet

    click.echo(f"exporting {target} to {path} ...", err=True)
    try:
        with quiet(*LOGS):
            kinds, notes = _write(found.fn, args, named, shapes, form, path, opset, verify)
    except OSError:
        raise
    except Exception as error:  # where plain Python raises, that is what there is to tell
        plain = _raised_by(found.fn, args, named) if isinstance(error, GraphweldError) else error
        if plain is None:
            raise
        raise UsageError.because(f"{name} raises on these inputs: {raised(plain, file)}") from error
    most = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(_MOST_KINDS))
    click.echo("\n".join([f"{path}: {path.stat().st_size:,} bytes, {sum(kinds.values())} nodes ({most})", *notes]))


def _write(
    fn: Any, args: Any, kwargs: Any, shapes: Any, form: str, path: Path, opset: int | None, verify: bool
) -> tuple[Counter[str], list[str]]:
    """Write the file; the kinds of nodes in it, and what else there is to tell."""
    import torch

    import graphweld as gw

    if form == "onnx":
        model = gw.export_onnx(fn, args, path, kwargs=kwargs, dynamic_shapes=shapes, opset_version=opset, verify=verify)
        return Counter(node.op_type for node in model.model.graph.all_nodes()), list(_notes(model.model))
    program = gw.export(fn, args, kwargs, dynamic_shapes=shapes)
    if form == "package":
        from graphweld.targets.aoti import write_package

        click.echo("compiling for this machine ...", err=True)
        write_package(program, path)
    else:
        torch.export.save(program, path)
    return Counter(_kinds(program.graph_module)), []


def _raised_by(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    import torch

    try:
        with torch.no_grad():
            copy.deepcopy(fn)(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error
    return None


def _notes(model: Any) -> Iterator[str]:
    """The names by which an ONNX model is called, and what it does that Python does not."""
    from graphweld.targets.onnx_draws import places_of_draws

    names = [f"{v.name}{' (has a default)' if v.is_initializer() else ''}" for v in model.graph.inputs]
    yield f"inputs: {', '.join(names) or 'none'}; outputs: {', '.join(v.name for v in model.graph.outputs)}"
    draws = sorted(set(places_of_draws(model)))
    if draws:
        yield f"draws random numbers of the runtime's own, not compared with Python's, at {', '.join(draws)}"


def _kinds(module: Any) -> Iterator[str]:
    for graph in (m.graph for m in module.modules() if hasattr(m, "graph")):
        yield from (getattr(n.target, "__name__", str(n.target)) for n in graph.nodes if n.op == "call_function")


def _shapes(target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: tuple[str, ...]) -> Any:
    """`dynamic_shapes` for torch: a size that is named twice is one size."""
    import inspect

    import torch

    if not dynamic:
        return None
    names = inspect.signature(getattr(target.fn, "forward", target.fn)).bind(*args, **kwargs).arguments
    shapes: dict[str, Any] = {name: {} if isinstance(value, torch.Tensor) else None for name, value in names.items()}
    sizes: dict[str, Any] = {}
    for text in dynamic:
        place, _, size = text.partition("=")
        name, _, axis = place.partition(":")
        if not size.isidentifier() or not axis.isdigit():
            raise UsageError.because(f"--dynamic {text!r} is not of the form NAME:AXIS=SIZE", 'such as "x:0=batch"')
        if not isinstance(names.get(name), torch.Tensor):
            given = ", ".join(key for key, value in names.items() if isinstance(value, torch.Tensor)) or "none"
            raise UsageError.because(f"--dynamic {text!r}: no tensor is given as {name}", f"tensors: {given}")
        if int(axis) >= names[name].dim():
            raise UsageError.because(f"--dynamic {text!r}: {name} has {names[name].dim()} axes, numbered from 0")
        if int(axis) in shapes[name]:
            raise UsageError.because(f"--dynamic {text!r}: this size has a name already")
        shapes[name][int(axis)] = sizes.setdefault(size, torch.export.Dim(size))
    return shapes
