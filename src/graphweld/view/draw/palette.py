"""The colors of a picture: green is data, orange a decision, blue an If or Loop, red a break."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """Stroke, fill and ink, in light and in dark."""

    stroke: str
    fill: str
    ink: str
    dark_stroke: str
    dark_fill: str
    dark_ink: str


_GREEN = Look("#1a7f37", "#e6f6ea", "#0d3b1c", "#3fb25f", "#12301d", "#d3f2dc")
_ORANGE = Look("#c2570c", "#fff1e0", "#5c2a06", "#f0883e", "#3d2410", "#ffe0c2")
_BLUE = Look("#1f5fc4", "#f3f7ff", "#173f80", "#6ea8ff", "#141d2e", "#bcd6ff")
_RED = Look("#c62828", "#fff6f5", "#7a1414", "#ff7b72", "#2b1515", "#ffc9c4")
_GRAY = Look("#8a94a0", "#ffffff", "#1c2024", "#76808c", "#1c2229", "#e6e9ed")
_PALE = Look("#b6bec8", "#f2f4f7", "#5b6470", "#4c5661", "#20262d", "#9aa4b0")

NODES = {
    "input": _GREEN,
    "output": _GREEN,
    "parameter": _PALE,
    "op": _GRAY,
    "select": _BLUE,
    "test": _ORANGE,
    "carry": _ORANGE,
    "result": _BLUE,
    "kept": _PALE,
    "python": _ORANGE,
    "closed": _BLUE,
}
CLUSTERS = {
    "if": _BLUE,
    "loop": _BLUE,
    "call": _GRAY,
    "piece": _RED,
    "then": Look("#1a7f37", "#f4fbf6", "#1a7f37", "#3fb25f", "#10201a", "#7ee29b"),
    "else": Look("#c62828", "#fff6f5", "#c62828", "#ff7b72", "#241515", "#ffaaa4"),
    "body": Look("#1a7f37", "#f4fbf6", "#1a7f37", "#3fb25f", "#10201a", "#7ee29b"),
}
EDGES = {"data": _GREEN, "test": _ORANGE, "again": _ORANGE, "break": _RED}
FAINT, DARK_FAINT = "#5b6470", "#9aa4b0"


def dark_rules(prefix: str) -> str:
    """The style rules that turn a picture dark, each under `prefix`; light stands in the picture itself."""
    rules = [f"{prefix} text.faint{{fill:{DARK_FAINT}}}"]
    for group, looks in (("node", NODES), ("cluster", CLUSTERS)):
        for kind, look in looks.items():
            at = f"{prefix} .{group}.{kind}>"
            shapes = f"{at}:is(path,polygon,ellipse),{at}g>a>:is(path,polygon,ellipse)"
            rules.append(f"{shapes}{{stroke:{look.dark_stroke};fill:{look.dark_fill}}}")
            rules.append(f"{at}text,{at}g>a>text{{fill:{look.dark_ink}}}")
    for kind, look in EDGES.items():
        rules.append(f"{prefix} .edge.{kind} path{{stroke:{look.dark_stroke}}}")
        rules.append(f"{prefix} .edge.{kind} polygon{{stroke:{look.dark_stroke};fill:{look.dark_stroke}}}")
    return "\n".join(rules)
