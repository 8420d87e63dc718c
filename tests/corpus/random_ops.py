"""Random numbers in regions: only the taken branch draws, and draws eager's own numbers."""

import torch
import torch.nn.functional as F

from .program import counts, pairs, program, signs, t


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
