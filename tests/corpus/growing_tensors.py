"""Tensors that a loop makes longer by `torch.cat`, and reads."""

import torch
from torch import nn

from .program import counts, factory, ints, program, s, t


def _embedding():
    return torch.linspace(-1, 1, 40).reshape(10, 4)


@program(counts, "loop append")
def mean_appended(x, n):
    y = x[None] * 1
    for _ in range(int(n)):
        y = torch.cat([y, y.mean(0, keepdim=True) * 1.1])
    return y


@program(counts, "loop append", grad=False)
def last_rows_read(x, n):
    y = x[None] * 1
    for _ in range(int(n)):
        y = torch.cat([y, y[-2:].sum(0, keepdim=True)])
    return y


@program(lambda: [(ints(3), ints(k)) for k in (5, 0, 2)], "loop append", grad=False)
def greedy_decode(ids, n):
    table, ids = _embedding(), ids[None] * 1
    for i in range(int(n)):
        hidden = table[ids].cumsum(1)[:, -1]
        best = (hidden @ table.t() + i).argmax(-1, keepdim=True)
        ids = torch.cat([ids, (best + ids.shape[1]) % 10], 1)
    return ids


@program(lambda: [(ints(k, k + 1),) for k in (3, 0, 7)], "loop append", grad=False)
def greedy_decode_until_done(ids):
    table, ids = _embedding().sin(), ids[:, None] * 1
    done = torch.zeros(2, dtype=torch.bool)
    for _ in range(40):
        hidden = table[ids].cumsum(1)[:, -1]
        best = (hidden @ table.t()).argmax(-1, keepdim=True)
        best = torch.where(done[:, None], torch.zeros_like(best), (best + ids.shape[1]) % 10)
        ids = torch.cat([ids, best], dim=-1)
        done = done | (best[:, 0] == 5)
        if done.all():
            break
    return ids


@program(counts, "loop append")
def until_a_size(x, n):
    ids = torch.zeros(1, 1, dtype=torch.long)
    while ids.size(1) < n:
        ids = torch.cat([ids, ids[:, -1:] + ids.sum(1, keepdim=True) + 1], 1)
    return x, ids


@program(counts, "loop append", grad=False)
def cache_of_the_past(x, n):
    keys, values = x[None] * 1, x[None] * 2
    for i in range(int(n)):
        weights = torch.softmax(keys @ (x * (i + 1)) * 0.1, 0)
        out = weights @ values
        keys, values = torch.cat([keys, out[None]]), torch.cat((values, (out + 1)[None]), dim=0)
    return keys, values


def two_prompts():
    return [
        (torch.tensor([[4, 5], [2, 4]]), torch.ones(2, 2, dtype=torch.int64)),
        (torch.tensor([[0, 2], [5, 5]]), torch.ones(2, 2, dtype=torch.int64)),
        (torch.tensor([[0, 0], [0, 1]]), torch.ones(2, 2, dtype=torch.int64)),
    ]


@program(two_prompts, "loop", grad=False)
def mask_in_a_dict_grows_beside(ids, mask):
    ids, mask = ids * 1, mask * 1
    kwargs = {"mask": mask, "step": 0}
    done = False
    while not done:
        shift = kwargs["mask"].sum() - mask.sum()
        ids = torch.cat([ids, ids[:, -1:] + 1 + shift % 2], dim=-1)
        kwargs["mask"] = torch.cat([kwargs["mask"], kwargs["mask"].new_ones((2, 1))], dim=-1)
        kwargs["step"] += 1
        done = (ids > 6).any()
        if ids.shape[1] >= 7:
            done = True
    return ids, kwargs["mask"], kwargs["step"]


def _longer(kwargs):
    mask = kwargs["mask"]
    return {**kwargs, "mask": torch.cat([mask, mask.new_ones((2, 1))], dim=-1)}


@program(two_prompts, "loop", grad=False)
def mask_in_another_dict_each_trip(ids, mask):
    ids, kwargs = ids * 1, {"mask": mask * 1, "scale": 2}
    while (ids <= 6).all():
        ids = torch.cat([ids, ids[:, -1:] + kwargs["scale"]], dim=1)
        kwargs = _longer(kwargs)
    return ids * kwargs["mask"]


class Cache(nn.Module):
    """Keys and values, as caches of the past have them: longer by one with each token."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.project = nn.Linear(3, 3, bias=False)

    def forward(self, x, limit):
        keys, values = x[:1] * 1, x[:1] * 2
        past = (keys, values)
        token = x[-1:] * 1
        while (token.norm() < limit).all():
            keys = torch.cat([past[0], self.project(token)])
            values = torch.cat([past[1], token])
            past = (keys, values)
            weight = torch.softmax(token @ keys.T, -1)
            token = token + weight @ values
        return token, past[0].sum(0), past[1]


@factory(lambda: [(t([0.5, 0.2, 0.1], [0.3, 0.1, 0.2]), s(2.0)), (t([0.5, 0.2, 0.1], [0.3, 0.1, 0.2]), s(0.1))], "loop")
def keys_and_values_of_the_past():
    return Cache().requires_grad_(False)
