"""One architecture in one variant: plain Python, torch.compile, gw.compile, and both exports, compared."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

import graphweld as gw
from benchmarks.reach.architectures import Architecture
from benchmarks.reach.configurations import LEVELS, small
from benchmarks.reach.inputs import candidates

PLENTY = 900e6  # parameters that are too many for a survey
PATIENCE = 8.0  # seconds in which to find a size and inputs that run
Tell = Callable[[dict[str, Any]], None]


class NotBuilt(Exception):
    """No configuration and input was found that run eagerly."""


def measure(architecture: Architecture, variant: str, tell: Tell, levels: Any = LEVELS) -> None:
    """Give `tell` the record of one architecture, bit by bit, so that a limit of time keeps what was done."""
    start = time.process_time()
    try:
        model, kwargs, level = build(architecture, variant, levels)
        want, state = _run(model, model, kwargs, variant)
        again, _ = _run(model, model, kwargs, variant)
    except Exception as error:  # noqa: BLE001 - what cannot run eagerly is a row of its own
        tell({"eager": f"{type(error).__name__}: {error}"[:1200]})
        return
    tell(
        {
            "class": type(model).__name__,
            "eager": "ok",
            "level": level,
            "steady": _difference(want, again) is None,
            "seconds_build": _since(start),
        }
    )
    if variant == "export":
        for name, export in (("torch", torch.export.export), ("graphweld", gw.export)):
            tell({name: _exported(export, model, kwargs)})
        return
    tell({"graphweld": _compiled(gw.compile, model, kwargs, variant, want, state)})
    tell({"torch": _compiled(torch.compile, model, kwargs, variant, want, state, fullgraph=False)})


def build(architecture: Architecture, variant: str, levels: Any = LEVELS) -> tuple[Any, dict[str, Any], Any]:
    """A small model of an architecture that runs, with inputs, and how small it is."""
    reasons, end = [], time.process_time() + PATIENCE
    for alternative in architecture.alternatives():
        try:
            return _smallest(alternative, variant, levels, end)
        except NotBuilt as error:
            reasons.append(f"{alternative.class_name}: {error}"[:500])
    raise NotBuilt("; ".join(reasons))


def _smallest(architecture: Architecture, variant: str, levels: Any, end: float) -> tuple[Any, dict[str, Any], Any]:
    model_class, tried = architecture.model_class(), []
    for divisor, small_inputs in levels:
        if time.process_time() > end:
            tried.append(f"no more tried after {PATIENCE:.0f} s")
            break
        try:
            config = small(architecture.config_class(), divisor, small_inputs)
            if variant == "attentions":
                config._attn_implementation = "eager"
            with torch.device("meta"):
                if sum(p.numel() for p in model_class(copy.deepcopy(config)).parameters()) > PLENTY:
                    raise NotBuilt("too large")
            torch.manual_seed(0)
            model = _finite(model_class(config)).eval()
        except Exception as error:  # noqa: BLE001 - the next size may do
            tried.append(f"1/{divisor}: {type(error).__name__}: {error}"[:200])
            continue
        for kwargs in candidates(model, config, architecture.head):
            try:
                _call(model, kwargs)
            except Exception as error:  # noqa: BLE001 - the next guess may do
                tried.append(f"1/{divisor} {','.join(kwargs)}: {type(error).__name__}: {error}"[:200])
                continue
            return (*_as_variant(model, kwargs, variant), [divisor, small_inputs])
    raise NotBuilt("; ".join(dict.fromkeys(tried)))


def _as_variant(model: Any, kwargs: dict[str, Any], variant: str) -> tuple[Any, dict[str, Any]]:
    if variant == "train":
        model.train()
        for module in [model, *model.modules()]:  # so that about half of the layers are left out
            if getattr(module, "layerdrop", 0) is not None and hasattr(module, "layerdrop"):
                module.layerdrop = 0.5
        labelled = {**kwargs, "labels": kwargs["input_ids"].clone()} if "input_ids" in kwargs else kwargs
        try:
            _call(copy.deepcopy(model), labelled)
        except Exception:  # noqa: BLE001 - labels of another form, or none
            return model, kwargs
        return model, labelled
    if variant == "float16":
        return model.half(), {k: v.half() if _is_float(v) else v for k, v in kwargs.items()}
    return model, {**kwargs, "output_attentions": True} if variant == "attentions" else kwargs


def _finite(model: Any) -> Any:
    """Weights that were never set may be anything."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.is_floating_point() and not (torch.isfinite(weight) & (weight.abs() < 1e4)).all():
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.02)
    return model


def _call(fn: Any, kwargs: dict[str, Any]) -> Any:
    torch.manual_seed(7)
    with torch.no_grad():
        return fn(**copy.deepcopy(kwargs))


def _run(model: Any, fn: Any, kwargs: dict[str, Any], variant: str) -> tuple[Any, list[torch.Tensor]]:
    """Results, and behind a call in train mode the gradients and buffers."""
    if variant != "train":
        return _call(fn, kwargs), []
    model.zero_grad()
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    torch.manual_seed(7)
    out = fn(**copy.deepcopy(kwargs))
    losses = [t.float().square().mean() for t in _tensors(out) if t.requires_grad]
    if losses:
        sum(losses).backward()  # type: ignore[union-attr]
    state = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]
    state += [buffer.clone() for buffer in model.buffers()]
    with torch.no_grad():
        for name, buffer in model.named_buffers():
            buffer.copy_(before[name])
    return out, state


def _compiled(
    compile_: Any, model: Any, kwargs: dict[str, Any], variant: str, want: Any, state: list[torch.Tensor], **how: Any
) -> dict[str, Any]:
    torch.compiler.reset()
    graphs: list[torch.fx.GraphModule] = []

    def backend(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Any:
        graphs.append(module)
        return module.forward

    start = time.process_time()
    try:
        out, own = _run(model, compile_(model, backend=backend, **how), kwargs, variant)
    except Exception as error:  # noqa: BLE001 - the answer of this row
        return {**_told(error), "graphs": len(graphs), "seconds": _since(start)}
    differs = _difference((want, state), (out, own))
    return {"graphs": len(graphs), "differs": differs, "seconds": _since(start)}


def _exported(export: Any, model: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    torch.compiler.reset()
    kwargs = {**kwargs, "use_cache": False} if hasattr(model.config, "use_cache") else kwargs
    start = time.process_time()
    try:
        want = _call(model, kwargs)
    except Exception:  # noqa: BLE001 - a model that does not take `use_cache`
        kwargs = {k: v for k, v in kwargs.items() if k != "use_cache"}
        want = _call(model, kwargs)
    try:
        with torch.no_grad():
            program = export(model, (), copy.deepcopy(kwargs))
        return {"graphs": 1, "differs": _difference(want, _call(program.module(), kwargs)), "seconds": _since(start)}
    except Exception as error:  # noqa: BLE001 - the answer of this row
        return {**_told(error), "seconds": _since(start)}


def _told(error: Exception) -> dict[str, Any]:
    """A failure in a row: graphweld's codes and places, or the error's own first words."""
    if not isinstance(error, gw.GraphweldError):
        return {"error": f"{type(error).__name__}: {error}"[:600]}
    found = [
        {"code": d.code, "at": f"{_short(d.span.file)}:{d.span.line}" if d.span else "", "message": d.message[:400]}
        for d in error.diagnostics
    ]
    return {"error": type(error).__name__, "diagnostics": found}


def _short(path: str) -> str:
    return path.rpartition("site-packages/")[2]


def _tensors(value: Any, seen: set[int] | None = None) -> Iterator[torch.Tensor]:
    """Every tensor in a result, in order; caches and other objects of `transformers` are looked into."""
    seen = set() if seen is None else seen
    if isinstance(value, torch.Tensor):
        yield value
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        parts: Any = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    elif type(value).__module__.startswith("transformers.") and not hasattr(value, "model_type"):
        parts = vars(value).values()
    else:
        return
    for part in parts:
        yield from _tensors(part, seen)


def _difference(want: Any, got: Any) -> str | None:
    """What differs first, or None."""
    left, right = list(_tensors(want)), list(_tensors(got))
    if len(left) != len(right):
        return f"{len(left)} tensors in eager, {len(right)} here"
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            return f"tensor {i}: {tuple(a.shape)} {a.dtype} in eager, {tuple(b.shape)} {b.dtype} here"
        close = (1e-2, 2e-2) if a.dtype in (torch.float16, torch.bfloat16) else (1e-4, 1e-5)
        try:
            torch.testing.assert_close(b, a, rtol=close[0], atol=close[1], equal_nan=True)
        except AssertionError as error:
            return f"tensor {i}: " + " ".join(str(error).split())[:200]
    return None


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _since(start: float) -> float:
    return round(time.process_time() - start, 2)
