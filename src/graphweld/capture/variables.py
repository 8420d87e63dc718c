"""Small steps on Dynamo's variables, so that the rest of `capture` reads as Python."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import get_specialized_props, infer_subclass_type
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.lists import TupleVariable
from torch._dynamo.variables.tensor import NumpyNdarrayVariable, SymNodeVariable, TensorVariable
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable
from torch.fx import Node, Proxy
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, statically_known_true

from graphweld.runtime.undefined import UNDEFINED

Tx = InstructionTranslatorBase
Thunk = Callable[[], VariableTracker]
State = list[VariableTracker]  # the values of a loop's names, in order


class DecidedByData(VariableTracker):
    """A variable of our own kind whose truth is not known while tracing."""

    def predicate(self, tx: Tx) -> VariableTracker:
        """Its truth: a constant, or a 0-d bool tensor."""
        raise NotImplementedError

    def export(self, join: Any, region: Any) -> Thunk:
        """How to get at it behind the branch `join`, of which `region` made it."""
        raise NotImplementedError


def constant(value: Any) -> VariableTracker:
    return ConstantVariable.create(value)


def build(tx: Tx, value: Any) -> VariableTracker:
    """A variable for a plain Python value, or the variable itself."""
    if isinstance(value, VariableTracker):
        return value
    if isinstance(value, (tuple, list)):
        return TupleVariable([build(tx, item) for item in value])
    if ConstantVariable.is_literal(value):
        return constant(value)
    return VariableTracker.build(tx, value)


def call(tx: Tx, fn: Any, *args: Any, **kwargs: Any) -> VariableTracker:
    """Trace `fn(*args, **kwargs)`."""
    return VariableTracker.build(tx, fn).call_function(
        tx, [build(tx, a) for a in args], {k: build(tx, v) for k, v in kwargs.items()}
    )


def method(tx: Tx, receiver: VariableTracker, name: str, *args: Any, **kwargs: Any) -> VariableTracker:
    """Trace `receiver.name(*args, **kwargs)`."""
    return receiver.call_method(tx, name, [build(tx, a) for a in args], {k: build(tx, v) for k, v in kwargs.items()})


@contextmanager
def in_outermost_graph(tx: Tx) -> Iterator[None]:
    """Add nodes to the program's own graph, whichever region is being traced."""
    tx.output.tracers.append(tx.output.root_tracer)
    try:
        yield
    finally:
        tx.output.tracers.pop()


def existing(tx: Tx, proxy: Proxy) -> VariableTracker:
    """A variable for a node that is in a graph already."""
    value = proxy.node.meta["example_value"]
    source = getattr(proxy.node.meta.get("grapharg"), "source", None) if proxy.node.op == "placeholder" else None
    if not isinstance(value, torch.Tensor):
        return SymNodeVariable(proxy, value, source=source)
    return TensorVariable(
        proxy, source=source, **get_specialized_props(TensorVariable, tx, value, infer_subclass_type(value))
    )


def example(vt: VariableTracker) -> Any:
    """The fake tensor or symbolic number a variable stands for."""
    return vt.as_proxy().node.meta["example_value"]


def node_of(vt: VariableTracker) -> Node:
    node: Node = vt.as_proxy().node
    return node


def is_tensor(vt: VariableTracker) -> bool:
    return isinstance(vt, TensorVariable)


def is_array(vt: VariableTracker) -> bool:
    """Whether a value is an array of NumPy's, which the graph has as a tensor."""
    return isinstance(vt, NumpyNdarrayVariable)


def as_array(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """The array of NumPy's for a tensor that stands for one."""
    props = get_specialized_props(NumpyNdarrayVariable, tx, example(vt), torch.Tensor)
    return NumpyNdarrayVariable(vt.as_proxy(), **props)


def is_data_number(vt: VariableTracker) -> bool:
    """A Python number that came out of a tensor; a dynamic size is not one."""
    return isinstance(vt, SymNodeVariable) and bool(free_unbacked_symbols(vt.sym_num))


def is_data_float(vt: VariableTracker) -> bool:
    """A Python float that came out of a tensor, a NaN or an infinity maybe."""
    return is_data_number(vt) and isinstance(vt.sym_num, torch.SymFloat)  # type: ignore[attr-defined]


def is_number(vt: VariableTracker) -> bool:
    return isinstance(vt, SymNodeVariable) or (
        isinstance(vt, ConstantVariable) and type(vt.value) in (int, float, bool)
    )


def is_undefined(vt: VariableTracker) -> bool:
    return isinstance(vt, UserDefinedObjectVariable) and vt.value is UNDEFINED


def same_size(a: Any, b: Any) -> bool:
    return a is b or bool(statically_known_true(a == b))


def tracer_of(proxy: Proxy) -> Any:
    return proxy.tracer


def proxies_in(vt: VariableTracker) -> Iterator[Proxy]:
    """Every proxy reachable from a variable."""
    found: list[Proxy] = []

    def visit(v: VariableTracker) -> None:
        proxy = v.__dict__.get("proxy")
        if isinstance(proxy, Proxy):
            found.append(proxy)

    VariableTracker.visit(visit, vt)
    return iter(found)


def storage_key(fake: torch.Tensor) -> int | None:
    """Equal for tensors that share memory; None where torch cannot tell."""
    try:
        return int(fake.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return None


def is_dense(fake: torch.Tensor) -> bool:
    """Whether a tensor fills its memory; the operators return no other."""
    return fake.layout is not torch.strided or bool(torch._prims_common.is_non_overlapping_and_dense_or_false(fake))


def is_same_object(a: VariableTracker, b: VariableTracker) -> bool:
    """Whether two tensor variables are one tensor, perhaps changed in place between them."""
    left, right = example(a), example(b)
    return left is right or (
        storage_key(left) == storage_key(right)
        and left.storage_offset() == right.storage_offset()
        and left.shape == right.shape
        and left.stride() == right.stride()
    )
