"""Random numbers in regions: only the taken branch draws, and draws eager's own numbers."""

import torch
import torch.nn.functional as F

from .program import counts, pairs, program, rand, signs, t


@program(signs, "state random")
def noise_where_positive(x):
    if x.sum() > 0:
        x = x + torch.randn_like(x)
    return x * torch.rand(())


@program(pairs, "state random")
def nested_draws(x, y):
    if x.sum() > 0:
        a = torch.rand(3)
        if y.sum() > 0:
            a = a + torch.randn(3)
    else:
        a = torch.rand(2).sum()
    return x * a + torch.rand(3)


@program(counts, "state loop random")
def draws_in_loop(x, n):
    for _ in range(int(n)):
        x = x + torch.rand(3)
    return x + torch.rand(3)


@program(counts, "state loop random")
def dropout_in_loop(x, n):
    for _ in range(int(n)):
        x = F.dropout(x, 0.5)
    return x


@program(signs, "state random", grad=False)
def in_place_random(x):
    if x.sum() > 0:
        x.normal_()
    else:
        x.bernoulli_(0.5)
    return x + 1


@program(lambda: signs() + signs() + signs(), "state random", grad=False)
def random_choice(x):
    u = torch.rand(())
    if u < 0.5:
        return x * 2
    return x + torch.randint(0, 10, (3,))


@program(lambda: [(t(0.2, 0.3, 0.5),), (t(0.0, 0.0, 1.0),)], "state random", grad=False)
def multinomial_sampling(p):
    i = torch.multinomial(p, 1)
    if i == 2:
        return p * 2
    return p.roll(1)


@program(lambda: [(t(0.9),), (t(0.2),), (t(0.5),)], "state loop random", grad=False)
def rejection_sampling(threshold):
    x = torch.rand(())
    tries = 1
    while x < threshold:
        x = torch.rand(())
        tries += 1
    return x, tries


def _attention_inputs():
    return [tuple(rand(2, 2, n, 4, seed=n + k).abs() * sign for n in (3, 5, 5)) for k, sign in ((0, 1), (9, -1))]


@program(_attention_inputs, "state random")
def attention_dropout_in_branch(q, k, v):
    if q.sum() > 0:
        q = F.scaled_dot_product_attention(q, k, v, dropout_p=0.25)
    return q * torch.rand(())


@program(_attention_inputs, "state random")
def masked_attention_dropout_in_branch(q, k, v):
    if q.sum() > 0:
        mask = torch.ones(3, 5, dtype=torch.bool).tril(-1)
        a = F.scaled_dot_product_attention(q, k, v, mask, 0.25, scale=0.3)
        b = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.5)
        looks = torch.zeros(3, 5).masked_fill(~mask, -torch.inf)
        return a + b + F.scaled_dot_product_attention(q, k, v, looks, 0.5)
    return q.clone()


@program(lambda: [(rand(4, 3, seed=n),) for n in range(3)], "state random")
def layers_left_out(x):
    for i in range(4):
        if torch.rand([]) < 0.5:
            continue
        x = F.dropout(torch.tanh(x + i), 0.1)
    return x
