"""Runs a program eagerly and exported, and compares results, changed arguments, and that both raise or neither does.

An exported program knows one kind of inputs; of a program's calls, those of the first call's kind are made. A program
with state keeps it from call to call, in both.
"""

from __future__ import annotations

import copy
import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.export.graph_signature import OutputKind
from torch.utils import _pytree as pytree

from tests.corpus.program import Call, Program

from . import harness, snapshot

SEED = 1234
Runner = Callable[..., Any]


def has_tensors_only(program: Program) -> bool:
    """Whether every input of the calls that are made is a tensor."""
    return all(isinstance(v, torch.Tensor) for c in calls(program) for v in pytree.tree_leaves((c.args, c.kwargs)))


def calls(program: Program) -> list[Call]:
    """The calls whose inputs are of the first one's kind; all up to the first other, where state is kept."""
    found, kind = [], None
    for c in program.calls():
        leaves, spec = pytree.tree_flatten((c.args, c.kwargs))
        own = spec, [(v.shape, v.dtype, v.stride()) if isinstance(v, torch.Tensor) else repr(v) for v in leaves]
        kind = own if kind is None else kind
        if own == kind:
            found.append(c)
        elif "state" in program.tags:
            break
    return found


def check(program: Program, export: Callable[[Any, Call], Runner], rtol: float | None = None) -> None:
    """Raise unless the exported program does what the eager one does. `export` gives what to call."""
    rows = calls(program)
    torch.manual_seed(0)
    eager = program.make()
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's, about what it traces
            run = export(program.make(), copy.deepcopy(rows[0]))
    except Exception as error:
        if harness.refusal_codes(error) or outcome(eager, rows[0], 0, grad=True) is not None:
            raise
        return  # a program that raises on every path raises when it is exported
    for number, row in enumerate(rows):
        own = copy.deepcopy(row)
        want, got = outcome(eager, row, number, grad=True), outcome(run, own, number)
        assert (want is None) == (got is None), (
            f"call {number}: raises {'in eager' if want is None else 'exported'} only"
        )
        if want is None:
            return  # what is left behind by an exception, Python decides
        try:
            snapshot.compare(
                want, got, strides=False, aliases=False, requires_grad=False, rtol=rtol, atol=rtol and rtol / 10
            )
        except AssertionError as difference:
            raise AssertionError(f"call {number}: {difference}") from None


def outcome(run: Runner, row: Call, number: int, grad: bool = False) -> list[snapshot.Entry] | None:
    """What a call showed; None where it raised. `grad`: as it is traced, so that a program may ask for gradients."""
    torch.manual_seed(SEED + number)
    random.seed(SEED + number)
    with warnings.catch_warnings(), torch.set_grad_enabled(grad):
        warnings.simplefilter("ignore")
        try:
            out = run(*row.args, **row.kwargs)
        except Exception:  # noqa: BLE001 - whatever eager raises, the exported program raises too, as another type
            return None
    return snapshot.take(args=row.args, kwargs=row.kwargs, out=out)


def plain(fn: Any, row: Call) -> Runner:
    """The exported program, as it comes."""
    import graphweld

    return graphweld.export(fn, row.args, row.kwargs).module()


def onnx(fn: Any, row: Call) -> Runner:
    """The same as an ONNX model, in ONNX Runtime; results in the containers that the exported program gives them.

    Arguments that it says are others behind the call become those, and buffers are those of the call before.
    """
    import graphweld
    from graphweld.targets.onnx_outputs import NUMBER
    from graphweld.targets.onnx_results import results_of

    model = graphweld.export_onnx(fn, row.args, kwargs=row.kwargs)
    program, outputs = model.exported_program, model.model.graph.outputs
    assert program is not None
    inputs = [str(name) for name in program.graph_signature.user_inputs]
    held = {
        str(v.name): torch.from_numpy(v.const_value.numpy())
        for v in model.model.graph.inputs
        if v.const_value is not None
    }

    def run(*args: Any, **kwargs: Any) -> Any:
        given = pytree.tree_leaves((args, kwargs))
        found = results_of(model, [*given, *held.values()])
        values = [numbers(f) if NUMBER in o.metadata_props else f for o, f in zip(outputs, found, strict=True)]
        leaves = iter(values)
        result = pytree.tree_unflatten([None if r is None else next(leaves) for r in results], out_spec)
        after = {str(o.name): value for o, value in zip(outputs, values, strict=True)}
        changed = [name for name in inputs if f"{name}_after" in after]
        for name in changed:
            given[inputs.index(name)].copy_(after[f"{name}_after"])
        held.update({name: after[f"{name}_after"] for name in held})
        return result[0] if changed or held else result

    def numbers(value: Any) -> Any:
        return [v.item() for v in value] if isinstance(value, list) else None if value is None else value.item()

    results, out_spec = program.graph_signature.user_outputs, program.call_spec.out_spec
    return run


def saved(fn: Any, row: Call) -> Runner:
    """The same decomposed to core operators, written to a file and read back."""
    import graphweld

    program = graphweld.export(fn, row.args, row.kwargs).run_decompositions()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.pt2"
        torch.export.save(program, path)
        return torch.export.load(path).module()


def package(fn: Any, row: Call) -> Runner:
    """The same compiled by AOTInductor, loaded from its file, which gives floats as tensors."""
    import graphweld
    from graphweld.capture.packages import load_package

    with tempfile.TemporaryDirectory() as folder:
        loaded = load_package(str(graphweld.package(fn, row.args, Path(folder) / "program.pt2", kwargs=row.kwargs)))
    specs = graphweld.export(fn, row.args, row.kwargs).graph_signature.output_specs
    results = [spec for spec in specs if spec.kind is OutputKind.USER_OUTPUT]
    is_number = [type(spec.arg).__name__.startswith("Sym") for spec in results]

    def run(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = pytree.tree_flatten(loaded(*args, **kwargs))
        pairs = zip(leaves, is_number, strict=True)
        found = [leaf.item() if flag and isinstance(leaf, torch.Tensor) else leaf for leaf, flag in pairs]
        return pytree.tree_unflatten(found, spec)

    return run


WAYS = {"export": plain, "saved": saved, "onnx": onnx, "package": package}
RTOL = {"export": None, "saved": 1e-4, "onnx": 1e-3, "package": 1e-4}
