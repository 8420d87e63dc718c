"""The registry of corpus programs.

A program is an ordinary PyTorch function (or a factory of a module, a method, a callable object), written as its users
write it, with inputs which together take every path. Nothing in a program knows of graphweld.

    @program(signs, "branch")                       # a function; inputs is a callable giving a fresh list of calls
    def shift(x): ...

    @factory(signs, "state")                        # a function that makes a fresh callable
    def counter(): return Counter()

One *call* is a tuple of positional arguments, or ``call(*args, **kwargs)``. The calls of one program run in order on one
callable, so that state carries over.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

KINDS = frozenset({"branch", "loop", "state"})  # which issue delivers the program


@dataclass(frozen=True)
class Call:
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


@dataclass(frozen=True)
class Program:
    name: str  # file stem and function name: "conditionals.shift"
    make: Callable[[], Callable[..., Any]]
    inputs: Callable[[], list[Any]]
    tags: frozenset[str]
    grad: bool  # float inputs get requires_grad in the gradient variant
    python_inputs: Callable[[], list[Any]] | None  # the same program steered by Python numbers
    sizes: Callable[[], list[Any]] | None  # calls whose sizes differ: one graph under dynamic=True
    watch: Callable[[], Any] | None  # state outside of the callable (globals)
    min_graphs: int
    target: Callable[..., Any] = field(repr=False)  # the decorated function itself

    def calls(self, variant: str = "tensor") -> list[Call]:
        source = {"tensor": self.inputs, "python": self.python_inputs, "sizes": self.sizes}[variant]
        assert source is not None
        return [c if isinstance(c, Call) else Call(tuple(c)) for c in source()]


REGISTRY: list[Program] = []


def _register(
    inputs: Callable[[], list[Any]],
    tags: tuple[str, ...],
    is_factory: bool,
    grad: bool,
    python: Callable[[], list[Any]] | None,
    sizes: Callable[[], list[Any]] | None,
    watch: Callable[[], Any] | None,
    min_graphs: int,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        words = frozenset(" ".join(tags).split())
        assert words & KINDS, f"{fn.__name__}: one of the tags {sorted(KINDS)} is needed"
        name = f"{fn.__module__.removeprefix('tests.corpus.')}.{fn.__name__}"
        assert all(p.name != name for p in REGISTRY), f"two programs are named {name}"
        make = fn if is_factory else (lambda: fn)
        REGISTRY.append(Program(name, make, inputs, words, grad, python, sizes, watch, min_graphs, fn))
        return fn

    return decorate


def program(
    inputs: Callable[[], list[Any]],
    *tags: str,
    grad: bool = True,
    python: Callable[[], list[Any]] | None = None,
    sizes: Callable[[], list[Any]] | None = None,
    watch: Callable[[], Any] | None = None,
    min_graphs: int = 1,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function itself."""
    return _register(inputs, tags, False, grad, python, sizes, watch, min_graphs)


def factory(
    inputs: Callable[[], list[Any]],
    *tags: str,
    grad: bool = True,
    python: Callable[[], list[Any]] | None = None,
    sizes: Callable[[], list[Any]] | None = None,
    watch: Callable[[], Any] | None = None,
    min_graphs: int = 1,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what the decorated function returns; it is called anew for every run."""
    return _register(inputs, tags, True, grad, python, sizes, watch, min_graphs)


def programs(*tags: str) -> list[Program]:
    """All programs of the corpus that have all of these tags."""
    load()
    return [p for p in REGISTRY if p.tags.issuperset(tags)]


def by_name(name: str) -> Program:
    load()
    return next(p for p in REGISTRY if p.name == name)


def load() -> None:
    import tests.corpus

    for module in _submodules(tests.corpus):
        importlib.import_module(module)


def _submodules(package: Any) -> Iterator[str]:
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        yield info.name


# ---------------------------------------------------------------------------------------------------- inputs
def t(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


def s(value: float, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A 0-d tensor."""
    return torch.tensor(value, dtype=dtype)


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def bools(*values: bool) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.bool)


def rand(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def signs() -> list[Any]:
    """A vector with a positive sum, and one with a negative sum."""
    return [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, -3.0),)]


def three() -> list[Any]:
    """Sums 6, 0.6 and -6: large, small, negative."""
    return [(t(1.0, 2.0, 3.0),), (t(0.1, 0.2, 0.3),), (t(-1.0, -2.0, -3.0),)]


def matrices() -> list[Any]:
    x = rand(3, 4, seed=1)
    return [(x.abs(),), (-x.abs(),)]


def pairs() -> list[Any]:
    """Two vectors, with the four combinations of the signs of their sums."""
    a, b = t(1.0, 2.0, 3.0), t(0.5, -0.25, 4.0)
    return [(a, b), (a.clone(), -b), (-a, b.clone()), (-a.clone(), -b.clone())]


def flags() -> list[Any]:
    """A vector and a 0-d bool tensor."""
    return [(t(1.0, 2.0, 3.0), s(True)), (t(1.0, 2.0, 3.0), s(False))]


def counts() -> list[Any]:
    """A vector and a 0-d int tensor of 0 to 3."""
    return [(t(1.0, 2.0, 3.0), s(n)) for n in (2, 0, 1, 3)]


def counts_python() -> list[Any]:
    return [(t(1.0, 2.0, 3.0), n) for n in (2, 0, 1, 3)]


def levels() -> list[Any]:
    """A vector and a 0-d float tensor: 2.5, 0.5, -1.5, 0."""
    return [(t(1.0, 2.0, 3.0), s(v)) for v in (2.5, 0.5, -1.5, 0.0)]


def levels_python() -> list[Any]:
    return [(t(1.0, 2.0, 3.0), v) for v in (2.5, 0.5, -1.5, 0.0)]


def vectors() -> list[Any]:
    """Vectors of several lengths, both signs."""
    return [(t(*([v] * n)),) for n in (3, 5, 8) for v in (1.0, -1.0)]
