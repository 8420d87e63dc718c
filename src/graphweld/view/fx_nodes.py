"""What a person calls an FX node: its operator, its line, the variable that holds it, its type and sizes."""

from __future__ import annotations

import os
import re
from typing import Any

import torch
from torch.fx import GraphModule, Node

from graphweld.view.lines import assigned, frames, place_at
from graphweld.view.model import Place

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_OWN = tuple(
    os.path.join(folder, "")
    for folder in (os.path.dirname(torch.__file__), f"{_PACKAGE}/capture", f"{_PACKAGE}/runtime")
)
_KINDS = {torch.SymInt: "int", torch.SymFloat: "float", torch.SymBool: "bool"}
_HOLDERS = "modules|parameters|buffers"


def placeholders(module: GraphModule) -> list[Node]:
    """The inputs of a graph, in order."""
    return list(module.graph.find_nodes(op="placeholder"))


def outputs(module: GraphModule) -> list[Any]:
    """What a graph gives, in order."""
    return flat(next(iter(module.graph.find_nodes(op="output"))).args[0])


def flat(value: Any) -> list[Any]:
    """The leaves of nested lists, tuples and dicts."""
    if isinstance(value, dict):
        value = list(value.values())
    return [part for inner in value for part in flat(inner)] if isinstance(value, list | tuple) else [value]


def operator_of(node: Node) -> str:
    """`relu`, of the function, method or operator that a node calls."""
    target: Any = node.target
    if isinstance(target, str):
        return target.rpartition(".")[2]
    if hasattr(target, "overloadpacket"):
        return str(target.overloadpacket).rpartition(".")[2]
    return str(getattr(target, "__name__", target))


def place_of(node: Node) -> Place | None:
    """The innermost line of the user's that a node was made at."""
    record = node.meta.get("stack_trace") or ""
    found = next((frame for frame in reversed(frames(record)) if not frame[0].startswith(_OWN)), None)
    return None if found is None else place_at(*found, record)


def module_of(node: Node, depth: int) -> str | None:
    """`layers.6 Block`, of the module that a node is computed in, so many below the outermost."""
    modules = list((node.meta.get("nn_module_stack") or {}).values())
    if depth >= len(modules):
        return None
    path, kind = modules[depth]
    path = re.sub(r"^L\[[^\]]*\]\.?", "", path)
    return f"{path} {getattr(kind, '__name__', str(kind).rpartition('.')[2])}"


def type_of(value: Any) -> str:
    """`f32[3, 4]`, of a tensor or of the node that computes one."""
    if isinstance(value, Node):
        value = value.meta.get("example_value", value.meta.get("val"))
    if not isinstance(value, torch.Tensor):
        return _KINDS.get(type(value), "")
    dtype = str(value.dtype).removeprefix("torch.").replace("float", "f").replace("int", "i").replace("bool", "b8")
    return f"{dtype}[{', '.join(map(str, value.shape))}]"


def constant(value: Any) -> str:
    """A number, dtype or slice as a person writes it."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, slice):
        parts = (value.start, value.stop) if value.step is None else (value.start, value.stop, value.step)
        return ":".join("" if part is None else str(part) for part in parts)
    return str(value).removeprefix("torch.")


def variable_of(node: Any) -> str:
    """The variable that the user's line stores a node in; Dynamo names nodes for these."""
    place = place_of(node) if isinstance(node, Node) else None
    if place is None:
        return ""
    return next((name for name in (node.name, re.sub(r"_\d+$", "", node.name)) if name in assigned(place.text)), "")


def carried_name(node: Node) -> str:
    """The variable that a loop carries in this input of its body, where that is named for it."""
    found = re.match(r"carry_(.*?)(_in\d+)*(_\d+)?$", node.name)
    return re.sub(r"^gw_([a-z]+).*", r"\1", found[1]) if found else ""  # graphweld's own are such as gw_break_0


def input_name(node: Node) -> str:
    """A placeholder's name, as Dynamo makes it from the user's."""
    return re.sub(r"^[lL]_(.*?)_?$", r"\1", node.name)


def module_tensor(node: Node) -> str | None:
    """`lin.weight` of a placeholder that Dynamo named for a module's parameter or buffer."""
    found = re.match(rf"[lL]_.*?_(?:{_HOLDERS})_(.*?)_?$", str(node.target))
    return re.sub(rf"_(?:{_HOLDERS})_", ".", found[1]).strip("_") if found else None
