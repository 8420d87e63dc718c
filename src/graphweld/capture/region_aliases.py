"""Whether a region changes an input, or gives one out, when torch decomposes an exported program: by running it once.

torch (2.13) traces each region to find out, with all that is inside of it, and again for every region around it: where
regions nest, half of the time of `run_decompositions`. What operators do to stand-ins for tensors tells as much.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import torch
from torch._higher_order_ops import utils
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Interpreter
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing
from torch.utils import _pytree as pytree

from graphweld.capture.retraced import facts_of_this_run

Aliases = tuple[dict[int, int], dict[int, int], dict[int, int]]
_running = threading.local()


def hook_aliases() -> None:
    """Put the hook in place."""
    plain = utils.potential_input_alias_or_mutation

    def potential_input_alias_or_mutation(gm: Any, inputs: Any, pre_dispatch: bool = False) -> Any:
        mode = next((i.fake_mode for i in pytree.tree_leaves(inputs) if isinstance(i, FakeTensor)), None)
        if not getattr(_running, "here", False) or mode is None or not isinstance(gm, GraphModule) or pre_dispatch:
            return plain(gm, inputs, pre_dispatch)
        return _found(gm, inputs, mode)

    utils.potential_input_alias_or_mutation = potential_input_alias_or_mutation  # type: ignore[assignment]


@contextlib.contextmanager
def by_running() -> Iterator[None]:
    """Find it out by running regions, inside."""
    before, _running.here = getattr(_running, "here", False), True
    try:
        yield
    finally:
        _running.here = before


def _found(gm: GraphModule, inputs: Any, mode: Any) -> tuple[Aliases, list[int]]:
    given = [(k, i) for k, i in enumerate(inputs) if isinstance(i, torch.Tensor)]
    versions = [i._version for _, i in given]
    no_symbols = mode.shape_env.ignore_fresh_unbacked_symbols() if mode.shape_env else contextlib.nullcontext()
    with mode, no_symbols, disable_proxy_modes_tracing(), facts_of_this_run(inputs):
        results = Interpreter(gm).run(*inputs)
    out = [(k, r) for k, r in enumerate(pytree.tree_leaves(results)) if isinstance(r, torch.Tensor)]
    changed = [k for (k, i), version in zip(given, versions, strict=True) if i._version != version]
    return (_shared(given), {k: j for k, i in given for j, r in out if _is_same(i, r)}, _shared(out)), changed


def _shared(tensors: list[tuple[int, torch.Tensor]]) -> dict[int, int]:
    return {k: j for n, (k, a) in enumerate(tensors) for j, b in tensors[n + 1 :] if _is_same(a, b)}


def _is_same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata
