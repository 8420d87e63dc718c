"""docs/reach.md, from the results of a survey."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.reach import tables

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PAGE = HERE.parents[1] / "docs" / "reach.md"
VARIANTS = ("eval", "train", "float16", "attentions", "export")
HEAD = """<!-- Written by `python -m benchmarks.reach page` from benchmarks/reach/results. -->

# Reach

Code that nobody here wrote: the architectures of `transformers`, built tiny from their configurations with random
weights, in one process each. Each is called in plain Python, under `torch.compile` and under `gw.compile` (both with a
backend that runs the graph as it is), and exported by `torch.export` and `gw.export`. *Equal* compares every tensor of
the result with plain Python's; in train mode, with layers left out at random under a fixed seed, also every gradient
and buffer. A model whose time ran out, of 60 to 90 seconds of CPU for everything, counts as not one graph. Models that
were not built, or not yet tried, prove nothing: the survey goes on with `python -m benchmarks.reach run`, and
`benchmarks/reach/README.md` tells how to choose among them.
"""
PAPER = """The models of GraphMend's table (arXiv 2509.16248, version 4) that `transformers` has itself, built small.
Breaks before → after: theirs as the paper gives them, with the versions of its time; here under `torch.compile` → under
`gw.compile`. What a logger broke, torch does not break any more; in evaluation mode most is gone. Not among them:
MoLFormer, MiniCPM-MoE, stella and Qwen-Audio, whose code is not part of `transformers`."""
CAUSES = """One model for each, with the CPU seconds that compiling and the first call took, on a machine that did other
things as well: to be compared with each other, not with those of another machine."""


def page() -> str:
    """The whole page."""
    surveys = {v: json.loads(p.read_text()) for v in VARIANTS if (p := RESULTS / f"{v}.json").exists()}
    versions = next(iter(surveys.values()))["versions"]
    lines = [HEAD, ", ".join(f"{name} {version}" for name, version in versions.items()) + ", CPU.", ""]
    lines += ["| variant | models | run in eager | one graph, torch | one graph, graphweld | of these equal |"]
    lines += ["| --- |" + " --- |" * 5]
    for variant, survey in surveys.items():
        lines.append(_summary(variant, list(survey["models"].values())))
    lines += ["", "## GraphMend's models", "", PAPER, "", *tables.paper(surveys)]
    lines += ["", "## What breaks, before and after", "", CAUSES, "", *tables.causes(surveys)]
    lines += ["", "## What torch breaks and graphweld does not", ""]
    lines += ["| model | variant | graphs, torch | graphs, graphweld |", "| --- | --- | --- | --- |"]
    for variant, key, record in _each(surveys):
        if is_whole(record) and not _is_one(record.get("torch", {})):
            lines.append(f"| {key} | {variant} | {record.get('torch', {}).get('graphs', '?')} | 1 |")
    lines += ["", "## What is not one graph, or not equal", ""]
    causes: Counter[str] = Counter()
    rows = []
    for variant, key, record in _each(surveys):
        if not is_whole(record):
            causes[_cause(record)] += 1
            rows.append(f"| {key} | {variant} | {_told(record)} |")
    lines += ["| cause | models and variants |", "| --- | --- |"]
    lines += [f"| {cause} | {count} |" for cause, count in causes.most_common()]
    lines += ["", "| model | variant | what graphweld says |", "| --- | --- | --- |", *rows]
    return "\n".join(lines) + "\n"


def is_whole(record: dict[str, Any]) -> bool:
    """Whether graphweld gives one graph that is equal to eager."""
    ours = record.get("graphweld", {})
    return _is_one(ours) and not _differs(record)


def _is_one(row: dict[str, Any]) -> bool:
    return row.get("graphs") == 1 and "error" not in row


def _differs(record: dict[str, Any]) -> bool:
    """Whether results differ. A model that differs from itself in plain Python proves nothing."""
    return bool(record.get("graphweld", {}).get("differs")) and bool(record.get("steady", True))


def _each(surveys: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for variant, survey in surveys.items():
        for key, record in sorted(survey["models"].items()):
            if record.get("eager") == "ok":
                yield variant, key, record


def _summary(variant: str, records: list[dict[str, Any]]) -> str:
    ran = [r for r in records if r.get("eager") == "ok"]
    ours = [r for r in ran if _is_one(r.get("graphweld", {}))]
    cells = [variant, len(records), len(ran), sum(_is_one(r.get("torch", {})) for r in ran), len(ours)]
    cells.append(sum(not _differs(r) for r in ours))
    return "| " + " | ".join(map(str, cells)) + " |"


def _cause(record: dict[str, Any]) -> str:
    ours = record.get("graphweld")
    if ours is None:
        return str(record.get("stopped", "no answer"))
    if _differs(record):
        return "differs"
    codes = dict.fromkeys(d["code"] for d in ours.get("diagnostics", ()))
    words = str(ours.get("error", "several graphs")).split("\n")[0][:60]
    return ", ".join(f"[{code}](codes/{code}.md)" for code in codes) or words


def _told(record: dict[str, Any]) -> str:
    ours = record.get("graphweld")
    if ours is None:
        return str(record.get("stopped", "no answer"))
    if ours.get("diagnostics"):
        words = "<br>".join(f"{d['code']} {d['at']}: {d['message'][:160]}" for d in ours["diagnostics"])
    else:
        words = str(ours.get("differs") or ours.get("error") or f"{ours['graphs']} graphs")[:200]
    return " ".join(words.replace("|", "\\|").split())
