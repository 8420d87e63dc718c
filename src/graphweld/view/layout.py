"""Where things stand in a picture: Graphviz decides, the program `dot`, or its WebAssembly build under Node.js."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from graphweld.diagnostics import UsageError

ENGINE = Path(__file__).parent / "draw" / "vendor" / "graphviz.js"
_SECONDS = 300
_RUN = (
    "require(process.argv[1]); Graphviz.load().then((graphviz) =>"
    " process.stdout.write(graphviz.layout(require('fs').readFileSync(0, 'utf8'), 'svg', 'dot')));"
)


def can_lay_out() -> bool:
    """Whether a program is here that lays out. A page needs none: the browser does it."""
    return _command() is not None


def lay_out(dot: str) -> str:
    """DOT text as SVG.

    Raises:
        UsageError: where neither `dot` nor `node` is installed, or it fails.
    """
    command = _command()
    if command is None:
        raise UsageError.because(
            "an SVG needs the program `dot` (Graphviz) or `node` (Node.js), and neither is installed",
            "save an .html page instead, which the browser lays out",
        )
    done = subprocess.run(list(command), input=dot, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode != 0 or "</svg>" not in done.stdout:
        said = (done.stderr.strip().splitlines() or ["it wrote no picture"])[-1]
        raise UsageError.because(f"{Path(command[0]).name} could not lay out the picture: {said}")
    return done.stdout


@cache
def engine() -> str:
    """The WebAssembly build, as one script."""
    return ENGINE.read_text(encoding="utf-8")


def _command() -> tuple[str, ...] | None:
    if found := shutil.which("dot"):
        return found, "-Tsvg"
    if found := shutil.which("node"):
        return found, "-e", _RUN, str(ENGINE)
    return None
