"""The support matrix: how many programs of the corpus are as plain Python, by kind and by way of running.

Taken from the conformance tests' list of exceptions, which is strict both ways: what is listed there fails in just that
way, and everything else passes.

python tools/support_matrix.py        print it
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def text() -> str:
    """The page."""
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    from tests.conformance import exported
    from tests.conformance.expectations import ENDLESS, EXPECTED, EXPORTED
    from tests.conformance.test_conformance import MATRIX
    from tests.corpus.program import programs

    columns = list(dict.fromkeys((target, variant) for _, target, variant in MATRIX))
    cells: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    codes: dict[str, set[str]] = defaultdict(set)
    for program, target, variant in MATRIX:
        kind = program.name.partition(".")[0]
        row = next((r for r in EXPECTED if r.covers(program.name, target, variant)), None)
        if program.name in ENDLESS:
            continue  # not compared
        cells[kind][target, variant].append("" if row is None else row.refused or "gap")
        if row is not None and row.refused:
            codes[kind].add(row.refused)
    for program in filter(exported.has_tensors_only, programs()):
        for way in ("export", "saved"):
            rules = [r for r in EXPORTED if r.covers(program.name, way, "tensor")]
            rules += [r for r in EXPECTED if r.refused and r.covers(program.name, "eager", "tensor")]
            kind = program.name.partition(".")[0]
            cells[kind][way, ""].append(rules[0].refused or "gap" if rules else "")
            codes[kind] |= {r.refused for r in rules[:1] if r.refused}
    columns += [("export", ""), ("saved", "")]
    head = ["programs of", *(", ".join(filter(None, column)) for column in columns), "refused with"]
    lines = [
        "# Support matrix",
        "",
        "The programs that graphweld is tested with, by kind, each run in several ways and compared with plain Python.",
        "A cell says how many of them are as plain Python, of how many; the others are refused with a code, or are a",
        "gap that [limits](limits.md) tells of. *export* is the exported program; *saved* is it decomposed, written to",
        "a file and read back.",
        "",
        "| " + " | ".join(head) + " |",
        "| " + " | ".join("---" for _ in head) + " |",
    ]
    for kind in sorted(cells):
        counts = [f"{got.count('')} of {len(got)}" if (got := cells[kind][column]) else "" for column in columns]
        links = ", ".join(f"[{code}](codes/{code}.md)" for code in sorted(codes[kind]))
        lines.append("| " + " | ".join([kind.replace("_", " "), *counts, links]) + " |")
    return "\n".join(lines) + "\n"


def write(path: Path) -> None:
    """Write the page, where it has changed."""
    wanted = text()
    if not path.exists() or path.read_text(encoding="utf-8") != wanted:
        path.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    print(text(), end="")
