"""An FX graph as a picture: one that Dynamo captured, or that of an exported program, with the regions of its nodes.

What only carries a value from one form to another (a number into a tensor and back, a copy that no line of the user's
asks for, an item of a tuple) is not shown: its value is that of what it was made from.
"""

from __future__ import annotations

import ast
import linecache
import operator
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import torch
from torch.fx import GraphModule, Node

from graphweld.view.assembly import Assembly, Held, Ids
from graphweld.view.model import Graph, NodeKind, Place

_OWN = tuple(
    os.path.join(folder, "")
    for folder in (
        os.path.dirname(torch.__file__),
        *(os.path.join(os.path.dirname(os.path.dirname(__file__)), part) for part in ("capture", "runtime")),
    )
)
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in ')
_SIGNS = {
    "add": "+", "iadd": "+", "sub": "-", "isub": "-", "mul": "*", "imul": "*", "truediv": "/", "div": "/",
    "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "and_": "&", "or_": "|", "xor": "^",
    "logical_and": "and", "logical_or": "or", "bitwise_and": "&", "bitwise_or": "|",
}  # fmt: skip
_COPIES = {"clone", "detach", "contiguous", "alias", "lift_fresh_copy", "to"}
_NUMBERS = {"item", "_local_scalar_dense", "full", "scalar_tensor"}
_NEUTRAL = {"add": 0, "mul": 1}
_SCALARS = {"int", "bool", "i64[]", "b8[]"}
_EFFECTS = re.compile(r"^(?!__)\w+_$|assert|print|^setitem$|copy_$|^call_function$")


def graph_of(
    module: GraphModule, title: str, names: Sequence[str] = (), returned: Collection[int] | None = None
) -> Graph:
    """The picture of a graph that Dynamo captured.

    `names` are the user's for its inputs, in order. `returned` are the outputs that the program returns: others are for
    the Python behind the graph, and of these a flag, such as whether a loop ran at all, is not shown.
    """
    reader = Reader()
    given = zip_longest(placeholders(module), names, fillvalue="")
    sources = reader.body(module, [reader.input_of(node, name) for node, name in given if isinstance(node, Node)])
    for k, (source, node) in enumerate(zip(sources, _outputs(module), strict=True)):
        if returned is None or k in returned:
            reader.made.output(source)
        elif _detail(node) not in _SCALARS:
            reader.made.node("output", "to Python", [source], is_root=True)
    return reader.made.finish(title)


def graph_of_program(program: torch.export.ExportedProgram, title: str) -> Graph:
    """The picture of an exported program."""
    signature = program.graph_signature
    held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants}
    reader = Reader(held)
    module = program.graph_module
    for source in reader.body(module, [reader.input_of(node) for node in placeholders(module)]):
        reader.made.output(source)
    return reader.made.finish(title)


class Reader:
    """Reads one graph, or several that share one picture.

    For each FX node it knows the id of the value in the picture, a list of these, or `Held`: what is told by its name.
    """

    def __init__(self, held: Mapping[str, str] | None = None) -> None:
        self.made = Assembly()
        self._held = held or {}
        self._negated: dict[str, str] = {}

    def input_of(self, node: Node, name: str = "", known: str | None = None, source: str | None = None) -> str | Held:
        """A placeholder of a whole graph: a tensor that a module holds, an input, or one `known`, or from a `source`."""
        held = self._held.get(node.name) or _module_tensor(str(node.target))
        if held:
            return Held(held, _detail(node))
        if known is not None:
            return known
        name = name or re.sub(r"^[lL]_(.*?)_?$", r"\1", node.name)
        kind: NodeKind = "input" if source is None else "kept"
        return self.made.node(kind, name, [] if source is None else [source], name=name, detail=_detail(node))

    def body(self, module: GraphModule, inputs: Sequence[str | Held | None]) -> Ids:
        """What a graph computes, in the region that is open; the ids of what it gives."""
        env: dict[Any, Any] = dict(zip(placeholders(module), inputs, strict=False))
        for node in module.graph.nodes:
            if node.op == "output":
                return [self._id(env, value) for value in _flat(node.args[0]) if value is not None]
            if node.op == "get_attr":
                value = _attribute(module, str(node.target))
                if not hasattr(value, "graph"):
                    value = Held(str(node.target), _tensor_detail(value))
                env[node] = value
            elif node.op != "placeholder":
                env[node] = self._node(env, node)
        return []

    def _operand(self, env: dict[Any, Any], value: Any) -> str | Held:
        """What a region is given."""
        found = env.get(value) if isinstance(value, Node) else Held(_constant(value), "")
        if isinstance(found, str):
            self._name_by_line(found, None)
        return found if isinstance(found, str | Held) else Held("?", "")

    def _id(self, env: dict[Any, Any], value: Any) -> str:
        """The id of a value; what is held gets a node."""
        found = self._operand(env, value)
        return found if isinstance(found, str) else self.made.held(found)

    def _node(self, env: dict[Any, Any], node: Node) -> Any:
        op, place = _operator(node), _place(node)
        args = [env.get(arg, arg) if isinstance(arg, Node) else arg for arg in node.args]
        if node.target is operator.getitem and isinstance(args[0], list) and isinstance(args[1], int):
            return args[0][args[1]]
        if op in ("branch", "cond") and _is_region(args[1]):
            return self._branch(env, node, place)
        if op == "loop" and _is_region(args[0]):
            return self._loop(env, node, place)
        if op in ("while_loop", "while_loop_stack_output") and _is_region(args[0]):
            return self._while_loop(env, node, place, stacks=op != "while_loop")
        if op == "scan" and _is_region(args[0]):
            return self._scan(env, node, place)
        region = next((arg for arg in args if _is_region(arg)), None)
        if region is not None:
            operands = [self._operand(env, n) for n in node.all_input_nodes if isinstance(env.get(n), str | Held)]
            return self.made.call(op, "call", "body", lambda: self.body(region, operands), place)[1]
        reads = [env[n] for n in node.all_input_nodes if isinstance(env.get(n), str)]
        if len(reads) == 1 and self._is_plumbing(op, node, place):
            return reads[0]
        if op == "full" and not reads and not _flat(node.args[:1]):
            return Held(_constant(node.args[1]), _detail(node))
        if op in ("_check", "_check_is_size", "sym_constrain_range_for_size", "_assert_scalar"):
            return None  # facts about sizes
        for read in reads:
            self._name_by_line(read, place)
        name = _user_name(node, place)
        label, detail = self._label(env, op, node), _detail(node)
        if op == "where" and place is not None and "where" not in place.text and isinstance(env.get(node.args[0]), str):
            shared = {self.made.names.get(read, "") for read in reads[1:]}
            name = name or (shared.pop() if len(shared) == 1 else "")
            label = place.text.rstrip(":") if re.match(r"(el)?if|while|for", place.text) else label
            made = self.made.node("select", label, reads[1:], name=name, place=place, detail=detail)
            self.made.edge(reads[0], made, "test")
            return made
        same = env.get((label, *reads)) if op in _SIGNS and detail in _SCALARS else None
        if same is not None:
            return same
        is_root = bool(_EFFECTS.search(op))
        made = self.made.node("op", label, reads, name=name, place=place, detail=detail, is_root=is_root)
        env[label, *reads] = made
        if op == "logical_not":
            self._negated[made] = reads[0]
        if is_root and node.args and isinstance(node.args[0], Node) and isinstance(env.get(node.args[0]), str):
            self.made.names[made] = self.made.names.get(env[node.args[0]], "")
            env[node.args[0]] = made  # what is changed in place is read as changed from here on
        return made

    def _name_by_line(self, source: str, reader: Place | None) -> None:
        """What a later line reads of a line `y = ...` is y."""
        place = self.made.places.get(source)
        if place is not None and place != reader and source not in self.made.names:
            names = _assigned(place.text)
            if len(names) == 1:
                self.made.names[source] = next(iter(names))

    def _is_plumbing(self, op: str, node: Node, place: Place | None) -> bool:
        if op in _COPIES:
            return place is None or op not in place.text
        neutral = _NEUTRAL.get(op)
        if neutral is not None and any(type(arg) is int and arg == neutral for arg in node.args):
            return _detail(node) in _SCALARS and (place is None or _SIGNS[op] not in place.text)
        return op in _NUMBERS and (op != "full" or tuple(_flat(node.args[:1])) == ())

    def _label(self, env: dict[Any, Any], op: str, node: Node) -> str:
        """The operator with its arguments, by the user's names where these are known."""

        def shown(value: Any) -> str:
            if isinstance(value, Node):
                found = env.get(value)
                if isinstance(found, Held):
                    return found.name
                return (self.made.names.get(found) if isinstance(found, str) else None) or "·"
            if isinstance(value, list | tuple):
                return f"[{', '.join(map(shown, value))}]"
            return _constant(value)

        if op in _SIGNS and len(node.args) == 2:
            return f"{shown(node.args[0])} {_SIGNS[op]} {shown(node.args[1])}"
        if op == "getitem":
            return f"{shown(node.args[0])}[{shown(node.args[1])}]"
        if op == "where" and len(node.args) == 3:
            test, then, orelse = map(shown, node.args)
            return f"{then} if {test} else {orelse}"
        told = [value for value in node.args if value is not None and value is not False]
        given = [*map(shown, told), *(f"{key}={shown(value)}" for key, value in node.kwargs.items())]
        return f"{op}({', '.join(given)})"

    def _branch(self, env: dict[Any, Any], node: Node, place: Place | None) -> Ids:
        pred, then, orelse = node.args[:3]
        operands = [self._operand(env, value) for value in (node.args[3] if len(node.args) > 3 else ())]
        sides = [self._side(env[side], operands) for side in (then, orelse)]
        outputs = [_outputs(env[side]) for side in (then, orelse)]
        names = [_own_name(a) or _own_name(b) for a, b in zip(*outputs, strict=False)]
        return self.made.branch(
            place.text if place else "if", self._id(env, pred), sides, names, place=place, details=list(map(_detail, outputs[0]))
        )

    def _side(self, region: Any, operands: Sequence[str | Held]) -> Callable[[], Ids]:
        return lambda: self.body(region, operands)

    def _loop(self, env: dict[Any, Any], node: Node, place: Place | None) -> Ids:
        """Ours: the first carry says whether to stop."""
        region, carries, extras = env[node.args[0]], node.args[1], node.args[2]
        operands = [self._operand(env, value) for value in extras]
        stop = carries[0]

        def body(carried: Ids) -> tuple[str | None, Ids]:
            again, *after = self.body(region, [None, *carried, *operands])
            return self._goes_on(again), after

        results = self._emit_loop(
            region, [self._id(env, value) for value in carries[1:]], body, place,
            names=[_carry_name(n) for n in placeholders(region)[1 : len(carries)]],
            first=self._goes_on(self._id(env, stop)), outputs=_outputs(region)[1:],
        )  # fmt: skip
        return [None, *results]  # type: ignore[list-item]

    def _goes_on(self, stop: str) -> str:
        return self._negated.get(stop, stop)

    def _while_loop(self, env: dict[Any, Any], node: Node, place: Place | None, *, stacks: bool) -> Ids:
        """torch's: a condition and a body."""
        condition, region, carries = env[node.args[0]], env[node.args[1]], node.args[2]
        operands = [self._operand(env, value) for value in (node.args[3] if len(node.args) > 3 else ())]

        def body(carried: Ids) -> tuple[str | None, Ids]:
            (again,) = self.body(condition, [*carried, *operands])
            after = self.body(region, [*carried, *operands])
            return again, [*after, *after] if stacks else after

        results = self._emit_loop(
            region, [self._id(env, value) for value in carries], body, place,
            names=[_carry_name(n) for n in placeholders(region)[: len(carries)]], outputs=_outputs(region),
        )  # fmt: skip
        return results[len(carries) :] if stacks else results

    def _scan(self, env: dict[Any, Any], node: Node, place: Place | None) -> Ids:
        region, init, rows = env[node.args[0]], node.args[1], node.args[2]
        operands = [self._operand(env, value) for value in (node.args[3] if len(node.args) > 3 else ())]
        sources = [self._id(env, value) for value in rows]

        def body(carried: Ids) -> tuple[str | None, Ids]:
            return None, self.body(region, [*carried, *sources, *operands])

        return self._emit_loop(
            region, [self._id(env, value) for value in init], body, place,
            names=[_carry_name(n) for n in placeholders(region)[: len(init)]], outputs=_outputs(region),
        )  # fmt: skip

    def _emit_loop(
        self, region: Any, starts: Ids, body: Any, place: Place | None, *, names: list[str], outputs: list[Any],
        first: str | None = None,
    ) -> Ids:  # fmt: skip
        details = [_detail(value) for value in outputs]
        named = [name or _own_name(value) for name, value in zip(names, outputs, strict=False)]
        label = place.text if place else "loop"
        return self.made.loop(label, starts, named, body, first=first, place=place, details=details)


def placeholders(module: GraphModule) -> list[Node]:
    """The inputs of a graph, in order."""
    return list(module.graph.find_nodes(op="placeholder"))


def _outputs(module: GraphModule) -> list[Any]:
    return _flat(next(iter(module.graph.find_nodes(op="output"))).args[0])


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [part for inner in value for part in _flat(inner)]
    if isinstance(value, dict):
        return [part for inner in value.values() for part in _flat(inner)]
    return [value]


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def _is_region(value: Any) -> bool:
    return isinstance(getattr(value, "graph", None), torch.fx.Graph)


def _operator(node: Node) -> str:
    target: Any = node.target
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.OpOverload):
        return str(target).split(".")[1]
    return str(getattr(target, "__name__", target))


def _place(node: Node) -> Place | None:
    """The innermost line of the user's that a node was made at."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    for file, line in reversed(frames):
        if not file.startswith(_OWN):
            return Place(file, int(line), linecache.getline(file, int(line)).strip())
    return None


def _detail(node: Any) -> str:
    if not isinstance(node, Node):
        return ""
    return _tensor_detail(node.meta.get("example_value", node.meta.get("val")))


def _tensor_detail(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.").replace("float", "f").replace("int", "i").replace("bool", "b8")
        return f"{dtype}[{', '.join(map(str, value.shape))}]"
    kinds = {torch.SymInt: "int", torch.SymFloat: "float", torch.SymBool: "bool"}
    return kinds.get(type(value), "")


def _constant(value: Any) -> str:
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, slice):
        return ":".join("" if part is None else str(part) for part in (value.start, value.stop, value.step) if part is not None or part is not value.step)
    return str(value)


def _user_name(node: Node, place: Place | None) -> str:
    """The name that the user's line assigns the node's value to; Dynamo names nodes for the variables they are stored in."""
    stem = re.sub(r"_\d+$", "", node.name)
    return next((name for name in (node.name, stem) if place is not None and name in _assigned(place.text)), "")


@cache
def _assigned(text: str) -> frozenset[str]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return frozenset()
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _own_name(node: Any) -> str:
    return _user_name(node, _place(node)) if isinstance(node, Node) else ""


def _carry_name(node: Node) -> str:
    """The user's name of a carried value, where the node is named for it."""
    found = re.match(r"^carry_(.*?)(_in\d+)*(_\d+)?$", node.name)
    if found is None:
        return ""
    return re.sub(r"^gw_([a-z]+).*", r"\1", found[1])  # graphweld's own, such as gw_break_0


def _module_tensor(target: str) -> str | None:
    """`lin.weight` of a placeholder that Dynamo named for a module's parameter or buffer."""
    found = re.match(r"^[lL]_.*?_(?:modules|parameters|buffers)_(.*?)_?$", target)
    if found is None:
        return None
    return re.sub(r"_(?:modules|parameters|buffers)_", ".", found[1]).strip("_")
