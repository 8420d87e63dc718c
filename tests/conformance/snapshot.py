"""A snapshot of everything a call can show: values, exact Python types, tensors' metadata, and who is who.

`take(roots)` walks a tree of objects in a fixed order and gives a flat list of entries. Identity and shared storage are
recorded as the path of the first entry that was the same object, or had the same storage, so two snapshots of two
separate runs can be compared entry by entry.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import math
import types
from typing import Any

import torch
from torch import nn

SIMPLE = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)
NN_PRIVATE = {"_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "training"}


@dataclasses.dataclass(frozen=True)
class Entry:
    path: str
    kind: str  # the exact type
    value: Any  # a clone of the tensor, the Python value, or the keys of a container
    same_as: str  # path of the first entry that is the same object
    storage_of: str = ""  # path of the first tensor with the same storage
    grad_fn: bool = False


class _Walk:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.seen: dict[int, str] = {}
        self.storages: dict[int, str] = {}
        self.keep: list[Any] = []  # so that no id is used twice

    def add(self, path: str, value: Any) -> None:
        if isinstance(value, SIMPLE):
            self.entries.append(Entry(path, type(value).__qualname__, value, ""))
            return
        if isinstance(value, torch.Size):
            self.entries.append(Entry(path, "torch.Size", tuple(value), ""))
            return
        if isinstance(value, enum.Enum):
            self.entries.append(Entry(path, type(value).__qualname__, value.name, ""))
            return
        first = self.seen.setdefault(id(value), path)
        self.keep.append(value)
        if isinstance(value, torch.Tensor):
            storage = ""
            if value.layout == torch.strided and not value.is_meta:
                storage = self.storages.setdefault(value.untyped_storage()._cdata, path)
            self.entries.append(
                Entry(path, type(value).__qualname__, _Frozen.of(value), first, storage, value.grad_fn is not None)
            )
            return
        if first != path:
            self.entries.append(Entry(path, type(value).__qualname__, "<seen>", first))
            return
        if isinstance(value, tuple):
            # tuples are values: their identity is not recorded
            del self.seen[id(value)]
            names = getattr(value, "_fields", None)
            self.entries.append(Entry(path, type(value).__qualname__, (len(value), names), ""))
            for i, v in enumerate(value):
                self.add(f"{path}[{i}]", v)
        elif isinstance(value, (list, collections.deque)):
            self.entries.append(Entry(path, type(value).__qualname__, len(value), first))
            for i, v in enumerate(value):
                self.add(f"{path}[{i}]", v)
        elif isinstance(value, dict):
            self.entries.append(Entry(path, type(value).__qualname__, [_key(k) for k in value], first))
            for k, v in value.items():
                self.add(f"{path}[{k!r}]", v)
        elif isinstance(value, (set, frozenset)):
            self.entries.append(Entry(path, type(value).__qualname__, sorted(map(repr, value)), first))
        elif isinstance(value, range):
            self.entries.append(Entry(path, "range", repr(value), ""))
        elif isinstance(value, nn.Module):
            self._module(path, value, first)
        elif isinstance(value, types.MethodType):
            self.entries.append(Entry(path, "method", value.__func__.__qualname__, first))
            self.add(f"{path}.__self__", value.__self__)
        elif isinstance(value, types.FunctionType):
            self.entries.append(Entry(path, "function", value.__qualname__, first))
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                try:
                    content = cell.cell_contents
                except ValueError:
                    continue
                self.add(f"{path}.<{name}>", content)
            if value.__defaults__:
                self.add(f"{path}.__defaults__", value.__defaults__)
        elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
            self.entries.append(Entry(path, "constant", getattr(value, "__name__", repr(value)), ""))
        else:
            fields = _fields(value)
            self.entries.append(Entry(path, type(value).__qualname__, list(fields), first))
            for name, v in fields.items():
                self.add(f"{path}.{name}", v)

    def _module(self, path: str, module: nn.Module, first: str) -> None:
        plain = {k: v for k, v in vars(module).items() if k not in NN_PRIVATE and not _is_hooks(k)}
        self.entries.append(
            Entry(
                path,
                type(module).__qualname__,
                (module.training, sorted(module._parameters), sorted(module._buffers), sorted(plain)),
                first,
            )
        )
        for group in (module._parameters, module._buffers, module._modules, plain):
            for name in sorted(group):
                self.add(f"{path}.{name}", group[name])


class _Frozen:
    """A tensor's clone and its metadata."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.data = (
            tensor.detach().clone(memory_format=torch.contiguous_format)
            if tensor.layout == torch.strided
            else tensor.detach().clone()
        )
        self.dtype, self.shape, self.device = tensor.dtype, tuple(tensor.shape), tensor.device
        self.requires_grad = tensor.requires_grad
        self.is_inference = tensor.is_inference()
        self.strides = _strides(tensor)
        self.offset = tensor.storage_offset() if tensor.layout == torch.strided else 0

    @staticmethod
    def of(tensor: torch.Tensor) -> _Frozen:
        with torch.no_grad():
            return _Frozen(tensor)

    def __repr__(self) -> str:
        values = self.data.tolist() if self.data.numel() < 12 else "..."
        return (
            f"tensor({values}, {self.dtype}, {self.shape}, strides={self.strides}, requires_grad={self.requires_grad})"
        )


def _strides(tensor: torch.Tensor) -> tuple[int, ...]:
    """Strides where they can be told: those of dimensions of size 0 or 1 mean nothing."""
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return ()
    return tuple(-1 if size == 1 else stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))


def _key(key: Any) -> Any:
    return key if isinstance(key, SIMPLE) else repr(key)


def _is_hooks(name: str) -> bool:
    """Attributes that torch itself keeps on a module (torch.compile sets `_is_torch_compile`)."""
    return (
        name.endswith("_hooks")
        or name.endswith("_hooks_with_kwargs")
        or name.endswith("_hooks_always_called")
        or name in {"_is_full_backward_hook", "_compiled_call_impl", "_is_torch_compile"}
    )


def _fields(value: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for klass in type(value).__mro__:
        slots = klass.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name) and not name.startswith("__"):
                out[name] = getattr(value, name)
    out.update(getattr(value, "__dict__", {}))
    if not out and not hasattr(value, "__dict__"):
        return {}
    return out


def take(**roots: Any) -> list[Entry]:
    walk = _Walk()
    for name, value in roots.items():
        walk.add(name, value)
    return walk.entries


def compare(
    want: list[Entry],
    got: list[Entry],
    *,
    strides: bool = True,
    aliases: bool = True,
    requires_grad: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Raise AssertionError at the first difference."""
    for w, g in zip(want, got, strict=False):  # a difference in length is told below
        assert w.path == g.path, f"eager has {w.path} ({w.kind}) where compiled has {g.path} ({g.kind})"
        at = w.path
        assert w.kind == g.kind, f"{at}: type {w.kind} in eager ({w.value!r}), {g.kind} compiled ({g.value!r})"
        if isinstance(w.value, _Frozen):
            _compare_tensors(at, w, g, strides, requires_grad, rtol, atol)
            assert not aliases or w.storage_of == g.storage_of, (
                f"{at}: storage of {w.storage_of} in eager, of {g.storage_of} compiled"
            )
        else:
            assert _same(w.value, g.value), f"{at}: {w.value!r} in eager, {g.value!r} compiled"
        assert not aliases or w.same_as == g.same_as, (
            f"{at}: the same object as {w.same_as} in eager, as {g.same_as} compiled"
        )
    missing = [e.path for e in want[len(got) :]]
    extra = [e.path for e in got[len(want) :]]
    assert not missing and not extra, f"only in eager: {missing}; only compiled: {extra}"


def _compare_tensors(
    at: str,
    want: Entry,
    got: Entry,
    strides: bool,
    requires_grad: bool,
    rtol: float | None,
    atol: float | None,
) -> None:
    w, g = want.value, got.value
    for field in ("dtype", "shape", "device", "requires_grad", "is_inference"):
        a, b = getattr(w, field), getattr(g, field)
        assert a == b or (field == "requires_grad" and not requires_grad), f"{at}: {field} {a} in eager, {b} compiled"
    if strides:
        assert w.strides == g.strides, f"{at}: strides {w.strides} in eager, {g.strides} compiled"
    torch.testing.assert_close(g.data, w.data, rtol=rtol, atol=atol, equal_nan=True, msg=lambda m: f"{at}: {m}")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) and math.copysign(1, a) == math.copysign(1, b)
    return bool(a == b)


def signature(inputs: list[Any], state: list[Any]) -> str:
    """What a compiled graph may depend on: shapes, dtypes and requires_grad of tensors, Python values exactly.

    Numbers that the program keeps in its own objects count by their type only.
    """
    words = []
    for e in take(inputs=inputs, state=state):
        if isinstance(e.value, _Frozen):
            v = e.value
            words.append(f"{e.path}:{v.dtype}{v.shape}{v.strides}{v.requires_grad}={e.same_as}")
        elif e.path.startswith("state") and e.kind in ("int", "float"):
            words.append(f"{e.path}:{e.kind}")
        else:
            words.append(f"{e.path}:{e.kind}={e.value!r}={e.same_as}")
    return "; ".join(words)
