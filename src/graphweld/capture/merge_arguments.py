"""Operations of Python's own with an argument that the data decides: done for either alternative.

    mode = "up" if x.sum() > 0 else "down"
    torch.cat(rows, dim=k)        dim=0 or dim=1, where k is 0 or 1
    f"go {mode}"                  "go up" or "go down"
    getattr(self, mode)           self.up or self.down
    scales.get(mode)              scales.get("up") or scales.get("down")
    counts[mode] += 1             counts["up"] += 1 or counts["down"] += 1

What stores its argument as an item, as `rows.append(mode)` does, stores the merge. As a key it is one or the other.
"""

import operator
from collections.abc import Callable
from typing import Any

from torch._dynamo.symbolic_convert import InstructionTranslatorBase as Tx
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builtin import GetAttrBuiltinVariable, HasAttrBuiltinVariable, SetAttrBuiltinVariable
from torch._dynamo.variables.constant import ConstantVariable
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.lists import CommonListMethodsVariable, ListVariable, SizeVariable, TupleVariable
from torch._dynamo.variables.misc import AutogradFunctionVariable
from torch._dynamo.variables.sets import SetVariable
from torch._dynamo.variables.tensor import SymNodeVariable

from graphweld.capture.absence import settled
from graphweld.capture.conditionals import distribute, merge_in
from graphweld.capture.instructions import dispatch
from graphweld.capture.predicates import as_bool, is_data_dependent, truth
from graphweld.capture.regions import assumptions

# What takes numbers that torch wants to know when it traces: by keyword, and functions that take them by position.
KNOWN_NUMBERS = {"alpha", "axis", "beta", "correction", "diagonal", "dim", "dim0", "dim1", "end_dim", "start_dim"}
KNOWN_BOOLS = {"descending", "is_causal", "keepdim", "largest", "left", "sorted", "training", "unitriangular", "upper"}
TAKES_DIM = {
    "all", "amax", "amin", "any", "argmax", "argmin", "argsort", "cat", "cumprod", "cumsum", "diff", "flatten", "flip",
    "log_softmax", "logsumexp", "max", "mean", "median", "min", "movedim", "norm", "permute", "prod", "softmax", "sort",
    "squeeze", "stack", "std", "sum", "swapaxes", "transpose", "unbind", "unsqueeze", "var",
}  # fmt: skip
READING = {"get", "index", "count", "__getitem__", "__contains__"}
KEYED = frozenset(("__setitem__", "__delitem__", "pop", "setdefault", "add", "discard", "remove", "update"))


def hook_merge_arguments() -> None:
    """Put the hooks in place."""
    GetAttrBuiltinVariable.call_function = _by_name(GetAttrBuiltinVariable.call_function)  # type: ignore[method-assign]
    HasAttrBuiltinVariable.call_function = _by_name(HasAttrBuiltinVariable.call_function)  # type: ignore[method-assign]
    SetAttrBuiltinVariable.call_function = _by_name(SetAttrBuiltinVariable.call_function)  # type: ignore[method-assign]
    ConstantVariable.call_method = _reading(ConstantVariable.call_method)  # type: ignore[method-assign]
    TupleVariable.call_method = _reading(TupleVariable.call_method, READING)  # type: ignore[method-assign]
    AutogradFunctionVariable.call_method = _reading(AutogradFunctionVariable.call_method, {"apply"})  # type: ignore[method-assign]
    for container in (ConstDictVariable, CommonListMethodsVariable, SetVariable):
        container.call_method = _reading(container.call_method, READING, KEYED)  # type: ignore[method-assign]
    Tx.BUILD_STRING = _building(Tx.BUILD_STRING, lambda inst: [True] * inst.arg)  # type: ignore[method-assign]
    Tx.BUILD_SET = _building(Tx.BUILD_SET, lambda inst: [True] * inst.arg)  # type: ignore[method-assign]
    Tx.BUILD_MAP = _building(Tx.BUILD_MAP, lambda inst: [True, False] * inst.arg)  # type: ignore[method-assign]
    dispatch("BUILD_STRING", "BUILD_SET", "BUILD_MAP")


def _building(build: Any, decides: Callable[[Any], list[bool]]) -> Any:
    """An instruction that builds of the stack: for either alternative of the parts that decide what it builds."""

    def instruction(self: Any, inst: Any) -> None:
        does = decides(inst)
        self.push(_built(self, inst, self.popn(len(does)), does, build))

    return instruction


def _built(tx: Any, inst: Any, parts: list[VariableTracker], does: list[bool], build: Any) -> VariableTracker:
    merge = next((part for part, decides in zip(parts, does, strict=True) if decides and merge_in(part)), None)
    if merge is not None:

        def put(new: list[VariableTracker], _: Any) -> VariableTracker:
            return _built(tx, inst, [new[0] if part is merge else part for part in parts], does, build)

        return distribute(tx, [merge], {}, put)
    for part in parts:
        tx.push(part)
    build(tx, inst)
    return tx.pop()  # type: ignore[no-any-return]


def with_choices(tx: Tx, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Arguments of a function of torch; numbers it wants to know that are one constant or another, as merges.

    A number that is known on this path is a constant, such as the size of a tensor on the path on which it has that.
    """

    def choice(vt: VariableTracker) -> VariableTracker:
        return getattr(vt, "gw_choice", vt)

    if assumptions(tx):
        args, kwargs = [_known(tx, arg) for arg in args], {key: _known(tx, arg) for key, arg in kwargs.items()}
    kwargs = {key: _as_choice(tx, arg) if key in KNOWN_BOOLS else arg for key, arg in kwargs.items()}
    if name in TAKES_DIM:
        args = [choice(arg) for arg in args]
    if KNOWN_NUMBERS.isdisjoint(kwargs):
        return args, kwargs
    return args, {key: choice(arg) if key in KNOWN_NUMBERS else arg for key, arg in kwargs.items()}


def _as_choice(tx: Tx, vt: VariableTracker) -> VariableTracker:
    """A bool that the data decides, as True or False."""
    vt = vt.realize()
    return as_bool(truth(tx, vt)) if isinstance(vt, SymNodeVariable) and is_data_dependent(vt) else vt


def _known(tx: Tx, vt: VariableTracker) -> VariableTracker:
    if isinstance(vt, (ListVariable, TupleVariable, SizeVariable)):
        items = [_known(tx, item) for item in vt.items]
        return vt if all(map(operator.is_, items, vt.items)) else vt.clone(items=items, source=None)
    found = settled(tx, vt.gw_choice) if hasattr(vt, "gw_choice") else vt
    return found if isinstance(found, ConstantVariable) else vt


def _by_name(function: Any) -> Any:
    def call_function(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if len(args) > 1 and merge_in(args[1]) is not None:
            rest = [args[0], *args[2:]]
            return distribute(
                tx, [args[1]], {}, lambda new, _: call_function(self, tx, [rest[0], *new, *rest[1:]], kwargs)
            )
        return function(self, tx, args, kwargs)

    return call_function


def _reading(method: Any, names: set[str] | None = None, keyed: frozenset[str] = frozenset()) -> Any:
    """A method for either alternative: of any argument of `names`, of the first alone of `keyed`."""

    def call_method(self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
        if name in keyed and args and merge_in(args[0]) is not None:
            return distribute(tx, [args[0]], {}, lambda new, _: call_method(self, tx, name, [*new, *args[1:]], kwargs))
        if (names is None or name in names) and any(map(merge_in, (*args, *kwargs.values()))):
            return distribute(tx, list(args), kwargs, lambda new, named: call_method(self, tx, name, new, named))
        return method(self, tx, name, args, kwargs)

    return call_method
