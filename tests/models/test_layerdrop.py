"""Layers left out at random while training (`if torch.rand([]) < layerdrop: continue`), dropout in those that run.

One graph for all seeds; results, cache and gradients are eager's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.conformance import snapshot  # noqa: E402
from tests.conformance.harness import CountingBackend  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
IDS = torch.arange(4, 20).reshape(2, 8)
ENCODER_DECODER = {
    "vocab_size": 32, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 16, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
    "encoder_layerdrop": 0.5, "decoder_layerdrop": 0.5,
    "pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": 2, "bos_token_id": 1, "forced_eos_token_id": 2,
}  # fmt: skip


def bart() -> tuple[Any, dict[str, Any]]:
    config = transformers.BartConfig(**ENCODER_DECODER, max_position_embeddings=32)
    return transformers.BartForConditionalGeneration(config), {"input_ids": IDS, "labels": IDS}


def marian() -> tuple[Any, dict[str, Any]]:
    config = transformers.MarianConfig(**ENCODER_DECODER, max_position_embeddings=32)
    return transformers.MarianMTModel(config), {"input_ids": IDS, "labels": IDS}


def whisper() -> tuple[Any, dict[str, Any]]:
    config = transformers.WhisperConfig(
        **ENCODER_DECODER, num_mel_bins=4, max_source_positions=8, max_target_positions=16, suppress_tokens=[],
        begin_suppress_tokens=[],
    )  # fmt: skip
    return transformers.WhisperForConditionalGeneration(config), {
        "input_features": torch.randn(2, 4, 16),
        "labels": IDS,
    }


def biogpt() -> tuple[Any, dict[str, Any]]:
    config = transformers.BioGptConfig(
        vocab_size=32, hidden_size=16, num_hidden_layers=3, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=32, layerdrop=0.5, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    return transformers.BioGptForCausalLM(config), {"input_ids": IDS, "labels": IDS}


def _step(model: Any, call: Any, kwargs: dict[str, Any], seed: int) -> list[snapshot.Entry]:
    torch.manual_seed(seed)
    out = call(**kwargs)
    model.zero_grad()
    out.loss.backward()
    # a graph gives zeros where eager's layer that was left out gives None
    grads = {k: torch.zeros_like(p) if p.grad is None else p.grad for k, p in model.named_parameters()}
    return snapshot.take(out=out, grads=grads)


@pytest.mark.parametrize("make", [bart, marian, whisper, biogpt], ids=lambda make: make.__name__)
def test_one_graph_for_all_seeds(make: Callable[[], Any]) -> None:
    import graphweld as gw

    torch.manual_seed(0)
    model, kwargs = make()
    model.train()
    torch._dynamo.reset()
    counter = CountingBackend("eager")
    compiled = gw.compile(model, backend=counter)
    ran = set()
    try:
        for seed in range(4):
            want = _step(model, model, kwargs, seed)
            snapshot.compare(want, _step(model, compiled, kwargs, seed), strides=False, rtol=1e-4, atol=1e-6)
            ran.add(tuple(bool(e.value.data.any()) for e in want if e.path.startswith("grads[")))
    finally:
        torch._dynamo.reset()
    assert counter.count == 1
    assert len(ran) > 1, "the seeds leave out the same layers"
