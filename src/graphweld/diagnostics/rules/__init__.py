"""Every rule, one file each. The words only: what finds a case builds the rule and passes it to `diagnose`."""

from graphweld.diagnostics.rules.backend_fails import BackendFails
from graphweld.diagnostics.rules.branches_disagree import BranchesDisagree
from graphweld.diagnostics.rules.carry_changes import CarryChanges
from graphweld.diagnostics.rules.data_dependent_branch import DataDependentBranch
from graphweld.diagnostics.rules.data_dependent_loop import DataDependentLoop
from graphweld.diagnostics.rules.data_dependent_size import DataDependentSize
from graphweld.diagnostics.rules.export_differs import ExportDiffers
from graphweld.diagnostics.rules.export_failed import ExportFailed
from graphweld.diagnostics.rules.list_length_depends_on_data import ListLengthDependsOnData
from graphweld.diagnostics.rules.loop_not_welded import LoopNotWelded
from graphweld.diagnostics.rules.maybe_unbound import MaybeUnbound
from graphweld.diagnostics.rules.not_carried import NotCarried
from graphweld.diagnostics.rules.region_breaks import RegionBreaks
from graphweld.diagnostics.rules.region_mutates import RegionMutates
from graphweld.diagnostics.rules.region_raises import RegionRaises
from graphweld.diagnostics.rules.source_unavailable import SourceUnavailable
from graphweld.diagnostics.rules.tensor_to_python import TensorToPython
from graphweld.diagnostics.rules.torch_break import TorchBreak
from graphweld.diagnostics.rules.type_depends_on_data import TypeDependsOnData
from graphweld.diagnostics.rules.unsupported_syntax import UnsupportedSyntax
from graphweld.diagnostics.rules.unsupported_torch import UnsupportedTorch
from graphweld.diagnostics.rules.untraced_call import UntracedCall
from graphweld.diagnostics.rules.wrong_usage import WrongUsage

__all__ = [
    "BackendFails",
    "BranchesDisagree",
    "CarryChanges",
    "DataDependentBranch",
    "DataDependentLoop",
    "DataDependentSize",
    "ExportDiffers",
    "ExportFailed",
    "ListLengthDependsOnData",
    "LoopNotWelded",
    "MaybeUnbound",
    "NotCarried",
    "RegionBreaks",
    "RegionMutates",
    "RegionRaises",
    "SourceUnavailable",
    "TensorToPython",
    "TorchBreak",
    "TypeDependsOnData",
    "UnsupportedSyntax",
    "UnsupportedTorch",
    "UntracedCall",
    "WrongUsage",
]
