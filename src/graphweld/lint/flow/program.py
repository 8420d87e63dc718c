"""One file as the data flow sees it: its imports, functions and classes, and what is known of each so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graphweld.lint.flow import torch_names
from graphweld.lint.flow.values import UNKNOWN, Value
from graphweld.syntax.analysis.scopes import parameters_of

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_MODULE_ENDINGS = ("Module", "PreTrainedModel", "PretrainedModel")


@dataclass(eq=False)
class Function:
    """A function or method, and what its callers in the file give it."""

    node: FunctionNode
    qualname: str
    owner: Class | None
    parameters: tuple[str, ...]
    decorators: frozenset[str]
    given: dict[str, Value] = field(default_factory=dict)
    """What call sites in the file pass, by parameter."""
    result: Value = UNKNOWN
    callers: set[Function] = field(default_factory=set)
    callees: set[Function] = field(default_factory=set)
    is_reached: bool = False
    """Called, in the end, from a module's `forward` or a function that is compiled."""

    takes_tensors: bool = False
    """A parameter holds a tensor for certain."""

    @property
    def name(self) -> str:
        """Its own name."""
        return self.node.name

    @property
    def is_traced(self) -> bool:
        """Whether the tracer may enter it at all."""
        return self.name not in torch_names.NOT_TRACED and not self.decorators & torch_names.UNTRACED_DECORATORS

    @property
    def is_likely_traced(self) -> bool:
        """Whether a compiled program may well come here; a script that makes tensors of its own is not compiled."""
        in_module = self.owner is not None and self.owner.is_module
        return self.is_traced and (self.is_reached or self.takes_tensors or in_module)

    @property
    def takes_self(self) -> bool:
        """A method: its first parameter is the instance."""
        return self.owner is not None and not any(name.endswith("staticmethod") for name in self.decorators)


@dataclass(eq=False)
class Class:
    """A class: its methods, and what its attributes hold."""

    name: str
    bases: tuple[str, ...]
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    is_module: bool = False
    """An nn.Module, by its bases or by its `forward`."""


class Program:
    """The file as a whole."""

    def __init__(self, tree: ast.Module) -> None:
        self.aliases: dict[str, str] = {}
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.all_functions: list[Function] = []
        self.globals: dict[str, Value] = {}
        self.compiled: set[str] = set()
        self._collect(tree.body, None, "")
        self._names(tree)

    def resolve(self, node: ast.expr) -> str | None:
        """The dotted name an expression stands for by the file's imports: `F.relu` is torch.nn.functional.relu."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return None if base is None else f"{base}.{node.attr}"
        return None

    def method(self, owner: str, name: str) -> Function | None:
        """A method of a class in this file, inherited ones included."""
        for cls in self._lineage(owner):
            if name in cls.methods:
                return cls.methods[name]
        return None

    def attribute(self, owner: str, name: str) -> Value | None:
        """What an attribute of an instance holds; None where nothing in the file says so."""
        for cls in self._lineage(owner):
            if name in cls.attributes:
                return cls.attributes[name]
        return None

    def roots(self) -> Iterator[Function]:
        """Where tracing starts: each module's forward, and what is compiled or exported in this file."""
        for function in self.all_functions:
            owner = function.owner
            if owner is not None and function.name in ("forward", "__call__") and owner.is_module:
                yield function
            elif function.decorators & torch_names.COMPILERS or (owner is None and function.name in self.compiled):
                yield function

    def _is_module(self, owner: str) -> bool:
        lineage = list(self._lineage(owner))
        bases = [base for cls in lineage for base in cls.bases]
        if any(base.startswith("torch.autograd.") for base in bases):
            return False
        named = any(base.startswith("torch.nn.") or base.endswith(_MODULE_ENDINGS) for base in bases)
        return named or any("forward" in cls.methods for cls in lineage)

    def _lineage(self, owner: str) -> Iterator[Class]:
        pending, seen = [owner], set()
        while pending:
            name = pending.pop(0)
            if name in seen or name not in self.classes:
                continue
            seen.add(name)
            yield self.classes[name]
            pending += self.classes[name].bases

    def _collect(self, body: Sequence[ast.AST], owner: Class | None, prefix: str) -> None:
        """Functions and classes that stand in a module or class, below `if` and `try` too."""
        for node in body:
            if isinstance(node, FunctionNode):
                function = self.function(node, prefix + node.name, owner)
                (self.functions if owner is None else owner.methods)[node.name] = function
            elif isinstance(node, ast.ClassDef):
                bases = tuple(filter(None, map(_dotted, node.bases)))
                cls = self.classes.setdefault(node.name, Class(node.name, bases))
                self._collect(node.body, cls, f"{prefix}{node.name}.")
            elif isinstance(node, ast.stmt | ast.ExceptHandler):
                self._collect(list(ast.iter_child_nodes(node)), owner, prefix)

    def function(self, node: FunctionNode, qualname: str, owner: Class | None) -> Function:
        """Make the record of a function."""
        names = frozenset(filter(None, (_dotted(_called(decorator)) for decorator in node.decorator_list)))
        function = Function(node, qualname, owner, parameters_of(node), names)
        self.all_functions.append(function)
        return function

    def _names(self, tree: ast.Module) -> None:
        """Imports, wherever they stand; with them bases and decorators in full, and what is given to torch.compile."""
        calls: list[ast.Call] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self.aliases[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.aliases[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}.{alias.name}"
            elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
                calls.append(node)
        for cls in self.classes.values():
            cls.bases = tuple(map(self._full, cls.bases))
        for name, cls in self.classes.items():
            cls.is_module = self._is_module(name)
        for function in self.all_functions:
            function.decorators = frozenset(map(self._full, function.decorators))
        for call in calls:
            if self.resolve(call.func) in torch_names.COMPILERS and isinstance(call.args[0], ast.Name):
                self.compiled.add(call.args[0].id)

    def _full(self, name: str) -> str:
        first, dot, rest = name.partition(".")
        return self.aliases.get(first, first) + dot + rest


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
