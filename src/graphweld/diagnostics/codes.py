"""The table of codes. Append-only: a code, once given, means the same for ever; a name may change.

GW0xx the function or the call itself, GW10x branches, GW11x loops, GW12x torch's own breaks, GW13x the environment,
GW14x exported programs, GW20x what the static check finds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphweld.diagnostics.rule import Rule

_RULES = "graphweld.diagnostics.rules"

# code: (name, module and class)
CODES: dict[str, tuple[str, str]] = {
    "GW001": ("source-unavailable", "source_unavailable:SourceUnavailable"),
    "GW002": ("unsupported-syntax", "unsupported_syntax:UnsupportedSyntax"),
    "GW003": ("wrong-usage", "wrong_usage:WrongUsage"),
    "GW101": ("branches-disagree", "branches_disagree:BranchesDisagree"),
    "GW102": ("maybe-unbound", "maybe_unbound:MaybeUnbound"),
    "GW103": ("type-depends-on-data", "type_depends_on_data:TypeDependsOnData"),
    "GW104": ("region-mutates", "region_mutates:RegionMutates"),
    "GW105": ("region-raises", "region_raises:RegionRaises"),
    "GW106": ("region-breaks", "region_breaks:RegionBreaks"),
    "GW110": ("loop-not-welded", "loop_not_welded:LoopNotWelded"),
    "GW111": ("carry-changes", "carry_changes:CarryChanges"),
    "GW112": (
        "list-length-depends-on-data",
        "list_length_depends_on_data:ListLengthDependsOnData",
    ),
    "GW120": ("torch-break", "torch_break:TorchBreak"),
    "GW121": ("backend-fails", "backend_fails:BackendFails"),
    "GW130": ("unsupported-torch", "unsupported_torch:UnsupportedTorch"),
    "GW140": ("not-carried", "not_carried:NotCarried"),
    "GW141": ("export-failed", "export_failed:ExportFailed"),
    "GW142": ("export-differs", "export_differs:ExportDiffers"),
    "GW201": ("data-dependent-branch", "data_dependent_branch:DataDependentBranch"),
    "GW202": ("data-dependent-loop", "data_dependent_loop:DataDependentLoop"),
    "GW203": ("tensor-to-python", "tensor_to_python:TensorToPython"),
    "GW204": ("data-dependent-size", "data_dependent_size:DataDependentSize"),
    "GW205": ("untraced-call", "untraced_call:UntracedCall"),
}


def name_of(code: str) -> str:
    """The readable name of a code."""
    return CODES[code][0]


def rule_class(code: str) -> type[Rule]:
    """The rule of a code; KeyError for a code that was never given."""
    module, _, name = CODES[code][1].partition(":")
    found: type[Rule] = getattr(importlib.import_module(f"{_RULES}.{module}"), name)
    return found
