"""What an operator asks of sizes that the data decides, in the tracer's run of it, where torch has no answer.

    F.interpolate(x, size=(h, w))      is h > 0? If not, it raises       a check in front, and from there on a fact
    torch.cdist(x[mask], y)            are there rows? One shape either way       nothing: it sees for itself
    x[mask].max()                      nothing, and it raises                 a check in front, as a backend has none

Both answers are tried. Where one of them is an exception, the program raises it there; where both give a tensor of one
type, the question is no matter of the graph.
"""

import functools
import itertools
import logging
import operator
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sympy  # type: ignore[import-untyped]
import torch
from torch._dynamo import exc
from torch._dynamo.utils import set_example_value
from torch._dynamo.variables import builder
from torch._dynamo.variables.base import VariableTracker
from torch._ops import HigherOrderOperator
from torch._refs import _broadcast_shapes
from torch.fx import Node, Proxy
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv, uninteresting_files
from torch.utils import _pytree as pytree

from graphweld.capture.fillers import find_symbol
from graphweld.capture.predicates import negate, predicate, truth
from graphweld.capture.raises import emit_check
from graphweld.capture.sites import trace_of
from graphweld.capture.size_facts import facts_forgotten
from graphweld.capture.tensor_types import is_sized_by_data, same_type
from graphweld.capture.variables import Tx, call, constant, existing, is_data_number, method, same_size

MOST = 8  # questions of one operator
LOG = logging.getLogger("torch._subclasses.fake_tensor")
OPERATIONS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Mul": operator.mul,
    "FloorDiv": operator.floordiv,
    "CleanDiv": operator.floordiv,
    "PythonMod": operator.mod,
    "Mod": operator.mod,
    "Equality": operator.eq,
    "Unequality": operator.ne,
    "StrictLessThan": operator.lt,
    "LessThan": operator.le,
    "StrictGreaterThan": operator.gt,
    "GreaterThan": operator.ge,
}  # of sympy's and torch's classes of expressions
OF_SOME_ITEMS = ("max", "min", "amax", "amin", "aminmax", "argmax", "argmin")  # raise where there are none
MOST_FRAMES = 16  # between torch's question and what answers it
Answers = dict[sympy.Basic, bool]
Run = Callable[[], Any]


class Raises(Exception):
    """An answer with which an operator raises this."""

    def __init__(self, exception: type[Exception]) -> None:
        self.exception = exception


def hook_questions() -> None:
    """Have what torch cannot answer be answered. Once a process."""
    evaluate_expr, get_fake_value = ShapeEnv.evaluate_expr, builder.get_fake_value

    @functools.wraps(evaluate_expr)
    def evaluate(self: Any, orig_expr: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return evaluate_expr(self, orig_expr, *args, **kwargs)
        except GuardOnDataDependentSymNode as error:
            answer = getattr(self, "gw_answers", {}).get(orig_expr)
            if answer is None and _is_negative_size(orig_expr):
                answer = False
            if answer is None:
                error.gw_asked = getattr(error, "gw_asked", orig_expr)  # type: ignore[attr-defined]
                raise
            return sympy.true if answer else sympy.false

    @functools.wraps(get_fake_value)
    def fake_value(node: Node, tx: Tx, allow_non_graph_fake: bool = False) -> Any:
        run = lambda: get_fake_value(node, tx, allow_non_graph_fake)  # noqa: E731
        if len(node.args) == 1 and not node.kwargs and trace_of(tx) is not None and not tx.output.export:
            _check_items(tx, node)
        try:
            return run()
        except exc.UserError as error:
            if trace_of(tx) is None or node.graph is not tx.output.current_tracer.graph or not _can_be_tried(node):
                raise
            return _answered(tx, node, run, error)

    uninteresting_files().add(__file__)  # of which a message is to name none
    ShapeEnv.evaluate_expr = evaluate  # type: ignore[method-assign]
    builder.get_fake_value = fake_value


def _is_negative_size(asked: sympy.Basic) -> bool:
    """Whether torch asks if what it broadcasts has a size below 0, as it cannot tell of `x[1:]`."""
    if not isinstance(asked, sympy.Lt) or asked.rhs != 0:
        return False
    frames = itertools.islice(traceback.walk_stack(None), MOST_FRAMES)
    return any(frame.f_code is _broadcast_shapes.__code__ for frame, _ in frames)


def _check_items(tx: Tx, node: Node) -> None:
    """Raise in front of a reduction of a tensor of which the data decides whether it has any items."""
    name, tensor = getattr(node.target, "__name__", node.target), node.args[0]
    if name not in OF_SOME_ITEMS or not isinstance(tensor, Node):
        return
    fake = tensor.meta.get("example_value")
    if isinstance(fake, torch.Tensor) and is_sized_by_data(fake):
        with node.graph.inserting_before(node):
            items = method(tx, existing(tx, Proxy(tensor, tx.output.current_tracer)), "numel")
            emit_check(tx, truth(tx, call(tx, operator.eq, items, 0)), RuntimeError)


def _can_be_tried(node: Node) -> bool:
    """Whether it is an operator of torch's, of which a second run does not find what the first one left."""
    if isinstance(node.target, str):
        name = node.target
    else:
        name = getattr(node.target, "__name__", "")
        if node.target.__module__.startswith("graphweld.") or isinstance(node.target, HigherOrderOperator):
            return False  # a region asks within
    return "out" not in node.kwargs and (not name.endswith("_") or name.endswith("__"))


def _answered(tx: Tx, node: Node, run: Run, error: Exception) -> Any:
    """What an operator gives, with checks in front of it for all that it raises."""
    shapes, answers = tx.output.shape_env, Answers()
    while (asked := _asked(error)) is not None and len(answers) < MOST:
        sides = [_tried(tx, run, {**answers, asked: answer}) for answer in (True, False)]
        raising = [isinstance(side, Raises) for side in sides]
        if any(raising):
            if all(raising) or answers or not _check(tx, node, asked, raising[0], sides[raising[1]].exception):
                raise error
        elif sides[0] is None or sides[1] is None or not _same(*sides):
            raise error
        else:
            answers[asked] = False
        try:
            with _answering(shapes, answers):
                return run()
        except exc.UserError as again:
            error = again
    raise error


def _tried(tx: Tx, run: Run, answers: Answers) -> Any:
    """What an operator gives with some answers, or how it raises; None where what it asks next makes a difference."""
    shapes = tx.output.shape_env
    fresh = list(shapes.pending_fresh_unbacked_symbols)
    LOG.disabled = True  # it tells of what raises
    try:
        with facts_forgotten(shapes), _answering(shapes, answers):
            return run()
    except exc.TorchRuntimeError as error:
        exception = _exception_of(error)
        return None if exception is AssertionError else Raises(exception)  # torch's own, of something unforeseen
    except exc.UserError as error:
        asked = _asked(error)
        if asked is None or len(answers) >= MOST:
            return None
        sides = [_tried(tx, run, {**answers, asked: answer}) for answer in (True, False)]
        if all(isinstance(side, Raises) for side in sides):
            return sides[0]
        return sides[0] if not any(s is None or isinstance(s, Raises) for s in sides) and _same(*sides) else None
    finally:
        LOG.disabled = False
        shapes.pending_fresh_unbacked_symbols[:] = fresh


def _check(tx: Tx, node: Node, asked: sympy.Rel, raises: bool, exception: type[Exception]) -> bool:
    """Raise in front of an operator where the answer to what it asks is `raises`; whether that can be told."""
    with node.graph.inserting_before(node):
        fact = _variable(tx, asked.negated if raises else asked)
        if fact is None or not is_data_number(fact):
            return False
        emit_check(tx, negate(tx, predicate(tx, fact)), exception)
        proxy = tx.output.create_proxy("call_function", torch._check, (fact.as_proxy(),), {})
        set_example_value(proxy.node, None)
    torch._check(fact.sym_num)  # type: ignore[attr-defined]
    return True


def _variable(tx: Tx, expression: sympy.Basic) -> VariableTracker | None:
    """A number or comparison that is made of sizes which the graph has."""
    if expression.is_Symbol:
        size: Any = tx.output.shape_env.create_symintnode(expression, hint=None)
        return find_symbol(tx, size)
    if expression.is_Integer:
        return constant(int(expression))
    operation = OPERATIONS.get(type(expression).__name__)
    parts = [_variable(tx, part) for part in expression.args]
    if operation is None or any(part is None for part in parts):
        return None
    return functools.reduce(lambda a, b: call(tx, operation, a, b), parts)


@contextmanager
def _answering(shapes: Any, answers: Answers) -> Iterator[None]:
    before = getattr(shapes, "gw_answers", {})
    shapes.gw_answers = answers
    try:
        yield
    finally:
        shapes.gw_answers = before


def _asked(error: BaseException) -> sympy.Rel | None:
    """The question that a trace stopped at, if it was one whether something holds."""
    from graphweld.capture.program import chain

    found = next((e.gw_asked for e in chain(error) if hasattr(e, "gw_asked")), None)
    return found if isinstance(found, sympy.Rel) else None


def _exception_of(error: BaseException) -> type[Exception]:
    """What an operator raised in the tracer's run of it."""
    from graphweld.capture.program import chain

    own = (type(e) for e in chain(error) if type(e).__module__ == "builtins" and isinstance(e, Exception))
    return next(reversed([*own]), RuntimeError)


def _same(a: Any, b: Any) -> bool:
    """Whether one graph output can stand for what both answers gave."""
    left, how = pytree.tree_flatten(a)
    right, as_well = pytree.tree_flatten(b)
    return how == as_well and all(map(_same_leaf, left, right))


def _same_leaf(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return same_type(a, b)
    return type(a) is type(b) and isinstance(a, (int, torch.SymInt)) and same_size(a, b)
