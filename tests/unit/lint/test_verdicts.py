"""What the check says graphweld makes of a place is what graphweld makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphweld.lint import Settings, check_text

pytestmark = pytest.mark.needs_torch

# Bodies of a function of `x`, a tensor of ones, and what is to be expected of the first place in each.
BODIES = {
    "branch": ("if x.sum() > 0: x = -x\nreturn x", "welds"),
    "branch that prints": ("if x.sum() > 0: print('positive')\nreturn x", "welds"),
    "branch that appends to a list of its own": ("if x.sum() > 0:\n    o = []\n    o.append(x)\nreturn x", "welds"),
    "branch that appends": ("o = [x]\nif x.sum() > 0: o.append(x)\nreturn o", "welds"),
    "branch that pops": ("o = [x]\nif x.sum() > 0: o.pop()\nreturn o", "welds"),
    "branch that adds to a set": ("s = {1}\nif x.sum() > 0: s.add(2)\nreturn x, s", "welds"),
    "generator": ("def g():\n    if x.sum() > 0: yield x\n    yield -x\nreturn list(g())[0]", "refused"),
    "match": ("match x.sum():\n    case 3: return x\n    case _: return -x", "welds"),
    "assert": ("assert x.sum() > 0\nreturn x", "welds"),
    "conditional expression": ("return x if x.sum() > 0 else -x", "welds"),
    "while": ("while x.sum() < 9: x = x * 2\nreturn x", "welds"),
    "for": ("for i in range(int(x.sum())): x = x + i\nreturn x", "welds"),
    "loop that appends": ("o = []\nfor i in range(int(x.sum())): o.append(x)\nreturn o[0]", "welds"),
    "loop that pops": ("o = [x] * 9\nfor i in range(int(x.sum())): o.pop()\nreturn o", "welds"),
    "loop that takes from a deque": (
        "import collections\no = collections.deque([x] * 9)\nfor i in range(int(x.sum())): o.popleft()\nreturn o",
        "refused",
    ),
    "loop that prints": ("for i in range(int(x.sum())): print(i)\nreturn x", "welds"),
    "comprehension": ("return [x + i for i in range(int(x.sum()))][0]", "welds"),
    "filter": ("return len([v for v in x if v > 0])", "welds"),
    "rows of nonzero": ("for r in x.nonzero(): x = x + r\nreturn x", "welds"),
    "item": ("return x * x.sum().item()", "welds"),
    "tolist": ("return x + x.long().tolist()[0]", "welds"),
    "size": ("return torch.zeros(x.sum().long())", "welds"),
    "slice": ("return x[: x.sum().long()]", "welds"),
    "any": ("return x + any(v > 0 for v in x)", "welds"),
    "math": ("return x * math.sqrt(x.sum())", "refused"),
    "nonzero": ("return x.nonzero()", "welds"),
    "mask": ("return x[x > 0]", "welds"),
    "unique": ("return x.unique()", "welds"),
    "repeat_interleave": ("return torch.repeat_interleave(x, x.long())", "welds"),
    "print": ("print(x.shape)\nreturn x + 1", "welds"),
    "open": ("open('/dev/null').close()\nreturn x + 1", "refused"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_place_becomes_what_the_check_says(name: str, tmp_path: Path) -> None:
    import torch

    import graphweld as gw

    body, wanted = BODIES[name]
    text = "import math\nimport torch\n@torch.compile\ndef f(x: torch.Tensor):\n" + "".join(
        f"    {line}\n" for line in body.splitlines()
    )
    finding = check_text(text, settings=Settings(strict=True))[0]
    assert finding.expected == wanted
    file = tmp_path / "verdict.py"
    file.write_text(text.replace("@torch.compile", ""), encoding="utf-8")
    scope: dict[str, Any] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    torch.compiler.reset()
    try:
        gw.compile(scope["f"], backend="eager")(torch.ones(3))
    except gw.GraphweldError:
        assert wanted == "refused"
    else:
        assert wanted == "welds"
