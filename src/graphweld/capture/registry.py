"""The table of graph breaks that torch ships: every kind by its code."""

import json
from importlib import resources


def torch_breaks() -> dict[str, str]:
    """Torch's names of breaks, by code: `GB0170` is "Data-dependent branching"."""
    text = (resources.files("torch._dynamo") / "graph_break_registry.json").read_text(encoding="utf-8")
    return {code: entries[0]["Gb_type"] for code, entries in json.loads(text).items()}
