"""The If and Loop nodes of a captured graph, with gradients of our own.

    branch(pred, then, orelse, operands)       ->  then(*operands) if pred else orelse(*operands)
    loop(body, carries, extras, rows)          ->  while not carries[0]: *carries, row = body(*carries, *extras)

What a body returns beyond its carries is one row for each trip; behind the loop the rows are stacked. `rows` are
tensors like them, for a loop that runs zero times.

A backend that runs the graph as it is runs exactly these lines, and autograd records what they do. A backend that
traces the graph again (AOTAutograd, export) gets torch's operators `cond` and `while_loop`, under autograd rules
written here, because torch's own are wrong in several ways (2.13.0, 2.14.1; shared notes, rows DIFF): a loop that runs
zero times, parameters where the first carry needs no gradient, an integer beside a float, outputs whose size the data
decides.

The backward of a branch is a branch on the same predicate over the two sides' vector-Jacobian products. The backward of
a loop is a loop from the last trip to the first. It recomputes each trip from the carries that entered it, which the
forward loop has stacked, so memory grows by the carries' size for each trip.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._higher_order_ops.while_loop import while_loop_op, while_loop_stack_output_op
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.fx import GraphModule
from torch.utils._python_dispatch import TorchDispatchMode

from graphweld.capture import draws, sites
from graphweld.capture.gradients_inside import Keys, computed
from graphweld.capture.inductor_faults import keep_backend_from_faults
from graphweld.capture.retraced import Checks, as_captured

CHECKS = {torch.ops.aten._linalg_check_errors.default, torch.ops.aten._assert_async.msg}
cond_op: HigherOrderOperator = torch.ops.higher_order.cond
Values = tuple[Any, ...]


def branch(pred: torch.Tensor, then: GraphModule, orelse: GraphModule, operands: Values) -> Values:
    """Run one of two regions."""
    if not is_traced(pred):
        return tuple((then if pred else orelse)(*operands))
    keep_backend_from_faults()
    if not _needs_gradient(operands):
        both = [computed(as_captured(side), side, operands) for side in (then, orelse)]
        return tuple(cond_op(pred, *both, operands))
    sides = _Sides.of(then, orelse, operands)
    return tuple(_Branch.apply(pred, sides, *operands)[: sides.outputs])


def select(pred: torch.Tensor, then: torch.Tensor, orelse: torch.Tensor) -> torch.Tensor:
    """One of two tensors of one type, both computed; a tensor of its own."""
    return torch.where(pred, then, orelse) if is_traced(pred) else (then if pred else orelse).clone()


def loop(body: GraphModule, carries: Values, extras: Values, rows: Values = (), checkpoint: bool = False) -> Values:
    """Run a region on its own results until the first of them, a 0-d bool tensor, is true; then the stacked rows.

    With `checkpoint`, less is kept for the backward, as `checkpointed_loops` tells.
    """
    from graphweld.capture import checkpointed_loops

    count = len(carries)
    if not is_traced(carries[0]):
        found: list[Values] = []
        if carries[0]:
            carries = tuple(c.clone() for c in carries)  # results are never the operands: the operators promise as much
        if checkpoint and _needs_gradient((*carries, *extras)):
            carries, found = checkpointed_loops.run(body, carries, extras)
        while not carries[0]:
            outs = tuple(body(*carries, *extras))
            carries = outs[:count]
            found.append(outs[count:])
        stacks = [torch.stack(column) for column in zip(*found, strict=True)]
        return (*carries, *(stacks if found else (row.new_empty((0, *row.shape)) for row in rows)))
    keep_backend_from_faults()
    if not _needs_gradient((*carries, *extras)):
        run = computed(as_captured(body, carries), body, (*carries, *extras))
        if not rows:
            return tuple(while_loop_op(goes_on, run, carries, extras))
        _, outs, stacks = run_stacking(run, carries, extras, rows)
        return (*outs, *stacks[count:])
    split = Body.of(body, carries, extras)
    if checkpoint and not rows and not split.drawn:
        return tuple(checkpointed_loops.CheckpointedLoop.apply(split, count, *carries, *extras))
    return tuple(_Loop.apply(split, count, len(rows), *carries, *rows, *extras))


def run_stacking(
    body: Callable[..., Any], carries: Values, extras: Values, rows: Values
) -> tuple[torch.Tensor, Values, list[torch.Tensor]]:
    """The number of trips, what the carries are in the end, and what each carry and row was after each trip, stacked.

    Of a loop that runs zero times the operator gives the start values as the only row, which the rows must not have.
    """
    count = len(carries)

    def step(trips: torch.Tensor, *args: Any) -> Values:
        return (trips + 1, *body(*args[:count], *args[count + len(rows) :]))

    def goes_on(trips: torch.Tensor, stop: torch.Tensor, *_: Any) -> torch.Tensor:
        return torch.logical_not(stop)

    trips = torch.zeros((), dtype=torch.int64)
    with torch._C._AutoDispatchBelowAutograd():
        trips, *stacks = while_loop_stack_output_op(goes_on, step, (trips, *carries, *rows), extras)
    _forget_fresh_size(trips)
    outs = tuple(stack[-1].clone() for stack in stacks[:count])
    if len(stacks) > count:
        ran = trips[-1].clone().item()  # of a part at a place of the data, torch stops where it traces this again
        torch._check(ran >= 0)
        torch._check(ran <= trips.size(0))
        stacks[count:] = [_first_rows(stack, ran) for stack in stacks[count:]]
    return trips[-1], outs, stacks


def _first_rows(stack: torch.Tensor, count: Any) -> torch.Tensor:
    """As many rows. Inductor makes `narrow` anew, of a size that it does not know for that number."""
    if torch.compiler.is_exporting():
        return stack.narrow(0, 0, count)
    return stack.as_strided((count, *stack.shape[1:]), stack.stride())


def goes_on(stop: torch.Tensor, *_: Any) -> torch.Tensor:
    return torch.logical_not(stop)


def is_traced(value: torch.Tensor) -> bool:
    """Whether a graph is being traced, and not run."""
    return isinstance(value, (FakeTensor, FunctionalTensor))


def _needs_gradient(values: Values) -> bool:
    if torch.compiler.is_exporting() and not _asks_gradients():
        return False  # an exported program holds torch's operators, and what they do for gradients
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)


def _asks_gradients() -> bool:
    """Whether the program that is exported asks for gradients itself: of those it holds what computes them.

    torch's rules (2.13) would leave it a stand-in for what a loop kept of its trips.
    """
    trace = sites.running()
    return trace is not None and trace.asks_gradients


def is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


class _Unchecked(TorchDispatchMode):
    """Leaves out the checks of a region that is computed again: its first run has passed them.

    They are effects, for which AOTAutograd has no place in a sub-graph of a backward.
    """

    supports_higher_order_operators = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return None if func in CHECKS else func(*args, **(kwargs or {}))


def vjp(
    region: Callable[..., Any], inputs: Sequence[Any], wanted: Sequence[int], cotangents: Sequence[Any]
) -> list[Any]:
    """Gradients of a region's float outputs, weighted by `cotangents`, for the inputs at `wanted`; zeros for none.

    All are contiguous: the operators want one layout from either side, and on every trip.
    """
    xs = list(inputs)
    for k in wanted:
        xs[k] = xs[k].detach().requires_grad_(True)
    with _Unchecked():
        outs = [out for out in region(*xs) if is_float(out)]
    weighed = [(out, _fit(g, out)) for out, g in zip(outs, cotangents, strict=True) if out.requires_grad]
    asked = [xs[k] for k in wanted]
    if not weighed or not asked:
        return [zeros_for(x) for x in asked]
    heads, weights = zip(*weighed, strict=True)
    grads = torch.autograd.grad(heads, asked, weights, allow_unused=True)
    pairs = zip(asked, grads, strict=True)
    return [zeros_for(x) if g is None else g.clone(memory_format=torch.contiguous_format) for x, g in pairs]


def zeros_for(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(x, memory_format=torch.contiguous_format)


def _fit(cotangent: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """A cotangent in the size that this side gives its output, where the sides differ."""
    if all(a is b or a == b for a, b in zip(cotangent.shape, out.shape, strict=True) if isinstance(a, int)) and all(
        isinstance(a, int) for a in cotangent.shape
    ):
        return cotangent
    return cotangent.as_strided(out.size(), out.stride())


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both sides of a branch, as they run forward and as the backward computes them again.

    Forward, each gives its outputs, what it drew, and fillers for what the other draws. Backward, each takes both.
    """

    forward: tuple[Callable[..., Any], Callable[..., Any]]
    again: tuple[Callable[..., Any], Callable[..., Any]]
    outputs: int

    @classmethod
    def of(cls, then: GraphModule, orelse: GraphModule, operands: Values) -> "_Sides":
        outputs = len(next(n for n in then.graph.nodes if n.op == "output").args[0])
        splits = draws.split(then), draws.split(orelse)
        drawn = [s.draws if s else () for s in splits]
        sides = [s.giving if s else side for s, side in zip(splits, (then, orelse), strict=True)]
        forward = [computed(as_captured(side), side, operands) for side in sides]
        count = len(drawn[0])

        def run_then(*args: Any) -> Values:
            return (*forward[0](*args), *_fillers(drawn[1]))

        def run_else(*args: Any) -> Values:
            given = forward[1](*args)
            return (*given[:outputs], *_fillers(drawn[0]), *given[outputs:])

        def again_then(args: Values, drew: Values) -> Any:
            return splits[0].taking(*args, *drew[:count]) if splits[0] else then(*args)

        def again_else(args: Values, drew: Values) -> Any:
            return splits[1].taking(*args, *drew[count:]) if splits[1] else orelse(*args)

        return cls((run_then, run_else), (again_then, again_else), outputs)


def _fillers(like: Values) -> Values:
    return tuple(torch.zeros(tuple(d.shape), dtype=d.dtype, device=d.device) for d in like)


@dataclass(frozen=True, slots=True)
class Body:
    """A loop's body, as it runs forward, with what it draws as further rows, and as the backward takes those."""

    forward: Callable[..., Any]
    again: Callable[..., Any]
    drawn: Values

    @classmethod
    def of(cls, body: GraphModule, carries: Values, extras: Values) -> "Body":
        split = draws.split(body)
        giving = split.giving if split else body
        forward = computed(as_captured(giving, carries), giving, (*carries, *extras))
        if split is None:
            return cls(forward, lambda args, _: body(*args), ())
        return cls(forward, lambda args, drew: split.taking(*args, *drew), split.draws)


class _Branch(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, pred: torch.Tensor, sides: _Sides, *operands: Any) -> Values:  # type: ignore[override]
        ctx.keys, ctx.pred, ctx.sides, ctx.operands = Keys(), pred, sides, operands
        ctx.wanted = [k for k, o in enumerate(operands) if is_float(o) and ctx.needs_input_grad[2 + k]]
        with torch._C._AutoDispatchBelowAutograd():
            outs = tuple(cond_op(pred, *sides.forward, operands))
        ctx.drew = outs[sides.outputs :]
        ctx.mark_non_differentiable(*ctx.drew, *(out for out in outs[: sides.outputs] if not is_float(out)))
        ctx.differentiable = [k < sides.outputs and is_float(out) for k, out in enumerate(outs)]
        return outs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Values:  # type: ignore[override]
        given = [g for g, keep in zip(grads, ctx.differentiable, strict=True) if keep]
        # Of `a + b` both get one tensor, and of `stack` views of one: the operator allows neither.
        given = [g.contiguous() if len(given) == 1 else _own(g) for g in given]
        count, wanted, ndrew = len(ctx.operands), ctx.wanted, len(ctx.drew)

        def backward_of(side: Callable[..., Any]) -> Callable[..., Any]:
            def run(*args: Any) -> Any:
                drew, weights = args[count : count + ndrew], args[count + ndrew :]
                with Checks(are_made=False):
                    grads = vjp(lambda *inputs: side(inputs, drew), args[:count], wanted, weights)
                return [g.reshape(-1) if k in flat else g for k, g in zip(wanted, grads, strict=True)]

            return run

        # The operator compares its outputs' strides, and cannot where a size is the data's: those gradients leave flat.
        flat = {k for k in wanted if any(isinstance(n, torch.SymInt) for n in ctx.operands[k].shape)}
        args = (*ctx.operands, *ctx.drew, *given)
        sides = [ctx.keys.trace(backward_of(side), args) for side in ctx.sides.again]
        found = dict(zip(wanted, cond_op(ctx.pred, *sides, args), strict=True))
        for k in flat:
            found[k] = _unflatten(found[k], ctx.operands[k].shape)
        return (None, None, *(found.get(k) for k in range(count)))


def _unflatten(flat: torch.Tensor, sizes: Sequence[Any]) -> torch.Tensor:
    strides: list[Any] = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * size)
    return flat.as_strided(tuple(sizes), tuple(strides[: len(sizes)]))


class _Loop(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, body: Body, count: int, nrows: int, *values: Any) -> Values:  # type: ignore[override]
        carries, rows, extras = values[:count], values[count : count + nrows], values[count + nrows :]
        ctx.keys, ctx.body, ctx.count, ctx.carries, ctx.extras = Keys(), body, count, carries, extras
        ctx.wanted = [k for k, e in enumerate(extras) if is_float(e) and ctx.needs_input_grad[3 + count + nrows + k]]
        ctx.trips, outs, stacks = run_stacking(body.forward, carries, extras, (*rows, *_fillers(body.drawn)))
        ctx.stacks, ctx.rows, ctx.drew = stacks[:count], stacks[count : count + nrows], stacks[count + nrows :]
        outs = (*outs, *(row.clone() for row in ctx.rows))
        ctx.mark_non_differentiable(*(out for out in outs if not is_float(out)))
        return outs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Values:  # type: ignore[override]
        wanted = ctx.wanted
        run = Run(ctx.trips, ctx.carries, ctx.stacks, ctx.extras, ctx.drew)
        of_rows = tuple(_own(g) for g, row in zip(grads[ctx.count :], ctx.rows, strict=True) if is_float(row))
        sums = tuple(zeros_for(ctx.extras[k]) for k in wanted)
        ins, outs = backward_of_run(
            ctx.keys, ctx.body, run, float_cotangents(grads, ctx.carries), sums, wanted, of_rows
        )
        return (None, None, None, *ins, *(None for _ in ctx.rows), *(outs.get(k) for k in range(len(ctx.extras))))


@dataclass(frozen=True, slots=True)
class Run:
    """What trips left for their backward: their number, what entered the first, and what each left, stacked."""

    trips: torch.Tensor
    carries: Values
    stacks: Sequence[torch.Tensor]
    extras: Values
    drew: Sequence[torch.Tensor] = ()


def float_cotangents(grads: Values, carries: Values) -> Values:
    return tuple(_own(g) for g, c in zip(grads, carries, strict=False) if is_float(c))


def _own(cotangent: torch.Tensor) -> torch.Tensor:
    return cotangent.clone(memory_format=torch.contiguous_format)


def backward_of_run(
    keys: Keys, body: Body, run: Run, cotangents: Values, sums: Values, wanted: list[int], of_rows: Values = ()
) -> tuple[list[Any], dict[int, Any]]:
    """Gradients of what entered the first trip, None where there is none, and of the extras at `wanted`.

    `cotangents` are those of the float carries in the end; the gradients of extras are added to `sums`.
    """
    count, ndrew = len(run.carries), len(run.drew)
    floats = [k for k, c in enumerate(run.carries) if is_float(c)]
    starts = (run.trips - 1, *cotangents, *sums)
    extras = (*of_rows, *run.carries, *run.stacks, *run.drew, *run.extras)

    def goes_on(trip: torch.Tensor, *_: Any) -> torch.Tensor:
        return trip >= 0

    def step(trip: torch.Tensor, *args: Any) -> Values:
        cotangents, sums = args[: len(floats)], args[len(floats) : len(floats) + len(wanted)]
        weights = args[len(floats) + len(wanted) :][: len(of_rows)]
        rest = args[len(floats) + len(wanted) + len(of_rows) :]
        # What entered a trip is what the trip before it left, and the start values for the first.
        at = (trip - 1).clamp(min=0).item()
        torch._check(at >= 0)
        torch._check(at < rest[count].size(0))
        first = trip == 0
        entered = zip(rest[:count], rest[count : 2 * count], strict=True)
        now = trip.clone().item()
        torch._check(now >= 0)
        torch._check(now < rest[count].size(0))
        drew = tuple(stack.select(0, now) for stack in rest[2 * count : 2 * count + ndrew])
        inputs = [*(torch.where(first, c, stack.select(0, at)) for c, stack in entered), *rest[2 * count + ndrew :]]
        of_row = [g.select(0, now) for g in weights]
        asked = [*floats, *(count + k for k in wanted)]
        with Checks(are_made=False):
            found = vjp(lambda *xs: body.again(xs, drew), inputs, asked, [*cotangents, *of_row])
        added = [total + new for total, new in zip(sums, found[len(floats) :], strict=True)]
        return (trip - 1, *found[: len(floats)], *added)

    args = (*starts, *extras)
    _, *final = while_loop_op(keys.trace(goes_on, args), keys.trace(step, args), starts, extras)
    ins = dict(zip(floats, final[: len(floats)], strict=True))
    return [ins.get(k) for k in range(count)], dict(zip(wanted, final[len(floats) :], strict=True))


def _forget_fresh_size(stack: torch.Tensor) -> None:
    """The number of rows is no output of the node, so that no node of the graph can bind its symbol."""
    rows = stack.size(0)
    if isinstance(rows, torch.SymInt):
        pending = rows.node.shape_env.pending_fresh_unbacked_symbols
        if rows.node.expr in pending:
            pending.remove(rows.node.expr)
    torch._check(rows >= 1)
