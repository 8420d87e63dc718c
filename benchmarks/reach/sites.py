"""Which models have a data-dependent site in their source, as `gw.check` finds them."""

from __future__ import annotations

import functools
from pathlib import Path

import graphweld as gw
from benchmarks.reach.architectures import Architecture


def has_site(architecture: Architecture) -> bool:
    """Whether the code of the model has one."""
    import transformers
    from transformers.models.auto.configuration_auto import model_type_to_module_name

    folder = Path(transformers.__file__).parent / "models" / model_type_to_module_name(architecture.key)
    return any(map(_has_site, folder.glob("modeling_*.py")))


@functools.cache
def _has_site(path: Path) -> bool:
    return bool(gw.check([path]))
