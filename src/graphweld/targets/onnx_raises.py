"""A `raise` in an ONNX model: a position that is not there, which ends the run.

    if p: raise ValueError(...)         passes = not p
    return y                            return Gather([y], 0 if passes else 1)

ONNX has no operator that raises, but says that it is an error to take what is outside of a tensor. The node is named
for the exception and its line, and so is the error of ONNX Runtime. A region hands out something that depends on its
own checks, and what is behind it checks again: where nothing else of a region is read, a runtime may leave it out.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch.export.graph_signature import OutputKind, TensorArgument

from graphweld.capture.returned_choices import CHOICE
from graphweld.capture.returned_lists import LISTS

WORDS = "graphweld.raises"  # in a node's metadata


@torch.library.custom_op("graphweld::or_raise", mutates_args=())
def or_raise(value: torch.Tensor, passes: torch.Tensor, words: str) -> torch.Tensor:
    """A copy of a value, where a check has passed."""
    if not passes:
        raise RuntimeError(words)
    return value.clone()


@or_raise.register_fake
def _(value: torch.Tensor, passes: torch.Tensor, words: str) -> torch.Tensor:
    return torch.empty_like(value)


def carry_raises(program: torch.export.ExportedProgram, words: dict[torch.fx.Node, str]) -> list[str]:
    """Have results depend on the assertions with these words. Returns the words of those that nothing can depend on."""
    left = []
    for module in program.graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in [node for node in module.graph.nodes if node in words]:
            where = next(_places(program, module), None)
            if where is None:
                left.append(words[node])
            else:
                _guard(program, module, where, node.args[0], words[node])
        module.recompile()
    return left


def _places(program: torch.export.ExportedProgram, module: torch.fx.GraphModule) -> Iterator[int]:
    """Which results may carry a check: of a region the last first, where the flags of its checks are."""
    results = module.graph.output_node().args[0]
    assert isinstance(results, list | tuple), "a graph of torch.export gives a tuple"
    is_outermost = module is program.graph_module
    for k in range(len(results)) if is_outermost else reversed(range(len(results))):
        spec = program.graph_signature.output_specs[k] if is_outermost else None
        result = results[k]
        if spec is not None:
            is_text = isinstance(result, torch.fx.Node) and result.target is CHOICE and not result.args[0]
            if spec.kind is OutputKind.USER_OUTPUT and isinstance(spec.arg, TensorArgument) and not is_text:
                yield k
        elif isinstance(result, torch.fx.Node) and isinstance(result.meta.get("val"), torch.Tensor):
            yield k


def _guard(
    program: torch.export.ExportedProgram, module: torch.fx.GraphModule, where: int, passes: Any, words: str
) -> None:
    end = module.graph.output_node()
    results: list[Any] = [*end.args[0]]  # type: ignore[misc]
    result: torch.fx.Node = results[where]
    operands: list[Any] = [result]
    if result.target in LISTS:
        operands = [result.args[0]]
    elif result.target is CHOICE:
        operands = [*result.args[0]]  # type: ignore[misc]
    value = operands[0]
    with module.graph.inserting_before(end):
        made = module.graph.create_node(
            "call_function",
            torch.ops.graphweld.or_raise.default,
            (value, passes, words),
            name=f"{value.name}_or_raise",
        )
        made.meta = {key: value.meta[key] for key in value.meta if key != "unbacked_bindings"}
        if value is not result:
            first: Any = made if result.target in LISTS else [made, *operands[1:]]
            made = module.graph.call_function(result.target, (first, *result.args[1:]))  # type: ignore[arg-type]
            made.meta = dict(result.meta)
    if module is program.graph_module:
        program.graph_signature.output_specs[where].arg = TensorArgument(made.name)
    results[where] = made
    end.args = (tuple(results),)
