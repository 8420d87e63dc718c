"""Two tables of docs/reach.md: the models of GraphMend's paper, and what breaks graphs most often."""

from __future__ import annotations

from typing import Any

# arXiv 2509.16248v4 and its artifact: their model, the architecture here, breaks before and after, what broke there.
PAPER = (
    ("t5-small, t5-base, flan-t5-large", "t5", 3, 0, "a logger"),
    ("whisper (three)", "whisper", 3, 0, "a logger"),
    ("bart-base, bart-large-cnn, rebel-large", "bart", 7, 0, "branches, a logger"),
    ("opus-mt-fr-en", "marian", 6, 0, "branches, a logger"),
    ("biogpt", "biogpt", 2, 0, "a logger"),
    ("blenderbot-400M-distill", "blenderbot", 3, 0, "branches, a logger"),
    ("tiny-random-PegasusForCausalLM", "pegasus", 2, 0, "branches, a logger"),
    ("layoutlmv3-base", "layoutlmv3", 2, 0, "a logger"),
    ("Phi-4-mini-instruct", "phi3", 5, 0, "branches (LongRoPE)"),
    ("Florence-2", "florence2", 7, 0, "branches"),
    ("grounding-dino-tiny, -base", "grounding-dino", 17, 7, "sizes, operators, branches"),
    ("longformer-base-4096", "longformer", 5, 3, "a logger, `.item()`"),
    ("clap-htsat-fused", "clap", 4, 4, "sizes"),
)
VARIANTS = ("eval", "train", "float16")
# What breaks, as it stands in the source, and a model and variant that shows it.
CAUSES = (
    ("layers left out at random", "if dropout_probability < self.layerdrop:", "bart", "train"),
    ("clamping what overflows", "if not torch.isfinite(hidden_states).all():", "bart", "float16"),
    ("loops over the sizes of images", "for t, h, w in grid_thw.tolist():", "glm4v_vision", "eval"),
    ("attention in parts of given lengths", "torch.split(tensor, lengths.tolist(), dim=2)", "exaone4_5_vision", "eval"),
    ("rows taken out by a mask", "audio_embeds[valid_mask]", "audioflamingo3", "eval"),
    ("rows put in by a mask", "hidden_states.masked_scatter(mask, ...)", "higgs_audio_v2", "eval"),
    ("experts and how much each gets", "expert_size = expert_size.tolist()", "jetmoe", "eval"),
    ("an assert about lengths", "assert lengths.max().item() <= slen", "flaubert", "eval"),
    ("durations that the model predicts", "if duration_labels.sum() == 0:", "fastspeech2_conformer", "eval"),
    ("padding as much as the input asks for", "if length <= max_pad:", "encodec", "eval"),
)


def paper(surveys: dict[str, Any]) -> list[str]:
    """Each model family of the paper that `transformers` has: theirs, and what is measured here."""
    lines = ["| GraphMend's model | breaks, theirs | what broke | architecture | " + _columns() + " |"]
    lines += ["| --- |" + " --- |" * (3 + len(VARIANTS))]
    for model, key, before, after, words in PAPER:
        cells = [_breaks(surveys.get(v, {"models": {}})["models"].get(key)) for v in VARIANTS]
        lines.append(f"| {model} | {before} → {after} | {words} | {key} | " + " | ".join(cells) + " |")
    return lines


def _columns() -> str:
    return " | ".join(f"{variant}, here" for variant in VARIANTS)


def _breaks(record: dict[str, Any] | None) -> str:
    """Breaks under torch.compile and under gw.compile."""
    if record is None or record.get("eager") != "ok":
        return "not built" if record else "not tried"
    return f"{_of(record.get('torch'))} → {_of(record.get('graphweld'))}"


def _of(row: dict[str, Any] | None) -> str:
    if row is None or "error" in row:
        return "refused" if row else "no answer"
    return "differs" if row.get("differs") else str(max(row["graphs"] - 1, 0))


def causes(surveys: dict[str, Any]) -> list[str]:
    """What breaks graphs most often, each on a model: before, after, and the time to compile and run once."""
    lines = [
        "| cause | in the source | model | graphs, torch | graphs, graphweld | seconds, torch | seconds, graphweld |"
    ]
    lines += ["| --- |" + " --- |" * 6]
    for words, source, key, variant in CAUSES:
        record = surveys.get(variant, {"models": {}})["models"].get(key)
        rows = [(record or {}).get(who, {}) for who in ("torch", "graphweld")]
        cells = [str(row.get(name, "not measured")) for name in ("graphs", "seconds") for row in rows]
        lines.append(f"| {words} | `{source}` | {key}, {variant} | " + " | ".join(cells) + " |")
    return lines
