"""Small configurations: the same architecture with few layers and narrow ones, so that a model takes milliseconds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

# Words of a field's name that say what it counts. The first group that has one of a name's words decides.
LAYERS = {"layer", "layers", "blocks", "depth"}
NOT_LAYERS = {
    "adapter", "codec", "conv", "deepstack", "dense", "end", "extract", "feat", "feature", "first", "fusion", "index",
    "mtp", "nextn", "norm", "out", "period", "pos", "post", "projection", "share", "skip", "start", "stem",
}  # fmt: skip
FIXED = {
    "act", "audio", "bits", "chunk", "codebook_size", "crop", "downsample", "eps", "factor", "group", "groups", "heads",
    "id", "image", "in", "index", "input", "interval", "kernel", "length", "max", "mel", "merge", "n_head", "num",
    "patch", "per", "pool", "position", "query", "rate", "ratio", "scale", "state", "std", "stride", "token", "type",
    "upsample", "vocab", "window",
}  # fmt: skip
WIDTHS = {
    "channels", "conv", "dim", "dims", "embd", "embed", "embedding", "expert", "feature", "ff", "ffn", "filter",
    "hidden", "inner", "intermediate", "kv", "lru", "mlp", "model", "neck", "projection", "rank", "sizes", "width",
}  # fmt: skip
TYPES = ("layer_types", "layers_block_type", "mlp_layer_types")

# How much narrower, and whether vocabulary and inputs are made small too. Tried in order until a model runs.
LEVELS = ((16, True), (8, True), (16, False), (8, False), (4, True), (4, False), (2, False), (1, False))
SMALL_IDS = {
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 0, "sep_token_id": 2,
    "cls_token_id": 1, "mask_token_id": 3, "unk_token_id": 3, "forced_eos_token_id": 2, "forced_bos_token_id": 1,
}  # fmt: skip
# What the default configuration of an architecture lacks.
SERIES = {"prediction_length": 8}
MISSING: dict[str, dict[str, Any]] = {
    "autoformer": SERIES,
    "informer": SERIES,
    "time_series_transformer": SERIES,
    "dots1": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1, "moe_intermediate_size": 512},
    "clap": {"audio_config": {"enable_fusion": True}},
    "esm": {"vocab_size": 33, "pad_token_id": 1, "mask_token_id": 32},
    "aya_vision": {"vision_config": {"model_type": "siglip_vision_model", "num_attention_heads": 16}},
}


def small(config_class: Any, divisor: int, small_inputs: bool) -> Any:
    """A configuration of the class with everything divided that can be."""
    missing = MISSING.get(config_class.model_type, {})
    return config_class(**missing | _fields(config_class(**missing), divisor, small_inputs))


def attribute(config: Any, *names: str, default: Any = None) -> Any:
    """The first of the names that the configuration, or one inside of it, has."""
    for owner in _configurations(config):
        for name in names:
            value = getattr(owner, name, None)
            if value is not None and not hasattr(value, "model_type"):
                return value
    return default


def special_tokens(config: Any) -> dict[str, int]:
    """Tokens that mean something, by their fields' names."""
    return {
        name: value
        for owner in _configurations(config)
        for name, value in vars(owner).items()
        if name.endswith(("token_id", "token_index")) and isinstance(value, int)
    }


def _configurations(config: Any) -> Iterator[Any]:
    waiting = [config]
    while waiting:
        yield (first := waiting.pop(0))
        waiting += [value for value in vars(first).values() if hasattr(value, "model_type")]


def _fields(config: Any, divisor: int, small_inputs: bool) -> dict[str, Any]:
    kind = type(config)
    derived = (
        {f.name for f in dataclasses.fields(kind) if f.default is None} if dataclasses.is_dataclass(kind) else set()
    )
    found: dict[str, Any] = {}
    for name, value in list(vars(config).items()):
        if name.startswith("_") or name in ("architectures", "id2label", "label2id", "dtype", *TYPES):
            continue
        if getattr(value, "model_type", "").startswith("timm"):  # another package's; any backbone does
            levels = (getattr(config, "num_feature_levels", 1) or 1) > 1
            stages = ["stage2", "stage3", "stage4"] if levels else ["stage4"]
            found[name] = {
                "model_type": "resnet", "embedding_size": 16, "hidden_sizes": [16, 32, 64, 128],
                "depths": [1, 1, 1, 1], "out_features": stages,
            }  # fmt: skip
            if hasattr(config, "use_timm_backbone"):
                found["use_timm_backbone"] = False
        elif hasattr(value, "model_type"):
            found[name] = {**_fields(value, divisor, small_inputs), "model_type": value.model_type}
        elif name not in derived:
            changed = _smaller(name, value, divisor, small_inputs)
            default = getattr(kind, name, value)
            if changed is not None:
                found[name] = changed
            elif isinstance(value, (int, float, str, list, tuple)) and value != default:
                found[name] = value
    _keep_each_kind_of_layer(config, found)
    _keep_width_of_heads(config, found, divisor)
    if small_inputs:
        _make_vocabulary_small(config, found)
    return found


def _smaller(name: str, value: Any, divisor: int, small_inputs: bool) -> Any:
    """The value to use instead, or None to leave it."""
    words = {*name.split("_"), name}
    if isinstance(value, bool):
        return None
    if isinstance(value, dict):
        section = value.get("mrope_section")
        fits = section and all(part % divisor == 0 for part in section)
        return {**value, "mrope_section": [part // divisor for part in section]} if fits else None
    if isinstance(value, int):
        if words & {"experts"}:
            return min(value, 2 if words & {"per", "selected"} else 4)
        if name in ("n_group", "topk_group", "num_expert_group"):
            return 1
        if name == "num_queries":  # no more than a small image has places
            return min(value, 20)
        if words & {"topk", "top_k", "moe_k"}:
            return min(value, 2)
        if words & LAYERS and not words & NOT_LAYERS:
            return min(value, 2)
        if name == "image_size" and small_inputs and value > 256:
            return 224
    is_width = bool(words & WIDTHS) and not words & FIXED
    if isinstance(value, int):
        return _divided(value, divisor) if is_width else None
    if isinstance(value, (list, tuple)) and value and all(type(part) is int for part in value):
        if words & {"depths", "layers"} and not words & NOT_LAYERS:
            return type(value)(min(part, 2) for part in value)
        if is_width:
            return type(value)(_divided(part, divisor) for part in value)
    return None


def _make_vocabulary_small(config: Any, found: dict[str, Any]) -> None:
    """1024 words, and tokens that mean something among them, each its own in every configuration inside."""
    for name, value in list(vars(config).items()):
        if not isinstance(value, int) or value < 1024:
            continue
        if name == "vocab_size":
            found[name] = 1024
        elif name.endswith(("token_id", "token_index")):
            found[name] = SMALL_IDS.get(name, 10 + value % 1000)


def _divided(value: int, divisor: int) -> int:
    return value // divisor if value % divisor == 0 and value // divisor >= 4 else value


def _keep_width_of_heads(config: Any, found: dict[str, Any], divisor: int) -> None:
    """Fewer heads instead of narrower ones, where the parts of a rotary embedding cannot be made smaller."""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    section = rope.get("mrope_section") if isinstance(rope, dict) else None
    if section and any(part % divisor for part in section):
        for name in ("num_attention_heads", "num_key_value_heads"):
            count = getattr(config, name, None)
            if isinstance(count, int):
                found[name] = max(1, count // divisor)


def _keep_each_kind_of_layer(config: Any, found: dict[str, Any]) -> None:
    """Where layers are of several kinds, as many as it takes to have one of each, if they are few."""
    count = type(config).attribute_map.get("num_hidden_layers", "num_hidden_layers")
    for types in TYPES:
        kinds = [str(kind) for kind in getattr(config, types, None) or ()]
        if len(set(kinds)) > 1 and count in found:
            enough = max(map(kinds.index, set(kinds))) + 1
            if enough <= 6:
                found[count] = max(enough, found[count])
                if not isinstance(getattr(type(config), types, None), property):
                    found[types] = list(getattr(config, types))[: found[count]]
