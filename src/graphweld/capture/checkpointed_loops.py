"""Loops that keep little for their backward: what enters some trips, from which it computes the trips between again.

Nobody knows the number of trips before the last, so the trips are taken in segments of 1, 2, 3, ... trips. Of n trips
that makes about sqrt(2n) segments, none longer than that. What entered each segment is kept, and the backward keeps one
segment's trips at a time: in all sqrt(8n) times what is kept otherwise n times, for one more run of the body.
"""

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch._higher_order_ops.while_loop import while_loop_op
from torch.fx import GraphModule
from torch.utils.checkpoint import checkpoint

from graphweld.capture.differentiable import (
    Body,
    Keys,
    Run,
    Values,
    backward_of_run,
    float_cotangents,
    goes_on,
    is_float,
    run_stacking,
    zeros_for,
)


def run(body: GraphModule, carries: Values, extras: Values) -> tuple[Values, list[Values]]:
    """The loop as plain Python, where autograd records what happens: the carries in the end, and the rows."""
    count, rows = len(carries), list[Values]()

    def run_segment(length: int, *carries: Any) -> tuple[Values, list[Values]]:
        given: list[Values] = []
        while len(given) < length and not carries[0]:
            outs = tuple(body(*carries, *extras))
            carries = outs[:count]
            given.append(outs[count:])
        return carries, given

    for length in itertools.count(1):
        if carries[0]:
            break
        carries, given = checkpoint(run_segment, length, *carries, use_reentrant=False)
        rows += given
    return carries, rows


class CheckpointedLoop(torch.autograd.Function):
    """The loop where a backend traces it, for a body that gives no rows."""

    @staticmethod
    def forward(ctx: Any, body: Body, count: int, *values: Any) -> Values:  # type: ignore[override]
        carries, extras = values[:count], values[count:]
        ctx.keys, ctx.body, ctx.carries, ctx.extras = Keys(), body, carries, extras
        ctx.wanted = [k for k, e in enumerate(extras) if is_float(e) and ctx.needs_input_grad[2 + count + k]]

        def run_segment(*args: Any) -> Values:
            carries, length, extras = args[:count], args[count], args[count + 1 :]
            start = (carries[0].clone(), *carries, length.clone())
            _, *after, _ = while_loop_op(goes_on, _of_segment(body.forward, count), start, extras)
            return (*after, length + 1)

        first = torch.ones((), dtype=torch.int64)
        ctx.segments, outs, stacks = run_stacking(run_segment, (*carries, first), extras, ())
        ctx.stacks, outs = stacks[:count], outs[:count]
        ctx.mark_non_differentiable(*(out for out in outs if not is_float(out)))
        return outs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Values:  # type: ignore[override]
        body, count, wanted, keys = ctx.body, len(ctx.carries), ctx.wanted, ctx.keys
        floats = [k for k, c in enumerate(ctx.carries) if is_float(c)]
        sums = (zeros_for(ctx.extras[k]) for k in wanted)
        starts = (ctx.segments - 1, *float_cotangents(grads, ctx.carries), *sums)

        def goes_back(segment: torch.Tensor, *_: Any) -> torch.Tensor:
            return segment >= 0

        def step(segment: torch.Tensor, *args: Any) -> Values:
            cotangents, sums = args[: len(floats)], args[len(floats) : len(starts) - 1]
            rest = args[len(starts) - 1 :]
            before = (segment - 1).clamp(min=0).item()
            torch._check(before >= 0)
            torch._check(before < rest[count].size(0))
            pairs = zip(rest[:count], rest[count : 2 * count], strict=True)
            entered = tuple(torch.where(segment == 0, c, stack.select(0, before)) for c, stack in pairs)
            extras = rest[2 * count :]
            start = (entered[0].clone(), *entered, segment + 1)
            trips, _, stacks = run_stacking(_of_segment(body.forward, count), start, extras, ())
            trace = Run(trips, entered, stacks[1 : 1 + count], extras)
            ins, outs = backward_of_run(keys, body, trace, cotangents, sums, wanted)
            return (segment - 1, *(ins[k] for k in floats), *(outs[k] for k in wanted))

        args = (*starts, *ctx.carries, *ctx.stacks, *ctx.extras)
        _, *final = while_loop_op(keys.trace(goes_back, args), keys.trace(step, args), starts, args[len(starts) :])
        ins = dict(zip(floats, final[: len(floats)], strict=True))
        outs = dict(zip(wanted, final[len(floats) :], strict=True))
        return (None, None, *(ins.get(k) for k in range(count)), *(outs.get(k) for k in range(len(ctx.extras))))


def _of_segment(body: Callable[..., Any], count: int) -> Callable[..., Values]:
    """A body that stops where its carries say so, or after as many trips as its last carry says are left."""

    def step(_: torch.Tensor, *args: Any) -> Values:
        after, left = body(*args[:count], *args[count + 1 :]), args[count] - 1
        return (torch.logical_or(after[0], left == 0), *after, left)

    return step
