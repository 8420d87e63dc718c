"""An exported program, decomposed and written to a file: readied for that, or refused in the user's words.

program = gw.export(model, inputs)
torch.export.save(program.run_decompositions(), "model.pt2")

torch (2.13) has no entry for a bool that the data decide in its list of kinds of results, though the graph's own output
has one: called an int there, it is read back as the bool that it is. It writes operators that give a tuple, not those
that give a list, which is a matter of which of its tracers made them. Text it writes, to a file that cannot be read.
Whoever reads a file is warned of each symbol with a range, and that no value in the graph has for a size.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch._export.serde.serialize import ExportedProgramSerializer
from torch._ops import HigherOrderOperator
from torch.export.graph_signature import ConstantArgument, SymBoolArgument, SymIntArgument
from torch.fx import GraphModule
from torch.fx.experimental.symbolic_shapes import free_symbols
from torch.utils import _pytree as pytree

from graphweld.capture.refusal import export_failed
from graphweld.capture.region_aliases import by_running, hook_aliases
from graphweld.capture.retraced import facts_of_regions
from graphweld.capture.sums import make_additions, make_maxima
from graphweld.diagnostics import ExportError, GraphweldError, Span, diagnose, rules

OURS = "graphweld"  # in the metadata of a program's graph, and of what it is decomposed to: where the user's code is


def hook_saving() -> None:
    """Have programs that are marked go through here."""
    hook_aliases()
    write, decompose = ExportedProgramSerializer.serialize, torch.export.ExportedProgram.run_decompositions

    def serialize(self: Any, exported_program: torch.export.ExportedProgram, *args: Any, **kwargs: Any) -> Any:
        with _told(exported_program, "torch.export.save"), _writable(exported_program):
            return write(self, exported_program, *args, **kwargs)

    def run_decompositions(self: torch.export.ExportedProgram, *args: Any, **kwargs: Any) -> Any:
        with _told(self, "torch's run_decompositions"), by_running(), facts_of_regions():
            return decompose(self, *args, **kwargs)

    ExportedProgramSerializer.serialize = serialize  # type: ignore[method-assign]
    torch.export.ExportedProgram.run_decompositions = run_decompositions  # type: ignore[method-assign]


def mark(program: torch.export.ExportedProgram, span: Span) -> None:
    """Note that a program is graphweld's, made of code that begins there."""
    program.graph_module.meta[OURS] = span


@contextlib.contextmanager
def _told(program: torch.export.ExportedProgram, step: str) -> Iterator[None]:
    span = program.graph_module.meta.get(OURS)
    try:
        yield
    except Exception as error:
        if span is None or isinstance(error, GraphweldError):
            raise
        raise ExportError([export_failed(step, error)]) from error


@contextlib.contextmanager
def _writable(program: torch.export.ExportedProgram) -> Iterator[None]:
    """Have a program in the form that torch writes, for a while."""
    span = program.graph_module.meta.get(OURS)
    results = program.graph_signature.output_specs
    for spec in results if span is not None else ():
        if isinstance(spec.arg, ConstantArgument) and isinstance(spec.arg.value, str):
            rule = rules.NotCarried(f"return {spec.arg.value!r}", "a .pt2 file", "return a tensor or a number")
            raise ExportError([diagnose(rule, span)])
    make_additions(program)  # of which decompositions make some
    make_maxima(program)
    unused = set(program.range_constraints)
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, GraphModule) else ():
            value = node.meta.get("val")
            if isinstance(node.target, HigherOrderOperator) and isinstance(value, list):
                node.meta["val"] = tuple(value)
            for leaf in pytree.tree_leaves(value):
                if isinstance(leaf, torch.Tensor | torch.SymInt | torch.SymFloat | torch.SymBool):
                    unused -= free_symbols(leaf)
    for symbol in unused:
        del program.range_constraints[symbol]
    bools = [(spec, spec.arg) for spec in results if isinstance(spec.arg, SymBoolArgument)]
    for spec, arg in bools:
        spec.arg = SymIntArgument(arg.name)
    try:
        yield
    finally:
        for spec, arg in bools:
            spec.arg = arg
