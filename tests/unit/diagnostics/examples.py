"""One built rule per code, at least; `test_rules.py` reads what each says."""

from __future__ import annotations

from graphweld.diagnostics import Rule, rules

EXAMPLES: list[Rule] = [
    rules.SourceUnavailable("pick", "it was made by exec"),
    rules.UnsupportedSyntax("yield", "halves", "it hands control to a caller outside of the graph"),
    rules.WrongUsage("no such file: model.py", ("check the path",)),
    rules.BranchesDisagree("y", "a tensor on cpu", "a tensor on cuda:0", "device"),
    rules.BranchesDisagree("the returned value", "a tensor", "a set", "a graph cannot give a set"),
    rules.MaybeUnbound("y"),
    rules.TypeDependsOnData("mask", "None or a tensor", "it is multiplied"),
    rules.RegionMutates("self.seen", "a branch"),
    rules.RegionMutates("out", "a loop", is_copied=True),
    rules.RegionMutates("a list", "a trip", is_gone_through=True),
    rules.RegionRaises("ValueError"),
    rules.RegionBreaks("a branch", "call to a C extension", "GB0059"),
    rules.RegionBreaks("a branch", "call to a C extension"),
    rules.LoopNotWelded("for", "its number of rounds, `n`, comes out of a tensor"),
    rules.CarryChanges("total", "an int", "a tensor of dtype float32", "type"),
    rules.ListLengthDependsOnData("`insert` is called on it"),
    rules.TorchBreak("call to a C extension", "GB0059"),
    rules.TorchBreak("call to a C extension"),
    rules.DataDependentBranch("if", "x.sum() > 0"),
    rules.DataDependentLoop("while", "x.max() > 1"),
    rules.TensorToPython(".item()", "x.sum()"),
    rules.DataDependentSize("mask", "x[x > 0]"),
    rules.UntracedCall("open", "open"),
    rules.BackendFails("'aot_eager'", "RuntimeError: the strides differ"),
    rules.NotCarried("assign self.calls", "an exported program", "make it a buffer"),
    rules.ExportFailed("torch's ONNX exporter", "no operator for aten.linalg_svd"),
    rules.ExportDiffers("output 0", "mismatched elements: 1 / 3", "ONNX Runtime"),
    rules.UnsupportedTorch("2.9.1", ">=2.13,<2.15"),
]
