"""Greedy decoding of tiny models of `transformers`: a plain Python loop that stops at the end token, in one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import graphweld as gw  # noqa: E402
from tests.conformance.harness import CountingBackend  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
Decode = Callable[[Any, int], Any]  # a prompt and the end token -> the tokens
STEPS, VOCABULARY = 6, 40
PROMPTS = [torch.tensor([row]) for row in ([5, 7, 9], [1, 2, 4], [8, 8, 3], [30, 11, 2])]


def gpt2_without_cache() -> Decode:
    model = _gpt2()

    def decode(ids: Any, end: int) -> Any:
        for _ in range(STEPS):
            logits = model(input_ids=ids, use_cache=False).logits
            token = logits[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, token], dim=1)
            if (token == end).all():
                break
        return ids

    return decode


def gpt2_with_static_cache() -> Decode:
    model = _gpt2()

    def decode(ids: Any, end: int) -> Any:
        cache = transformers.StaticCache(config=model.config, max_cache_len=16)
        places = torch.arange(ids.shape[1])
        token, tokens = ids, []
        for _ in range(STEPS):
            out = model(input_ids=token, past_key_values=cache, use_cache=True, cache_position=places)
            token = out.logits[:, -1].argmax(-1, keepdim=True)
            tokens.append(token)
            if (token == end).all():
                break
            places = places[-1:] + 1
        return torch.cat(tokens, dim=1)

    return decode


def gpt2_after_its_prompt() -> Decode:
    """The prompt before the loop, one token on each trip: every trip is alike, so the decode is one Loop."""
    model = _gpt2()

    def decode(ids: Any, end: int) -> Any:
        cache = transformers.StaticCache(config=model.config, max_cache_len=16)
        places = torch.arange(ids.shape[1])
        logits = model(input_ids=ids, past_key_values=cache, use_cache=True, cache_position=places).logits
        token, place = logits[:, -1].argmax(-1, keepdim=True), places[-1:] + 1
        tokens = [token]
        while len(tokens) < STEPS and not (token == end).all():
            logits = model(input_ids=token, past_key_values=cache, use_cache=True, cache_position=place).logits
            token, place = logits[:, -1].argmax(-1, keepdim=True), place + 1
            tokens.append(token)
        return torch.cat(tokens, dim=1)

    return decode


def t5_without_cache() -> Decode:
    return _translate_without_cache(_t5())


def bart_without_cache() -> Decode:
    return _translate_without_cache(_bart())


def t5_with_static_cache() -> Decode:
    return _translate_with_static_cache(_t5())


def bart_with_static_cache() -> Decode:
    return _translate_with_static_cache(_bart())


def _translate_without_cache(model: Any) -> Decode:
    def decode(ids: Any, end: int) -> Any:
        encoded = model.get_encoder()(input_ids=ids)
        tokens = torch.full((ids.shape[0], 1), model.config.decoder_start_token_id)
        for _ in range(STEPS):
            logits = model(encoder_outputs=encoded, decoder_input_ids=tokens, use_cache=False).logits
            token = logits[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, token], dim=1)
            if (token == end).all():
                break
        return tokens

    return decode


def _translate_with_static_cache(model: Any) -> Decode:
    def decode(ids: Any, end: int) -> Any:
        encoded = model.get_encoder()(input_ids=ids)
        config = model.config.get_text_config(decoder=True)
        cache = transformers.EncoderDecoderCache(
            transformers.StaticCache(config=config, max_cache_len=16),
            transformers.StaticCache(config=config, max_cache_len=ids.shape[1]),
        )

        def following(token: Any, place: Any) -> Any:
            logits = model(
                encoder_outputs=encoded,
                decoder_input_ids=token,
                past_key_values=cache,
                use_cache=True,
                cache_position=place,
            ).logits
            return logits[:, -1].argmax(-1, keepdim=True)

        place = torch.tensor([0])
        tokens = [following(torch.full((ids.shape[0], 1), model.config.decoder_start_token_id), place)]
        while len(tokens) < STEPS and not (tokens[-1] == end).all():
            place = place + 1
            tokens.append(following(tokens[-1], place))
        return torch.cat(tokens, dim=1)

    return decode


def _gpt2() -> Any:
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_positions=32, n_embd=16, n_layer=2, n_head=2, initializer_range=1.0
    )
    return transformers.GPT2LMHeadModel(config).eval()


def _t5() -> Any:
    config = transformers.T5Config(
        vocab_size=VOCABULARY, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, decoder_start_token_id=0,
        initializer_factor=8.0,
    )  # fmt: skip
    return transformers.T5ForConditionalGeneration(config).eval()


def _bart() -> Any:
    config = transformers.BartConfig(
        vocab_size=VOCABULARY, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2, max_position_embeddings=32, decoder_start_token_id=2,
        init_std=0.5, scale_embedding=True,
    )  # fmt: skip
    return transformers.BartForConditionalGeneration(config).eval()


def _steps(run: Callable[[], Any]) -> int:
    """How many tokens a call chooses."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        run()
    return sum(event.count for event in profile.key_averages() if event.key == "aten::argmax")


def _end_token(decode: Decode) -> int:
    """A token that ends the decode of the prompts after different numbers of steps."""
    lengths = {end: {decode(ids, end).shape[1] for ids in PROMPTS} for end in range(VOCABULARY)}
    return max(lengths, key=lambda end: len(lengths[end]))


LOOPS = [gpt2_after_its_prompt, t5_with_static_cache, bart_with_static_cache]
UNROLLED = [gpt2_without_cache, gpt2_with_static_cache, t5_without_cache, bart_without_cache]
EVERYDAY = [(gpt2_after_its_prompt, "eager"), (bart_with_static_cache, "eager")]
ROWS = [
    pytest.param(make, backend, marks=[] if (make, backend) in EVERYDAY else pytest.mark.slow)
    for make, backend in [(m, b) for m in LOOPS for b in ("eager", "aot_eager")] + [(m, "eager") for m in UNROLLED]
]


@pytest.mark.parametrize(("make", "backend"), ROWS)
def test_one_graph_that_stops_early(make: Callable[[], Decode], backend: str) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    decode = make()
    counter = CountingBackend(backend)
    with torch.no_grad():
        end = _end_token(decode)
        compiled = gw.compile(decode, backend=counter)
        lengths = set()
        for ids in PROMPTS:
            want, got = decode(ids, end), compiled(ids, end)
            assert torch.equal(got, want)
            steps = _steps(lambda: decode(ids, end)), _steps(lambda: compiled(ids, end))  # noqa: B023
            assert steps[0] == steps[1], f"eager stops after {steps[0]} steps, the graph after {steps[1]}"
            lengths.add(steps[0])
    assert len(lengths) > 1, "every prompt ends after as many steps: this would prove nothing"
    assert counter.count == 1
    loops = [n for n in counter.graphs[0].graph.nodes if getattr(n.target, "__name__", "") == "loop"]
    assert len(loops) == (make in LOOPS)
