"""torch.export, welding: the one place that all of torch's ways out of Python go through.

`torch.export.export`, `torch.onnx.export` and AOTInductor's packages all call one function of torch's. Where a thread
has asked for it (`welded`), that function traces with Dynamo, whatever way it was asked for, and so welds; its program
is mended where torch 2.13 leaves something that later steps cannot read; and what stops it is told in the user's words.
"""

import dataclasses
import linecache
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.export._trace
from torch._functorch.predispatch import _add_batch_dim
from torch.export.graph_signature import ConstantArgument, InputKind
from torch.utils import _pytree as pytree

from graphweld import convert
from graphweld.capture import dynamo, sites
from graphweld.capture.autocast_regions import drop_assertions
from graphweld.capture.constants import make_constants, regions
from graphweld.capture.exported_checkpoints import hook_checkpoints
from graphweld.capture.exported_modes import hook_modes
from graphweld.capture.kept_regions import hook_tidying
from graphweld.capture.program import diagnostics_of, raised_by_the_program
from graphweld.capture.raises import OF_A_POSITION
from graphweld.capture.refusal import export_failed
from graphweld.capture.region_checks import make_assertions
from graphweld.capture.saved_programs import hook_saving, mark
from graphweld.capture.sums import make_additions
from graphweld.capture.written_positions import hook_select_scatter
from graphweld.diagnostics import Diagnostic, ExportError, Span, diagnose, rules

CDIST = torch.ops.aten._cdist_forward.default  # what `torch.cdist` becomes
BATCH_NORM = torch.ops.aten._native_batch_norm_legit_functional.default  # and batch normalization in training mode
LOGS = ("torch._subclasses.fake_tensor", "torch.export._trace", "torch._export.serde.serialize")  # of what stops it
_asked = threading.local()
_lock = threading.Lock()
_installed = False


@contextmanager
def welded(gives_lists: bool = False) -> Iterator[None]:
    """Have torch's exports inside weld. `gives_lists`: a list of unknown length is a result (see `returned_lists`)."""
    install()
    before = getattr(_asked, "here", False), getattr(_asked, "lists", False)
    _asked.here, _asked.lists = True, gives_lists
    try:
        yield
    finally:
        _asked.here, _asked.lists = before


def install() -> None:
    """Put the hook in place, once a process."""
    global _installed
    dynamo.install()
    with _lock:
        if _installed:
            return
        _installed = True
    hook_checkpoints()
    hook_modes()
    hook_tidying()
    hook_saving()
    hook_select_scatter()
    plain = torch.export._trace._export

    def export(mod: Any, args: Any, kwargs: Any = None, *more: Any, **how: Any) -> torch.export.ExportedProgram:
        if not getattr(_asked, "here", False):
            return plain(mod, args, kwargs, *more, **how)
        args, kwargs = _told_apart((args, kwargs or {}))
        try:
            with sites.welding(sites.Trace(gives_lists=_asked.lists)):
                program = plain(mod, args, kwargs, *more, **{**how, "strict": True})
        except Exception as error:
            if raised_by_the_program(error):
                mod(*args, **kwargs)  # plain Python raises it
            raise ExportError(_findings(error, mod)) from error
        if _has_batches(program):
            rule = rules.NotCarried("run `torch.vmap` in a branch or loop", "an exported program", "run it outside")
            raise ExportError([diagnose(rule, _start(mod))])
        drop_assertions(program)
        make_constants(program)
        make_additions(program)
        make_assertions(program)
        mark(program, _start(mod))
        return program

    torch.export._trace._export = export


def _has_batches(program: torch.export.ExportedProgram) -> bool:
    """Whether a region has a dimension for `torch.vmap`, of which torch (2.13) leaves out where it begins."""
    nodes = (node for region in regions(program.graph_module) for node in region.graph.nodes)
    return any(node.target is _add_batch_dim for node in nodes)


def _told_apart(inputs: Any) -> Any:
    """Inputs among which no tensor occurs twice, which torch would take for one input of the program."""
    seen: set[int] = set()

    def own(value: torch.Tensor) -> torch.Tensor:
        if id(value) in seen:
            return value.detach().clone().requires_grad_(value.requires_grad)
        seen.add(id(value))
        return value

    return pytree.tree_map_only(torch.Tensor, own, inputs)


def _findings(error: Exception, module: Any) -> list[Diagnostic]:
    found = diagnostics_of(error)
    if found is None or all(d.span is None for d in found):
        return [export_failed("torch.export", error)]
    return [_at_function(d, module) for d in found]


def _at_function(diagnostic: Diagnostic, module: Any) -> Diagnostic:
    """A finding about what a program returns is found when torch's own frame has it: it belongs to the program."""
    if diagnostic.span is None or not diagnostic.span.file.startswith(sites.TORCH):
        return diagnostic
    span = _start(module)
    return dataclasses.replace(diagnostic, span=span, source_line=linecache.getline(span.file, span.line).rstrip())


def _start(module: Any) -> Span:
    code = convert.code_of(getattr(module, "gw_target", module))
    return Span.at(code.co_filename, code.co_firstlineno)


def raising_nodes(program: torch.export.ExportedProgram) -> dict[torch.fx.Node, str]:
    """The program's assertions, those of its regions included, which another runtime would not make, by what they say.

    Facts about sizes are none. Of the position of an item every runtime makes sure: ONNX says that it must be inside.
    """
    graphs = [m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
    found = [node for graph in graphs for node in graph.nodes if str(node.target).startswith("aten._assert_async")]
    words = {node: str((*node.args, "an assertion")[1]).removeprefix("graphweld: ") for node in found}
    return {node: text for node, text in words.items() if OF_A_POSITION not in text}


def flat_inputs(program: torch.export.ExportedProgram, args: Any, kwargs: Any) -> list[Any]:
    """The inputs of a graph, in order: the tensors and numbers in these arguments that are no part of the program."""
    specs = [spec for spec in program.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    leaves = zip(pytree.tree_leaves((args, kwargs)), specs, strict=True)
    return [leaf for leaf, spec in leaves if not isinstance(spec.arg, ConstantArgument)]


def flat_results(program: torch.export.ExportedProgram, result: Any) -> list[Any]:
    """What a graph gives for a result: its tensors, numbers and lists in order, None where it is one now and then.

    Raises:
        ValueError: if this result has its parts in other containers than the program gives.
    """
    out_spec = program.call_spec.out_spec
    assert out_spec is not None, "the program has been traced"
    given = program.graph_signature.user_outputs
    return [leaf for leaf, name in zip(out_spec.flatten_up_to(result), given, strict=True) if name is not None]


def values_of(result: Any) -> Any:
    """A result as it is now, whatever becomes of its tensors; without what autograd knows of them."""
    return pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), result)


def named_sizes(program: torch.export.ExportedProgram, args: Any, kwargs: Any, dynamic_shapes: Any) -> dict[str, str]:
    """The names that `dynamic_shapes` gives to sizes, by the symbols that stand for them in the program."""
    if not isinstance(dynamic_shapes, dict | tuple | list):
        return {}
    values = list(dynamic_shapes.values()) if isinstance(dynamic_shapes, dict) else dynamic_shapes
    given = {id(v): k for k, v in enumerate(pytree.tree_leaves((args, kwargs)))}
    inputs = {node.name: node.meta.get("val") for node in program.graph.find_nodes(op="placeholder")}
    fakes = [inputs.get(name) if isinstance(name, str) else None for name in program.graph_signature.user_inputs]
    found: dict[str, str] = {}

    def walk(value: Any, spec: Any) -> None:
        if isinstance(value, torch.Tensor):
            sizes = spec.items() if isinstance(spec, dict) else enumerate(spec or ())
            for axis, size in sizes:
                name, fake = getattr(size, "__name__", None), fakes[given[id(value)]]
                if name and isinstance(fake, torch.Tensor) and isinstance(fake.shape[axis], torch.SymInt):
                    found[str(fake.shape[axis])] = name
        elif isinstance(spec, dict | tuple | list) and isinstance(value, dict | tuple | list):
            pairs = ((value[k], spec[k]) for k in spec) if isinstance(spec, dict) else zip(value, spec, strict=False)
            for part, part_spec in pairs:
                walk(part, part_spec)

    walk([*args, *kwargs.values()], values)
    return found
