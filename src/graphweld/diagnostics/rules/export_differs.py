"""GW142."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphweld.diagnostics.rule import Rule


@dataclass(frozen=True, slots=True)
class ExportDiffers(Rule):
    """The exported program was run, and its results are not those of the program it was made from.

    ## What it does
    Names the result that differs, and by how much. No file is left behind.

    ## Why
    `verify=True`, the default, runs what was exported on the inputs it was exported with. A difference is a fault, of
    graphweld, of torch's exporter or of the runtime, or a program that is not the same from call to call.

    ## Example
    ```python
    gw.export_onnx(lambda x: x.half() * 60000 / 60000, (x,), "m.onnx")     # ONNX Runtime computes half floats as floats
    ```

    ## Use instead
    `verify=False`, where a difference is expected: half floats, or sums in another order of very large tensors.

    ## See also
    GW141.
    """

    code: ClassVar[str] = "GW142"
    output: str
    difference: str
    runtime: str

    def message(self) -> str:
        """The finding in one sentence."""
        return f"{self.output} in {self.runtime} is not that of eager Python: {self.difference}"

    def hints(self) -> tuple[str, ...]:
        """What to change."""
        return ("if a difference of this size is expected, pass `verify=False`", "if it is not, please report this")
