"""GW141."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class ExportFailed(Rule):
    """The program became one graph, but torch's exporter does not take that graph.

    ## What it does
    Says at which step the exporter stopped, and gives its own reason.

    ## Why
    An ExportedProgram, a compiled package and an ONNX file each have rules of their own: operators that have a
    translation, inputs that are tensors and numbers, sizes that are fixed or declared as dynamic.

    ## Example
    ```python
    gw.export_onnx(torch.linalg.svd, (x,), "model.onnx")      # ONNX has no operator for it
    ```

    ## Use instead
    Operators that the target has. Where the reason names a size, pass `dynamic_shapes`, as to `torch.export.export`.

    ## See also
    GW140 for what no exporter can carry, GW120 for what torch cannot trace.
    """

    code: ClassVar[str] = "GW141"
    step: str
    reason: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{self.step} failed: {self.reason}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return ("the exception that this one came from holds torch's own words in full",)
