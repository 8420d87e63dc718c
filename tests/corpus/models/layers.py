"""Layers of networks with a decision inside."""

import torch
import torch.nn.functional as F
from torch import nn

from ..program import call, factory, rand, s


class EncoderLayer(nn.Module):
    """The overflow clamp of half-precision encoders, in a loop over layers."""

    def __init__(self, d, scale):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, 2, bias=False, batch_first=True)  # with it, eager's fast path rounds otherwise
        self.fc1, self.fc2 = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.norm = nn.LayerNorm(d)
        self.scale = scale

    def forward(self, hidden_states, attention_mask=None):
        residual = hidden_states
        hidden_states, _ = self.attn(hidden_states, hidden_states, hidden_states, key_padding_mask=attention_mask, need_weights=False)
        hidden_states = self.norm(residual + hidden_states)
        hidden_states = hidden_states + self.fc2(F.gelu(self.fc1(hidden_states)))
        hidden_states = hidden_states * residual.abs().max() * self.scale
        if not torch.isfinite(hidden_states).all():
            clamp_value = torch.finfo(hidden_states.dtype).max - 1000
            hidden_states = torch.clamp(hidden_states, min=-clamp_value, max=clamp_value)
        return hidden_states


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList([EncoderLayer(4, 1.0), EncoderLayer(4, 1e20)])

    def forward(self, x, attention_mask=None):
        if attention_mask is not None and not attention_mask.any():
            attention_mask = None
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


def _encoder_calls():
    padding = torch.tensor([[False, False, True], [False, False, False]])
    calls = [call(rand(2, 3, 4, seed=2)), call(rand(2, 3, 4, seed=2) * 1e19)]
    for mask in (padding, torch.zeros_like(padding)):
        calls += [call(rand(2, 3, 4, seed=2), attention_mask=mask), call(rand(2, 3, 4, seed=2) * 1e19, attention_mask=mask.clone())]
    return calls


@factory(_encoder_calls, "branch model", grad=False)
def encoder_with_overflow_clamp():
    return Encoder().eval()


class SwitchRouter(nn.Module):
    """A mixture of experts: each expert runs if a token chose it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.router = nn.Linear(4, 3)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).max(-1)
        out = torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            mask = chosen == k
            if mask.any():
                out = out + torch.where(mask[:, None], expert(x), torch.zeros(())) * weights[:, None]
        return out


@factory(lambda: [(rand(2, 4, seed=k) * 4,) for k in range(6)], "branch model inductor")
def switch_router():
    return SwitchRouter()


class Depth(nn.Module):
    """Leaves after the first confident head."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.heads = nn.ModuleList(nn.Linear(4, 3) for _ in range(3))

    def forward(self, x):
        logits = None
        for depth, (block, head) in enumerate(zip(self.blocks, self.heads)):
            x = x + torch.tanh(block(x))
            logits = head(x)
            if logits.softmax(-1).max() > 0.6:
                return logits, depth
        return logits, -1


@factory(lambda: [(rand(1, 4, seed=k) * v,) for k in range(3) for v in (0.1, 1.0, 4.0)], "branch loop model")
def early_exit_depth():
    return Depth()


class Quantizer(nn.Module):
    """Refreshes a dead codebook, as vector quantizers do in training."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.register_buffer("codebook", torch.randn(4, 2))
        self.register_buffer("usage", torch.ones(4))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def prepare(self, x):
        if not self.ready:
            self.codebook.copy_(x[:4])
            self.ready.fill_(True)

    def forward(self, x):
        self.prepare(x)
        index = torch.cdist(x, self.codebook).argmin(-1)
        quantized = self.codebook[index]
        if self.training:
            counts = F.one_hot(index, 4).sum(0)
            self.usage.mul_(0.9).add_(counts, alpha=0.1)
            if (self.usage < 0.85).any():
                self.codebook[self.usage < 0.85] = x[0]
        return x + (quantized - x).detach(), index


@factory(lambda: [(rand(6, 2, seed=k),) for k in range(4)], "state model", grad=False)
def vector_quantizer():
    return Quantizer()


class Speculative(nn.Module):
    """Skips a block whose residual has hardly changed."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.rest = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("previous", torch.zeros(2, 4))
        self.register_buffer("cached", torch.zeros(2, 4))

    @torch.no_grad()
    def forward(self, x):
        residual = torch.tanh(self.first(x))
        change = (residual - self.previous).abs().mean() / (self.previous.abs().mean() + 1e-6)
        if change < 0.2:
            out = self.cached
        else:
            out = torch.tanh(self.rest(x + residual))
            self.previous.copy_(residual)
            self.cached.copy_(out)
        return x + out


@factory(lambda: [(rand(2, 4, seed=1) * v,) for v in (1.0, 1.01, -1.0, -1.02)], "state model", grad=False)
def block_cache():
    return Speculative()


class Normalizer(nn.Module):
    """Standardizes unless the batch is constant; a helper, a property, a Python flag."""

    def __init__(self, center=True):
        super().__init__()
        self.center = center
        self.weight = nn.Parameter(torch.ones(4))

    @property
    def eps(self):
        return 1e-6

    @staticmethod
    def spread(x):
        return x.std(0)

    def forward(self, x):
        if self.center:
            x = x - x.mean(0)
        std = self.spread(x)
        if (std < self.eps).any():
            return x * self.weight
        return x / std * self.weight


@factory(lambda: [(rand(5, 4, seed=1),), (torch.ones(5, 4),)], "branch model inductor")
def standardize():
    return Normalizer()


@factory(lambda: [(rand(5, 4, seed=1), s(3)), (rand(5, 4, seed=1), s(0)), (rand(5, 4, seed=1), s(7))], "branch model")
def schedule_lookup():
    """A noise schedule: which formula applies depends on the step."""
    alphas = torch.linspace(0.9, 0.1, 10)

    def step(x, t):
        alpha = alphas[t]
        previous = alphas[t - 1] if t > 0 else torch.tensor(1.0)
        if t > 5:
            return x * previous + alpha
        return (x - alpha) / previous

    return step
