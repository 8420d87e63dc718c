"""The causes of graph breaks that torch names, each with what graphweld makes of it and what a person can change.

torch gives each kind of break a code (GB0170) and a name; the name is what is matched here, as codes of one cause are
many. A name that no cause fits is told in torch's own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Answer = Literal["welded", "partly", "change"]


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause. `answer`: graphweld welds it, welds it within limits, or the program has to change."""

    name: str
    answer: Answer
    advice: str
    pattern: str


# In order: the first that fits is it.
CAUSES: tuple[Cause, ...] = (
    Cause(
        "data-dependent control flow",
        "welded",
        "compile with `graphweld.compile`: the branch or loop becomes a node of the graph",
        r"data-dependent (branching|assertion)|should not compile partial graph|infinite loop|graph break in loop",
    ),
    Cause(
        "tensor read into Python",
        "partly",
        "keep the value a tensor; `graphweld.compile` keeps numbers of one element in the graph, and lists of integers",
        r"tensor\.(item|tolist)\(\)|data.dependent operator|unbacked symint|indexing .* with non-scalar tensor"
        r"|index\(tensor\)"
        r"|dynamic slicing",
    ),
    Cause(
        "size that the data decides",
        "welded",
        "compile with `graphweld.compile`, which gives the size a symbol, or keep the size and mask the values",
        r"dynamic shape operator|data-dependent output shape",
    ),
    Cause(
        "printing, logging, warnings",
        "welded",
        "compile with `graphweld.compile`, which says it behind the graph, or take it out of the compiled function",
        r"logging\.logger|debugging function|operator `print`",
    ),
    Cause(
        "recurrent layers",
        "welded",
        "compile with `graphweld.compile`, which lets torch trace them",
        r"rnn, gru",
    ),
    Cause(
        "higher-order operator",
        "partly",
        "write plain Python control flow and compile with `graphweld.compile`, which meets the operators' rules",
        r"torch\.(cond|while_loop|scan|associative_scan|map)\b|\bhop\b|higher.?order|invoke_subgraph|wrap_with_"
        r"|strict_mode"
        r"|hints_wrapper|out_dtype|subgraph_inputs|executorch|leaf_function|nonstrict_trace|expected constant arg",
    ),
    Cause(
        "generators and iterators",
        "partly",
        "make a list of the items before, or a plain loop of the generator; branches inside of one are not welded",
        r"(?<!torch\.)generator|itertools\.|\bnext\(\)|\biter\(\)|tp_iter|comprehension|SEND with|UNPACK_"
        r"|cleanup_throw|trace list\(\)",
    ),
    Cause(
        "switched off on purpose",
        "change",
        "take `torch.compiler.disable`, `graph_break` or the like out of what is to be one graph",
        r"graph_break\(\)|torch\.compiler\.disable|skip_frame|step_unsupported|forced graph break|comptime"
        r"|functorh mode"
        r"|assume_constant_result",
    ),
    Cause(
        "function that torch skips",
        "change",
        "use a PyTorch operator in its place, or wrap the call in `torch.library.custom_op`",
        r"marked as skipped|not implemented in python|implemented in c/c\+\+|c extensions|untraceable c|vectorcall"
        r"|frame builtins"
        r"|c-level descriptor|mro$|wrap_jit|torch\.jit|torchscript|scriptmodule|scriptobject|inspect call"
        r"|import (failure|result)"
        r"|unittest",
    ),
    Cause(
        "NumPy",
        "change",
        "use torch's function of that name, or do the NumPy work outside of what is compiled",
        r"numpy|ndarray",
    ),
    Cause(
        "in-place change that torch cannot follow",
        "change",
        "make a new tensor in place of changing this one, or change it outside of what is compiled",
        r"inplace op|mutat|mark_dirty|resize_|set_\(\)|requires_grad|share_memory|tensor attribute|out= "
        r"|immutable cell|\.random_"
        r"|\.uniform_|aliasing|data pointer|__delattr__|side effect|side-effect",
    ),
    Cause(
        "autograd inside of what is compiled",
        "change",
        "compile the forward alone: torch derives the backward from it",
        r"autograd|backward|grad_fn|retain_grad|hook|gradient|_imperativeengine|custom [jv]|functorch|torch\.func"
        r"|optimizer",
    ),
    Cause(
        "kind of tensor",
        "change",
        "use a plain dense tensor here",
        r"sparse|nestedtensor|nested_tensor|(?<!is)subclass|fake tensor|faketensor|is_inference|inference_mode"
        r"|real value"
        r"|pt2-compliant|device mismatch|dtype|op packet|symbolic shapes|symint|op returned non-tensor|broadcast",
    ),
    Cause(
        "module set-up",
        "change",
        "make parameters and modules before compiling, in `__init__`",
        r"nn\.module|nn\.parameter|uninitialized nn|unspecializednnmodule|module-level|parameter construction|_ntuple",
    ),
    Cause(
        "recompiled too often",
        "change",
        "compile with `dynamic=True`, or raise torch's recompile limit",
        r"recompile limit|excessive restart",
    ),
    Cause(
        "exception",
        "partly",
        "a `raise` that tensor values decide is welded; raise and catch others outside of what is compiled",
        r"exception|traceback|typeerror|runtimeerror|notimplementederror|undefined local|deleted variable|uninitialized"
        r"|failed to raise",
    ),
    Cause(
        "context manager",
        "change",
        "enter it outside of what is compiled, or use one that torch knows, such as `torch.no_grad()`",
        r"context ?manager|contextlib|escaped from compiled|profiler|GenericContextWrapping|__enter__",
    ),
    Cause(
        "distributed, streams, kernels",
        "change",
        "do it outside of what is compiled",
        r"distributed|p2p|fsdp|triton|stream|accelerator|collective|event method|device_module|backend compiler"
        r"|tma_desc"
        r"|delegate|flexattention|sdpaparams",
    ),
    Cause(
        "builtin or method that torch does not trace",
        "change",
        "write it with what torch traces: plain functions, lists, dicts, and PyTorch operators",
        r"builtin|unsupported|not implemented|unimplemented|non-const|constant|repr\(\)|getattr|hasattr|setattr"
        r"|__\w+__|missing"
        r"|super|reconstruct|isinstance|issubclass|hash|method|opaque|dict|bytecode|failed to|cannot|can't|attempted"
        r"|invalid|bad "
        r"|unexpected|unhandled|limitation|improper",
    ),
)


def cause_of(reason: str) -> Cause | None:
    """The cause of a break, by torch's name for it, or a text `name: explanation`; None for an unknown one.

    >>> cause_of("Failed to trace builtin operator: ... builtin operator `print` ...").name
    'printing, logging, warnings'
    """
    # An explanation says much that is no cause; which builtin failed is only told there.
    name = reason if "`print`" in reason else reason.partition(": ")[0]
    return next((cause for cause in CAUSES if re.search(cause.pattern, name, re.IGNORECASE)), None)
