"""An FX graph as a picture: one that Dynamo captured, or that of an exported program, with the regions of its nodes.

What only carries a value from one form to another (a number into a tensor and back, a copy that no line of the user's
asks for, an item of a tuple) is not shown: its value is that of what it was made from.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import groupby, zip_longest
from typing import Any

import torch
from torch.fx import GraphModule, Node

from graphweld.view.assembly import Assembly, Held, Ids
from graphweld.view.fx_nodes import (
    carried_name,
    constant,
    flat,
    input_name,
    module_of,
    module_tensor,
    operator_of,
    outputs,
    place_of,
    placeholders,
    type_of,
    variable_of,
)
from graphweld.view.lines import header
from graphweld.view.model import MOST_AT_FIRST, Graph, NodeKind, Place

_SIGNS = {
    "add": "+", "iadd": "+", "sub": "-", "isub": "-", "mul": "*", "imul": "*", "truediv": "/", "div": "/",
    "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "and_": "&", "or_": "|", "xor": "^",
    "logical_and": "and", "logical_or": "or", "bitwise_and": "&", "bitwise_or": "|",
}  # fmt: skip
_NEUTRAL = {"add": 0, "mul": 1}
_COPIES = {"clone", "detach", "contiguous", "alias", "lift_fresh_copy"}
_NUMBERS = {"item", "_local_scalar_dense", "full", "scalar_tensor"}
_FACTS = {"_check", "_check_is_size", "sym_constrain_range_for_size", "_assert_scalar"}  # about sizes
_SCALARS = {"int", "bool", "i64[]", "b8[]"}
_EFFECTS = re.compile(r"^(?!__)\w+_$|assert|print|^setitem$")
_FEW = 3  # nodes that are not worth a box
Values = dict[Any, Any]  # by FX node: an id, a list of ids, a region, or Held


def graph_of(
    module: GraphModule, title: str, names: Sequence[str] = (), returned: Collection[int] | None = None
) -> Graph:
    """The picture of a graph that Dynamo captured.

    `names` are the user's for its inputs, in order. `returned` are the outputs that the program returns: others are for
    the Python behind the graph, and of these a flag, such as whether a loop ran at all, is not shown.
    """
    reader = Reader(is_large=_is_large(module))
    given = zip_longest(placeholders(module), names, fillvalue="")
    sources = reader.body(module, [reader.input_of(node, name) for node, name in given if isinstance(node, Node)])
    results = ((k, node) for k, node in enumerate(outputs(module)) if node is not None)
    for source, (k, node) in zip(sources, results, strict=True):
        if returned is None or k in returned:
            reader.made.output(source)
        elif type_of(node) not in _SCALARS:
            reader.made.node("output", "to Python", [source], is_root=True)
    return reader.made.finish(title)


def graph_of_program(program: torch.export.ExportedProgram, title: str) -> Graph:
    """The picture of an exported program."""
    signature, module = program.graph_signature, program.graph_module
    held = (
        signature.inputs_to_parameters,
        signature.inputs_to_buffers,
        signature.inputs_to_lifted_tensor_constants,
    )
    reader = Reader({name: tensor for part in held for name, tensor in part.items()}, is_large=_is_large(module))
    for source in reader.body(module, [reader.input_of(node) for node in placeholders(module)]):
        reader.made.output(source)
    return reader.made.finish(title)


class Reader:
    """Reads one graph, or several that share one picture. `held` names placeholders that are a module's tensors."""

    def __init__(self, held: Mapping[str, str] | None = None, *, is_large: bool = False) -> None:
        self.made = Assembly()
        self._held = held or {}
        self._is_large = is_large
        self._negated: dict[str, str] = {}  # what `logical_not` was applied to, by the id of its result

    def input_of(self, node: Node, name: str = "", known: str | None = None, source: str | None = None) -> str | Held:
        """A placeholder of a whole graph: a module's tensor, an input, a value that is `known`, or from a `source`."""
        held = self._held.get(node.name) or module_tensor(node)
        if held:
            return Held(held, type_of(node))
        if known is not None:
            return known
        kind: NodeKind = "input" if source is None else "kept"
        name = name or input_name(node)
        return self.made.node(kind, name, [] if source is None else [source], name=name, detail=type_of(node))

    def body(self, module: GraphModule, inputs: Sequence[str | Held | None]) -> Ids:
        """What a graph computes, in the region that is open; the ids of what it gives."""
        env: Values = dict(zip(placeholders(module), inputs, strict=False))
        for node in module.graph.find_nodes(op="get_attr"):
            value: Any = operator.attrgetter(str(node.target))(module)
            env[node] = value if _is_region(value) else Held(str(node.target), type_of(value))
        self._values(env, [node for node in module.graph.nodes if node.op.startswith("call")], 1)
        return [self._id(env, value) for value in outputs(module) if value is not None]

    def _values(self, env: Values, nodes: Sequence[Node], depth: int) -> None:
        """The nodes of a graph; in a large picture those of one module in a box of its own."""
        for name, group in groupby(nodes, lambda node: module_of(node, depth) if self._is_large else None):
            inner = list(group)
            if name is not None and len(inner) > _FEW:
                with self.made.box(name, "call", "body"):
                    self._values(env, inner, depth + 1)
            else:
                for node in inner:
                    env[node] = self._value(env, node)

    def _value(self, env: Values, node: Node) -> Any:
        """What stands for a node's value: an id, ids for a tuple, or what is told by its name."""
        op, place = operator_of(node), place_of(node)
        args = [env.get(arg, arg) if isinstance(arg, Node) else arg for arg in node.args]
        if node.target is operator.getitem and isinstance(args[0], list) and isinstance(args[1], int):
            return args[0][args[1]]
        if any(map(_is_region, args)):
            read = {
                "branch": self._branch,
                "cond": self._branch,
                "loop": self._loop,
                "while_loop": self._while_loop,
                "while_loop_stack_output": self._stacking_loop,
                "scan": self._scan,
            }
            return read.get(op, self._call)(env, node, place)
        reads = [env[n] for n in node.all_input_nodes if isinstance(env.get(n), str)]
        if op in _FACTS:
            return None
        if op == "latest_copy":
            return args[1]
        if len(reads) == 1 and _is_plumbing(op, node, place):
            return reads[0]
        if op == "full" and not reads and not flat(node.args[:1]):
            return Held(constant(node.args[1]), type_of(node))
        for read in reads:
            self.made.name_by_line(read, place)
        if op == "where" and place is not None and "where" not in place.text and isinstance(args[0], str):
            return self._select(env, node, place, reads)
        return self._operator(env, node, place, reads)

    def _operator(self, env: Values, node: Node, place: Place | None, reads: Ids) -> str:
        op, label, detail = operator_of(node), self._label(env, node), type_of(node)
        key = label, tuple(reads)
        if op in _SIGNS and detail in _SCALARS and key in env:
            return str(env[key])  # counters are counted twice
        has_effect = _EFFECTS.search(op) is not None or node.is_impure()
        made = self.made.node(
            "op", label, reads, name=variable_of(node), place=place, detail=detail, is_root=has_effect
        )
        env[key] = made
        if op == "logical_not" and reads:
            self._negated[made] = reads[0]
        changed = node.args[0] if has_effect and node.args else None
        if isinstance(changed, Node) and isinstance(env.get(changed), str):
            self.made.names.setdefault(made, self.made.names.get(env[changed], ""))
            env[changed] = made  # what is changed in place is read as changed from here on
        return made

    def _select(self, env: Values, node: Node, place: Place, reads: Ids) -> str:
        """A branch that computes both sides and picks one."""
        shared = {self.made.names.get(read, "") for read in reads[1:]}
        name = variable_of(node) or (shared.pop() if len(shared) == 1 else "")
        label = place.text.rstrip(":") if re.match(r"(el)?if|while|for", place.text) else self._label(env, node)
        made = self.made.node("select", label, reads[1:], name=name, place=place, detail=type_of(node))
        self.made.edge(reads[0], made, "test")
        return made

    def _label(self, env: Values, node: Node) -> str:
        """The operator with its arguments, by the user's names where these are known."""

        def shown(value: Any) -> str:
            if isinstance(value, list | tuple):
                return f"[{', '.join(map(shown, value))}]"
            if not isinstance(value, Node):
                return constant(value)
            found = env.get(value)
            return found.name if isinstance(found, Held) else self.made.names.get(str(found), "") or "·"

        op = operator_of(node)
        if op in _SIGNS and len(node.args) == 2:
            return f"{shown(node.args[0])} {_SIGNS[op]} {shown(node.args[1])}"
        if op == "getitem":
            return f"{shown(node.args[0])}[{shown(node.args[1])}]"
        if op == "where" and len(node.args) == 3:
            test, then, orelse = map(shown, node.args)
            return f"{then} if {test} else {orelse}"
        given = [shown(value) for value in node.args if value is not None and value is not False]
        given += [f"{key}={shown(value)}" for key, value in node.kwargs.items() if value not in (None, False)]
        return f"{op}({', '.join(given)})"

    def _operand(self, env: Values, value: Any, reader: Place | None = None) -> str | Held:
        """What a region is given, or what it gives: that has its name from outside where it only passes through."""
        found = env.get(value) if isinstance(value, Node) else Held(constant(value), "")
        if isinstance(found, str) and reader is not None:
            self.made.name_by_line(found, reader)
        elif isinstance(found, str) and place_of(value) == self.made.places.get(found):
            self.made.name_given(found)
        return found if isinstance(found, str | Held) else Held("?", "")

    def _operands(self, env: Values, node: Node, k: int) -> list[str | Held]:
        values: Any = node.args[k] if len(node.args) > k else ()
        return [self._operand(env, value, place_of(node)) for value in values]

    def _id(self, env: Values, value: Any) -> str:
        """The id of a value; what is held gets a node."""
        found = self._operand(env, value)
        return found if isinstance(found, str) else self.made.held(found)

    # -- nodes with regions --

    def _branch(self, env: Values, node: Node, place: Place | None) -> Ids:
        pred, then, orelse = node.args[:3]
        operands = self._operands(env, node, 3)
        sides = [partial(self.body, env[side], operands) for side in (then, orelse)]
        given = [outputs(env[side]) for side in (then, orelse)]
        names = [variable_of(a) or variable_of(b) for a, b in zip(*given, strict=False)]
        details = [type_of(value) for value in given[0]]
        label = header(place, "if")
        return self.made.branch(label, self._id(env, pred), sides, names, place=place, details=details)

    def _loop(self, env: Values, node: Node, place: Place | None) -> list[str | None]:
        """Ours: the first carry says whether to stop."""
        region: Any = env[node.args[0]]
        stop, *starts = self._operands(env, node, 1)
        operands = self._operands(env, node, 2)

        def body(carried: Ids) -> tuple[str | None, Ids]:
            again, *after = self.body(region, [None, *carried, *operands])
            return self._negated.get(again, again), after

        first = self._negated.get(stop, stop) if isinstance(stop, str) else None
        return [None, *self._emit_loop(region, starts, body, place, first, 1)]

    def _while_loop(self, env: Values, node: Node, place: Place | None, *, stacks: bool = False) -> Ids:
        """torch's: a condition and a body."""
        condition, region = env[node.args[0]], env[node.args[1]]
        operands = self._operands(env, node, 3)

        def body(carried: Ids) -> tuple[str | None, Ids]:
            (again,) = self.body(condition, [*carried, *operands])
            after = self.body(region, [*carried, *operands])
            return again, after * 2 if stacks else after

        return self._emit_loop(region, self._operands(env, node, 2), body, place)

    def _stacking_loop(self, env: Values, node: Node, place: Place | None) -> Ids:
        results = self._while_loop(env, node, place, stacks=True)
        return results[len(results) // 2 :]

    def _scan(self, env: Values, node: Node, place: Place | None) -> Ids:
        region = env[node.args[0]]
        rows, operands = self._operands(env, node, 2), self._operands(env, node, 3)

        def body(carried: Ids) -> tuple[str | None, Ids]:
            return None, self.body(region, [*carried, *rows, *operands])

        return self._emit_loop(region, self._operands(env, node, 1), body, place)

    def _call(self, env: Values, node: Node, place: Place | None) -> Ids:
        """Another operator with a region."""
        region = next(env[n] for n in node.all_input_nodes if _is_region(env.get(n)))
        operands = [self._operand(env, n) for n in node.all_input_nodes if isinstance(env.get(n), str | Held)]
        with self.made.box(operator_of(node), "call", "body", place):
            return self.body(region, operands)

    def _emit_loop(
        self,
        region: GraphModule,
        starts: Sequence[str | Held],
        body: Any,
        place: Place | None,
        first: str | None = None,
        skipped: int = 0,
    ) -> Ids:
        """The loop, but for the first carries of the region that are `skipped`."""
        carried = placeholders(region)[skipped : skipped + len(starts)]
        after = outputs(region)[skipped:]
        ids = [start if isinstance(start, str) else self.made.held(start) for start in starts]
        names = [carried_name(node) or variable_of(value) for node, value in zip(carried, after, strict=False)]
        places = [place_of(value) if isinstance(value, Node) else None for value in after]
        names = self.made.carried_names(ids, names, places)
        label = header(place, "loop")
        return self.made.loop(label, ids, names, body, first=first, place=place, details=list(map(type_of, after)))


def _is_large(module: GraphModule) -> bool:
    graphs = [inner.graph for inner in module.modules() if isinstance(inner, GraphModule)]
    count: int = sum(node.op.startswith("call") for graph in graphs for node in graph.nodes)
    return count > MOST_AT_FIRST


def _is_region(value: Any) -> bool:
    return isinstance(getattr(value, "graph", None), torch.fx.Graph)


def _is_plumbing(op: str, node: Node, place: Place | None) -> bool:
    if op in _COPIES:
        return place is None or op not in place.text
    if any(type(arg) is int and arg == _NEUTRAL.get(op) for arg in node.args):
        return type_of(node) in _SCALARS and (place is None or _SIGNS[op] not in place.text)
    return op in _NUMBERS and (op != "full" or not flat(node.args[:1]))
