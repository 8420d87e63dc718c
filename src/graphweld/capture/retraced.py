"""A region when a backend traces it again: what the second trace would see otherwise than the first did.

Decompositions lay results out in memory in ways of their own, and the operators want one layout from both sides and on
every trip. Some operators check their input, which is an effect; AOTAutograd has no place for effects in a sub-graph.
Some ask whether there is any input (`cross_entropy`), in a decomposition that only the second trace takes. And what a
region tells of sizes (`ids[-1]`: that there are some) torch asserts around it, where the region may not run.
"""

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch._guards import detect_fake_mode
from torch._higher_order_ops import utils
from torch._higher_order_ops.while_loop import while_loop_op, while_loop_stack_output_op
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule, Interpreter
from torch.fx import traceback as fx_traceback
from torch.utils._python_dispatch import TorchDispatchMode

from graphweld.capture.raises import raise_unless
from graphweld.capture.size_facts import facts_forgotten
from graphweld.capture.tensor_types import is_sized_by_data

ATEN = torch.ops.aten
OPERATORS = (torch.ops.higher_order.cond, while_loop_op, while_loop_stack_output_op)
MAKERS = ("_maybe_run_with_interpreter", "_maybe_reenter_make_fx")  # of what runs, or traces, a region
TRACERS: list[Any] = [utils, *(sys.modules[f"torch._higher_order_ops.{name}"] for name in ("cond", "while_loop"))]
# Operators that are made of others, one of which is a check.
CHECKING = {
    getattr(ATEN, name).default
    for name in (
        "inverse linalg_inv linalg_cholesky linalg_solve linalg_lu_factor linalg_ldl_factor linalg_tensorinv "
        "linalg_tensorsolve linalg_matrix_power matrix_power"
    ).split()
}


class Checks(TorchDispatchMode):
    """The checks that operators make of their input: in tensors, or not at all.

    In the first run of a region a check that fails ends the call as an exception of the program does. What is computed
    again for the gradient has passed them.
    """

    supports_higher_order_operators = True

    def __init__(self, are_made: bool) -> None:
        super().__init__()
        self.are_made = are_made

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is ATEN._linalg_check_errors.default:
            return raise_unless((args[0] == 0).all()) if self.are_made else None
        if func is ATEN._assert_async.msg and not self.are_made:
            return None
        of_data = any(isinstance(arg, torch.Tensor) and is_sized_by_data(arg) for arg in args)
        if func in CHECKING or (of_data and _is_made_of_others(func)):
            with self:
                return func.decompose(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


@functools.cache
def _is_made_of_others(func: Any) -> bool:
    return func.namespace == "aten" and bool(func._can_decompose())


def facts_of_this_run(args: Any) -> AbstractContextManager[None]:
    """What torch learns of sizes inside, where it traces with these arguments, holds inside."""
    mode = detect_fake_mode(args)
    return nullcontext() if mode is None or mode.shape_env is None else facts_forgotten(mode.shape_env)


@contextmanager
def facts_of_regions() -> Iterator[None]:
    """What torch's operators learn of sizes while they trace a region holds in that one only, for a while."""
    makers = [(module, name, vars(module)[name]) for module in TRACERS for name in MAKERS if name in vars(module)]
    tables = [(op.python_key_table, op.python_key_table[FakeTensorMode]) for op in OPERATORS]
    try:
        for module, name, make in makers:
            setattr(module, name, functools.partial(_made_alone, make))
        for table, run in tables:
            table[FakeTensorMode] = functools.partial(_with_regions_alone, run)
        yield
    finally:
        for module, name, make in makers:
            setattr(module, name, make)
        for table, run in tables:
            table[FakeTensorMode] = run


def _made_alone(make: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    return _alone(make(*args, **kwargs))


def _with_regions_alone(run: Callable[..., Any], mode: Any, *args: Any) -> Any:
    return run(mode, *(_alone(arg) if callable(arg) and not isinstance(arg, torch.Tensor) else arg for arg in args))


def _alone(region: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        with facts_of_this_run(args):
            return region(*args)

    return run


def as_captured(region: GraphModule, carries: Sequence[torch.Tensor] = ()) -> Callable[..., tuple[Any, ...]]:
    """A region with its checks in tensors, its results in the strides they were captured in, or of carries.

    What torch learns of sizes while it traces the region is not asserted around it.
    """
    (output,) = region.graph.find_nodes(op="output")
    likes = [*carries, *(node.meta.get("example_value") for node in output.args[0][len(carries) :])]

    def run(*args: Any) -> tuple[Any, ...]:
        with Checks(are_made=True), facts_of_this_run(args):
            return tuple(_strided(out, like) for out, like in zip(_run(region, args), likes, strict=True))

    return run


def _run(region: GraphModule, args: tuple[Any, ...]) -> Any:
    """Call a region; in an export node by node, so that the nodes it is traced to have the lines of its own."""
    if not (torch.compiler.is_exporting() and fx_traceback.has_preserved_node_meta()):
        return region(*args)
    with fx_traceback.preserve_node_meta():
        return Interpreter(getattr(region, "region", region)).run(*args)  # of `exported.Enclosed`, what it encloses


def _strided(out: torch.Tensor, like: Any) -> torch.Tensor:
    if like is None or not all(isinstance(n, int) for n in (*like.size(), *like.stride(), *out.stride())):
        return out
    if out.stride() == like.stride():
        return out
    return torch.empty_strided(like.size(), like.stride(), dtype=out.dtype, device=out.device).copy_(out)
