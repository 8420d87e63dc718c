"""How to compile: one frozen record, passed down by hand. Nothing reads a flag from a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Backend = str | Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller of `gw.compile` chose. Fields mean what they mean to `torch.compile`, but for the default of
    `fullgraph`.
    """

    fullgraph: bool = True
    backend: Backend = "inductor"
    mode: str | None = None
    dynamic: bool | None = None
    options: Mapping[str, Any] | None = None
