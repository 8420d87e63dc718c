"""Tensors that a loop makes longer by `torch.cat`, and reads."""

import torch

from .program import counts, ints, program


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
def keys_and_values(x, n):
    keys, values = x[None] * 1, x[None] * 2
    for i in range(int(n)):
        weights = torch.softmax(keys @ (x * (i + 1)) * 0.1, 0)
        out = weights @ values
        keys, values = torch.cat([keys, out[None]]), torch.cat((values, (out + 1)[None]), dim=0)
    return keys, values
