"""What torch alone makes of a call, measured in a child process that ends behind it.

The child is a copy of this process in its present state, so the arguments, the module's weights and the random numbers
are those of the call, and what the call changes is gone with the child.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from graphweld.capture.breaks import Counter, first_obstacle, measure
from graphweld.report.model import Phase
from graphweld.targets.explain import phase_of

_SECONDS = 120.0
_PIECE = 1 << 16


def measured_apart(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], plain_compile: Callable[..., Any], dynamic: bool | None
) -> Phase | None:
    """Graphs and breaks of `torch.compile` alone; None where it cannot be told.

    Not where there is no fork, nor with CUDA, whose state does not live on in a child.
    """
    if not hasattr(os, "fork") or torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return None
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads; a child that hangs is ended
        child = os.fork()
    if child == 0:
        os.close(read)
        _in_child(write, lambda: _phase(target, args, kwargs, plain_compile, dynamic))
    os.close(write)
    try:
        told = _read(read, time.monotonic() + _SECONDS)
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)  # it has ended, or it hangs
        os.waitpid(child, 0)
    found: Phase | None = pickle.loads(told) if told else None
    return found


def _in_child(write: int, work: Callable[[], Phase | None]) -> NoReturn:
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        sys.stdout = sys.stderr = open(nowhere, "w", encoding="utf-8")
        torch.set_num_threads(1)  # the pool's other threads are not in the child
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(work(), pipe)
    finally:
        os._exit(0)


def _phase(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], plain_compile: Callable[..., Any], dynamic: bool | None
) -> Phase | None:
    torch.compile = plain_compile
    torch.compiler.reset()
    counter = Counter()
    found = measure(plain_compile(target, backend=counter, dynamic=dynamic), args, kwargs, counter)
    if found.error is not None:
        return None  # the program's own, or autograd's about the fork: the run itself tells
    obstacle = None
    if not found.breaks and found.graphs != 1:
        torch.compiler.reset()
        obstacle = first_obstacle(plain_compile(target, fullgraph=True, backend="eager", dynamic=dynamic), args, kwargs)
    return phase_of(found, () if obstacle is None else (obstacle,), target)


def _read(pipe: int, until: float) -> bytes:
    """All that comes out of a pipe; nothing where it is not closed in time."""
    pieces: list[bytes] = []
    while (left := until - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        piece = os.read(pipe, _PIECE)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return b""
