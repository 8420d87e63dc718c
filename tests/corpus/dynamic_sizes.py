"""One graph for all sizes."""

import torch
from torch import nn

from .program import factory, program, rand, signs, t, vectors


def batches():
    return [(rand(n, 4, seed=n).abs() * sign,) for n in (2, 3, 5) for sign in (1, -1)]


@program(signs, "branch dynamic", sizes=vectors)
def elementwise(x):
    if x.sum() > 0:
        return torch.sin(x)
    return torch.cos(x)


@program(signs, "branch dynamic", sizes=vectors)
def size_in_arithmetic(x):
    if x.sum() > 0:
        return x / x.shape[0]
    return x * len(x)


@program(signs, "branch dynamic", sizes=vectors)
def predicate_mixes_size_and_value(x):
    if x.sum() > 0 and x.shape[0] > 1:
        return x + x.numel()
    return x


@program(signs, "branch dynamic", sizes=vectors)
def factory_of_dynamic_size(x):
    if x.sum() > 0:
        return x + torch.arange(x.shape[0])
    return torch.zeros_like(x)


@program(signs, "branch dynamic", sizes=vectors)
def concatenation_both(x):
    if x.sum() > 0:
        return torch.cat([x, x])
    return torch.cat([x, -x])


@program(signs, "branch dynamic differs", sizes=vectors)
def concatenation_on_one_side(x):
    if x.sum() > 0:
        return torch.cat([x, x])
    return x + 1


@program(signs, "branch dynamic", sizes=vectors)
def size_returned(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x
    return y, x.shape[0]


@program(signs, "branch dynamic", sizes=vectors)
def slices(x):
    if x.sum() > 0:
        return x[:-1] + x[1:]
    return x[1:] - x[:-1]


@program(lambda: [(rand(3, 4).abs(),), (-rand(3, 4).abs(),)], "branch dynamic", sizes=batches)
def matrix_product(x):
    if x.mean() > 0:
        return x @ x.T
    return (x @ x.T) * 2


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(4, 2)

    def forward(self, x):
        logits = self.linear(x)
        if logits.max() > 1:
            logits = logits - logits.max()
        return logits.softmax(-1)


@factory(lambda: [(rand(3, 4).abs() * 5,), (rand(3, 4) * 0.01,)], "branch dynamic", sizes=batches)
def batch_through_module():
    return Classifier()


@program(signs, "branch dynamic", sizes=vectors)
def early_return_with_sizes(x):
    if x.max() > 0:
        return x.new_ones(x.shape[0])
    y = x.view(1, -1).expand(2, -1)
    return y.sum(0)
