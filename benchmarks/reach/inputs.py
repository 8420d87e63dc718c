"""Inputs that an architecture may take: guesses from the names of its forward's parameters, likelier ones first.

Batches hold two rows of which one is padded, so that masks mean something. Prompts of models that read images or sound
hold as many placeholders as the model makes of the medium.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch

from benchmarks.reach.configurations import attribute, special_tokens

ROWS, LENGTH = 2, 20
IMAGES = ("pixel_values", "pixel_values_images", "flattened_patches", "pixel_values_videos", "images", "videos")
SOUNDS = ("input_features", "input_values", "input_audio_embeds", "audio_values", "input_waveforms")
GRIDS = ("image_grid_thw", "grid_thw", "image_grid_hws", "grid_hws", "image_grids")
SOUND_MASKS = (
    "input_features_mask",
    "feature_attention_mask",
    "padding_mask",
    "audio_attention_mask",
    "attention_mask",
)
Kwargs = dict[str, Any]


def candidates(model: Any, config: Any, head: str) -> Iterator[Kwargs]:
    """Keyword arguments to try, one after the other."""
    takes = set(inspect.signature(model.forward).parameters)
    text = _text(config, takes, head)
    if "past_values" in takes:
        yield from _series(config, takes)
    images = (*IMAGES, "hidden_states") if takes.intersection(GRIDS) else IMAGES
    image = next((name for name in images if name in takes), None)
    sound = next((name for name in SOUNDS if name in takes), None)
    media = [*(_images(config, takes, image) if image else ()), *(_sounds(config, takes, sound) if sound else ())]
    for medium in media:
        if "input_ids" in takes:
            yield from _prompts(model, config, takes, text, medium)
        yield {**text, **medium}
    if text:
        yield text
        yield {name: value for name, value in text.items() if name != "attention_mask"}
    width = attribute(config, "hidden_size", "d_model", default=32)
    for name in ("inputs_embeds", "hidden_states"):
        if name in takes and isinstance(width, int):
            yield {name: torch.randn(ROWS, LENGTH, width)}
    yield {}


def _ids(config: Any, length: int = LENGTH) -> torch.Tensor:
    """Ordinary tokens: none that means something."""
    size = attribute(config, "vocab_size", default=100)
    size = size if isinstance(size, int) else 100
    special = set(special_tokens(config).values())
    pool = [token for token in range(4, min(size, 2000)) if token not in special] or list(range(min(size, 8)))
    return torch.tensor(pool)[torch.randint(0, len(pool), (ROWS, length))]


def _mask(length: int, left: bool = False) -> torch.Tensor:
    mask = torch.ones(ROWS, length, dtype=torch.long)
    mask[-1, : length // 4] = 0
    return mask if left else mask.flip(1)


def _text(config: Any, takes: set[str], head: str) -> Kwargs:
    found: Kwargs = {}
    if "input_ids" in takes:
        found["input_ids"] = _ids(config)
        if "attention_mask" in takes:
            found["attention_mask"] = _mask(LENGTH, left=head in ("CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM"))
        if "bbox" in takes:
            corner, size = torch.randint(0, 100, (ROWS, LENGTH, 2)), torch.randint(1, 100, (ROWS, LENGTH, 2))
            found["bbox"] = torch.cat([corner, corner + size], -1)
    if "decoder_input_ids" in takes and getattr(config, "is_encoder_decoder", False):
        decoder = getattr(config, "decoder", None)
        found["decoder_input_ids"] = _ids(decoder if hasattr(decoder, "vocab_size") else config, 8)
    return found


def _series(config: Any, takes: set[str]) -> Iterator[Kwargs]:
    past, ahead = attribute(config, "context_length", default=32), attribute(config, "prediction_length", default=8)
    if "past_time_features" in takes:
        past += max(attribute(config, "lags_sequence", default=[0]) or [0])
        shape = () if attribute(config, "input_size", default=1) == 1 else (config.input_size,)
        features = max(1, attribute(config, "num_time_features", default=0))
        seen = torch.ones(ROWS, past, *shape)
        seen[-1, :5] = 0
        yield {
            "past_values": torch.rand(ROWS, past, *shape),
            "past_time_features": torch.rand(ROWS, past, features),
            "past_observed_mask": seen,
            "future_values": torch.rand(ROWS, ahead, *shape),
            "future_time_features": torch.rand(ROWS, ahead, features),
        }
    channels = attribute(config, "num_input_channels", default=1)
    yield {"past_values": torch.randn(ROWS, past, channels)}
    yield {"past_values": torch.randn(ROWS, past)}


def _images(config: Any, takes: set[str], name: str) -> Iterator[Kwargs]:
    channels = attribute(config, "num_channels", "in_channels", "in_chans", default=3)
    channels = channels if isinstance(channels, int) else 3
    grid = next((g for g in GRIDS if g in takes), None)
    if grid is not None:
        patch = _pair(attribute(config, "patch_size", default=14))[0]
        merge = _pair(attribute(config, "spatial_merge_size", "merge_size", default=2))[0]
        sizes = torch.tensor([[1, 2 * merge, 2 * merge], [1, 2 * merge, 2 * merge]])
        count = int(sizes.prod(-1).sum())
        for frames in (attribute(config, "temporal_patch_size", default=2), 1):
            shown = sizes[:, 1:] if grid.endswith("hws") else sizes
            yield {name: torch.randn(count, channels * frames * patch * patch), grid: shown}
        yield {name: torch.randn(count, channels, patch, patch), grid: shown}
    height, width = _pair(attribute(config, "image_size", "input_size", "img_size", default=64))
    frames = attribute(config, "num_frames", "frames_per_clip")
    shapes = [(ROWS, channels, height, width), (ROWS, channels, 224, 224), (ROWS, 1, channels, height, width)]
    shapes += [(ROWS, channels, 64, 64), (ROWS, 2, channels, height, width)]
    if isinstance(frames, int):
        shapes.insert(0, (ROWS, frames, channels, height, width))
    for shape in dict.fromkeys(shapes):
        made: Kwargs = {name: torch.randn(shape)}
        if "image_sizes" in takes:
            made["image_sizes"] = torch.tensor([shape[-2:]] * ROWS)
        if "pixel_mask" in takes:
            shown = torch.ones(ROWS, *shape[-2:], dtype=torch.long)
            shown[-1, :, shape[-1] * 3 // 4 :] = 0
            yield {**made, "pixel_mask": shown}
        yield made


def _sounds(config: Any, takes: set[str], name: str) -> Iterator[Kwargs]:
    bands = attribute(
        config, "num_mel_bins", "n_mels", "feature_size", "input_feat_per_channel", "input_dim", default=80
    )
    bands = bands if isinstance(bands, int) else 80
    shapes: list[tuple[int, ...]] = [(ROWS, 100, bands), (ROWS, bands, 100), (ROWS, bands, 3000)]
    longest = attribute(config, "max_source_positions")
    if isinstance(longest, int) and longest <= 3000:
        shapes.insert(0, (ROWS, bands, 2 * longest))
    if "is_longer" in takes:  # the whole, and three parts of a longer one
        shapes.insert(0, (ROWS, 4, 1024, bands))
    waves: list[tuple[int, ...]] = [(ROWS, 8000), (ROWS, 1, 8000), (ROWS, 1, 1024, bands)]
    whole = attribute(config, "max_length")
    if isinstance(whole, int):
        waves.insert(0, (ROWS, whole, bands))
    for shape in dict.fromkeys(waves + shapes if name == "input_values" else shapes + waves):
        made = {name: torch.randn(shape)}
        if "is_longer" in takes:
            made["is_longer"] = torch.tensor([[True], [False]])
        length = shape[1] if len(shape) == 3 and shape[2] == bands else shape[-1]
        for mask in SOUND_MASKS:
            if mask in takes and (mask != "attention_mask" or "input_ids" not in takes):
                yield {**made, mask: _mask(length)}
                yield {**made, mask: _mask(length).bool()}
                break
        yield made


def _prompts(model: Any, config: Any, takes: set[str], text: Kwargs, medium: Kwargs) -> Iterator[Kwargs]:
    """Tokens with a placeholder for each vector that the model makes of an image or a sound."""
    is_sound = any(name in medium for name in SOUNDS)
    words = ("audio", "speech") if is_sound else ("image", "media", "img", "video")
    places = {name: token for name, token in special_tokens(config).items() if name.startswith(words)}
    place = next((token for word in words for name, token in places.items() if name.startswith(word)), None)
    counts = [_vectors(model, "get_audio_features" if is_sound else "get_image_features", medium)]
    counts.append(attribute(config, "image_seq_length", "image_seq_len", "mm_tokens_per_image", "num_image_tokens"))
    for count, rows in zip(counts, (ROWS, 1), strict=True):
        if place is None or not isinstance(count, int):
            continue
        each = max(1, count // rows)
        ids = _ids(config, 12 + each)
        ids[:, 6 : 6 + each] = place
        made = {**text, **medium, "input_ids": ids}
        if "attention_mask" in takes:
            made["attention_mask"] = torch.ones_like(ids)
            made["attention_mask"][-1, :3] = 0
        for name in ("mm_token_type_ids", "token_type_ids"):
            if name in takes:
                made[name] = (ids == place).long()
        yield made


def _vectors(model: Any, method: str, medium: Kwargs) -> int | None:
    """How many vectors the model makes of a medium."""
    features = getattr(model, method, None) or getattr(getattr(model, "model", None), method, None)
    if features is None:
        return None
    try:
        with torch.no_grad():
            out = features(**medium)
    except Exception:  # noqa: BLE001 - a guess that the model does not take
        return None
    out = getattr(out, "pooler_output", None) if getattr(out, "pooler_output", None) is not None else out
    out = getattr(out, "last_hidden_state", out)
    parts = [out] if isinstance(out, torch.Tensor) else [part for part in out if isinstance(part, torch.Tensor)]
    return sum(part.numel() // part.shape[-1] for part in parts)


def _pair(size: Any) -> tuple[int, int]:
    if isinstance(size, dict):
        size = [size.get("height", size.get("shortest_edge", 64)), size.get("width", size.get("shortest_edge", 64))]
    if isinstance(size, (list, tuple)):
        return int(size[0]), int(size[-1])
    return int(size), int(size)
