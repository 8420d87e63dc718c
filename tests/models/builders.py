"""Tiny models of `transformers` from shrunken configurations: random weights, nothing downloaded, unchanged code.

A builder gives a `Case`: a fresh model on each `make()`, and inputs that together take each side of the data-dependent
branches in its forward. Where a side is taken by rare values (a float16 overflow), one weight is scaled so that one of
two ordinary inputs reaches them: `_split` measures both inputs and puts the limit between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], nn.Module]
    inputs: Callable[[], list[dict[str, Any]]]
    sides: Callable[[nn.Module, dict[str, Any]], bool]  # which side of the branch a call takes
    train: bool = False
    method: str = "forward"
    tags: frozenset[str] = field(default=frozenset())


def _ids(seed: int, *shape: int, low: int = 4, high: int = 60) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def _watch(model: nn.Module, module: nn.Module, kwargs: dict[str, Any]) -> torch.Tensor:
    """The output of a submodule in an eager call of the model."""
    seen: list[torch.Tensor] = []
    handle = module.register_forward_hook(lambda m, args, out: seen.append(out.detach().clone()))
    try:
        with torch.no_grad():
            model(**kwargs)
    finally:
        handle.remove()
    return seen[-1]


def _split(model: nn.Module, norm: nn.LayerNorm, calls: list[dict[str, Any]], limit: float) -> None:
    """Scale a layer norm so that its output overflows for one of two calls and not for the other."""
    peaks = [_watch(model, norm, kwargs).float().abs().max().item() for kwargs in calls]
    assert peaks[0] != peaks[1]
    with torch.no_grad():
        norm.weight.mul_(limit / ((peaks[0] * peaks[1]) ** 0.5))


# -------------------------------------------------------------------------------- BART
def _bart_inputs() -> list[dict[str, Any]]:
    out = []
    for seed in (1, 2):
        mask = torch.ones(2, 8, dtype=torch.long)
        mask[1, 6:] = 0
        out.append({"input_ids": _ids(seed, 2, 8), "attention_mask": mask, "decoder_input_ids": _ids(seed + 5, 2, 4)})
    return out


def _bart() -> nn.Module:
    from transformers import BartConfig, BartModel

    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=64, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2, max_position_embeddings=32, use_cache=False,
    )  # fmt: skip
    model = BartModel(config).half().eval()
    _split(model, model.encoder.layers[-1].final_layer_norm, _bart_inputs(), torch.finfo(torch.float16).max)
    with torch.no_grad():  # keep what follows the encoder finite, so that the comparison means something
        for layer in model.decoder.layers:
            layer.encoder_attn.k_proj.weight.mul_(1e-4)
            layer.encoder_attn.v_proj.weight.mul_(1e-4)
    return model


def _bart_side(model: nn.Module, kwargs: dict[str, Any]) -> bool:
    return not bool(torch.isfinite(_watch(model, model.encoder.layers[-1].final_layer_norm, kwargs)).all())


# -------------------------------------------------------------------------------- DETR
def _detr_inputs() -> list[dict[str, Any]]:
    return [{"pixel_values": torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(s))} for s in (1, 2)]


def _detr() -> nn.Module:
    from transformers import DetrConfig, DetrForObjectDetection

    torch.manual_seed(0)
    config = DetrConfig(
        use_timm_backbone=False,
        backbone_config={
            "model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1],
            "out_features": ["stage4"],
        },
        d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2, num_queries=4, dropout=0.0, attention_dropout=0.0,
        activation_dropout=0.0,
    )  # fmt: skip
    model = DetrForObjectDetection(config).train()
    _split(model, model.model.encoder.layers[-1].final_layer_norm, _detr_inputs(), torch.finfo(torch.float32).max)
    with torch.no_grad():
        for layer in model.model.decoder.layers:
            layer.encoder_attn.k_proj.weight.mul_(1e-38)
            layer.encoder_attn.v_proj.weight.mul_(1e-38)
    return model


def _detr_side(model: nn.Module, kwargs: dict[str, Any]) -> bool:
    return not bool(torch.isfinite(_watch(model, model.model.encoder.layers[-1].final_layer_norm, kwargs)).all())


# -------------------------------------------------------------------------------- FastSpeech2Conformer
def _fastspeech_inputs() -> list[dict[str, Any]]:
    return [{"input_ids": _ids(seed, 1, 6, low=1, high=30)} for seed in (1, 2)]


def _fastspeech() -> nn.Module:
    from transformers import FastSpeech2ConformerConfig, FastSpeech2ConformerModel

    torch.manual_seed(0)
    config = FastSpeech2ConformerConfig(
        hidden_size=16, vocab_size=32, num_mel_bins=8, encoder_layers=1, encoder_linear_units=32, decoder_layers=1,
        decoder_linear_units=32, speech_decoder_postnet_layers=2, speech_decoder_postnet_units=16,
        duration_predictor_channels=16, energy_predictor_channels=16, pitch_predictor_layers=2,
        pitch_predictor_channels=16, encoder_kernel_size=3, decoder_kernel_size=3, max_source_positions=64,
    )  # fmt: skip
    model = FastSpeech2ConformerModel(config).eval()
    # durations are round(exp(d) - 1): put the longest of one input below a half, that of the other above
    linear = model.duration_predictor.linear
    with torch.no_grad():
        linear.weight.mul_(0.5)
        tops = [_watch(model, linear, kwargs).max().item() for kwargs in _fastspeech_inputs()]
        assert abs(tops[0] - tops[1]) > 1e-2, tops
        linear.bias.add_(torch.log(torch.tensor(1.5)) - sum(tops) / 2)
    return model


def _fastspeech_side(model: nn.Module, kwargs: dict[str, Any]) -> bool:
    return bool(_watch(model, model.duration_predictor, kwargs).sum() == 0)


# -------------------------------------------------------------------------------- EnCodec
def _encodec_inputs() -> list[dict[str, Any]]:
    # a short signal is padded before the reflection, a long one is not
    return [{"input_values": torch.randn(1, 1, n, generator=torch.Generator().manual_seed(n))} for n in (64, 5)]


def _encodec() -> nn.Module:
    from transformers import EncodecConfig, EncodecModel

    torch.manual_seed(0)
    config = EncodecConfig(
        target_bandwidths=[1.5], sampling_rate=2400, hidden_size=8, num_filters=4, num_residual_layers=1,
        upsampling_ratios=[4, 2], num_lstm_layers=1, codebook_size=16, codebook_dim=8,
    )  # fmt: skip
    model = EncodecModel(config).eval()
    with torch.no_grad():
        for layer in model.quantizer.layers:  # initialised to zeros: every code would be the same
            layer.codebook.embed.normal_()
    return model


def _encodec_side(model: nn.Module, kwargs: dict[str, Any]) -> bool:
    return bool(kwargs["input_values"].shape[-1] <= 6)


# -------------------------------------------------------------------------------- VisualBERT
def _visual_bert_inputs() -> list[dict[str, Any]]:
    out = []
    for alignment in ([[0, 1], [2, -1], [3, 4]], [[0, 1], [-1, -1], [3, 4]]):
        g = torch.Generator().manual_seed(3)
        out.append(
            {
                "input_ids": _ids(3, 2, 6),
                "visual_embeds": torch.randn(2, 3, 8, generator=g),
                "image_text_alignment": torch.tensor([alignment, alignment]),
            }
        )
    return out


def _visual_bert() -> nn.Module:
    from transformers import VisualBertConfig, VisualBertModel

    torch.manual_seed(0)
    config = VisualBertConfig(
        vocab_size=64, hidden_size=16, visual_embedding_dim=8, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=16,
    )  # fmt: skip
    return VisualBertModel(config).eval()


def _visual_bert_side(model: nn.Module, kwargs: dict[str, Any]) -> bool:
    return bool(((kwargs["image_text_alignment"] != -1).sum(2) == 0).any())


CASES = {
    case.name: case
    for case in (
        Case("bart_float16", _bart, _bart_inputs, _bart_side),
        Case("detr", _detr, _detr_inputs, _detr_side, train=True),
        Case("fastspeech2_conformer", _fastspeech, _fastspeech_inputs, _fastspeech_side),
        Case("encodec", _encodec, _encodec_inputs, _encodec_side),
        Case("visual_bert", _visual_bert, _visual_bert_inputs, _visual_bert_side),
    )
}


# -------------------------------------------------------------------------------- models without a site
def bert() -> tuple[nn.Module, dict[str, Any]]:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(vocab_size=64, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    return BertModel(config).eval(), {"input_ids": _ids(1, 2, 8), "attention_mask": torch.ones(2, 8, dtype=torch.long)}


def gpt2() -> tuple[nn.Module, dict[str, Any]]:
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=64, bos_token_id=1, eos_token_id=2, n_embd=16, n_layer=2, n_head=2, n_positions=32, use_cache=False
    )
    return GPT2LMHeadModel(config).eval(), {"input_ids": _ids(1, 2, 8)}


def vit() -> tuple[nn.Module, dict[str, Any]]:
    from transformers import ViTConfig, ViTModel

    torch.manual_seed(0)
    config = ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, image_size=32, patch_size=16
    )
    return ViTModel(config).eval(), {"pixel_values": torch.randn(2, 3, 32, 32)}


WITHOUT_SITES = {"bert": bert, "gpt2": gpt2, "vit": vit}
