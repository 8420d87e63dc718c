"""Every architecture of `transformers` that has a configuration, each with the head that does most in its forward."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

# From the most particular to the bare model: a head's forward has the body's code in it, and its own.
HEADS = (
    "SEQ_TO_SEQ_CAUSAL_LM", "SPEECH_SEQ_2_SEQ", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "OBJECT_DETECTION",
    "ZERO_SHOT_OBJECT_DETECTION", "UNIVERSAL_SEGMENTATION", "INSTANCE_SEGMENTATION", "SEMANTIC_SEGMENTATION",
    "DEPTH_ESTIMATION", "MASK_GENERATION", "KEYPOINT_MATCHING", "KEYPOINT_DETECTION", "TIME_SERIES_PREDICTION",
    "TEXT_TO_WAVEFORM", "TEXT_TO_SPECTROGRAM", "RNNT", "TDT", "CTC", "AUDIO_TOKENIZATION", "TABLE_RECOGNITION",
    "TABLE_QUESTION_ANSWERING", "VISUAL_QUESTION_ANSWERING", "MASKED_LM", "CAUSAL_LM", "VIDEO_CLASSIFICATION",
    "IMAGE_CLASSIFICATION", "IMAGE_TO_IMAGE", "ZERO_SHOT_IMAGE_CLASSIFICATION", "AUDIO_CLASSIFICATION",
    "QUESTION_ANSWERING", "SEQUENCE_CLASSIFICATION", "TOKEN_CLASSIFICATION", "PRETRAINING", "",
)  # fmt: skip


@dataclass(frozen=True)
class Architecture:
    """One model type, and the class that is built for it."""

    key: str
    class_name: str
    head: str
    others: tuple[tuple[str, str], ...] = ()  # classes and heads to take where the first cannot be built

    def alternatives(self) -> list[Architecture]:
        """This one, and the same architecture with its other heads."""
        return [self, *(Architecture(self.key, name, head) for name, head in self.others)]

    def model_class(self) -> Any:
        import transformers
        from transformers.models.auto.configuration_auto import model_type_to_module_name

        found = getattr(transformers, self.class_name, None)
        if found is None:
            module = importlib.import_module(f"transformers.models.{model_type_to_module_name(self.key)}")
            found = getattr(module, self.class_name)
        return found

    def config_class(self) -> Any:
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        mapped, own = CONFIG_MAPPING[self.key], self.model_class().config_class
        return own if own is not None and issubclass(own, mapped) else mapped


def architectures() -> list[Architecture]:
    """One for each model class, in the order of `transformers`."""
    from transformers.models.auto import configuration_auto, modeling_auto

    tables = [(head, _table(modeling_auto, head)) for head in HEADS]
    found: dict[str, Architecture] = {}
    for key in configuration_auto.CONFIG_MAPPING_NAMES:
        rows = [(table[key], head) for head, table in tables if key in table]
        named = [(row if isinstance(row, str) else row[0], head) for row, head in rows]
        if named:
            (name, head), *others = named
            found.setdefault(name, Architecture(key, name, head, tuple(others[:3])))
    return list(found.values())


def _table(module: Any, head: str) -> dict[str, Any]:
    """The table of a head: they are named in more than one way."""
    names = (f"MODEL_FOR_{head}_MAPPING_NAMES", f"MODEL_FOR_{head}_NAMES") if head else ("MODEL_MAPPING_NAMES",)
    return next((getattr(module, name) for name in names if hasattr(module, name)), {})
