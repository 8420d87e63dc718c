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


def matrices():
    return [(rand(n, 2, seed=n),) for n in (4, 5, 3)]


@program(matrices, "loop dynamic one_path", sizes=matrices)
def loop_over_rows(x):
    total = torch.zeros(())
    for row in x:
        total = total * 0.5 + row.sum()
    return total


@program(matrices, "loop dynamic one_path", sizes=matrices)
def loop_over_row_numbers(x):
    total = torch.zeros(2)
    for i in range(x.shape[0]):
        total = torch.tanh(total + x[i])
    return total


@program(matrices, "loop dynamic one_path", sizes=matrices)
def states_of_rows(x):
    h, states = torch.zeros(2), []
    for i, row in enumerate(x):
        h = torch.tanh(h + row * i)
        states.append(h)
    return torch.stack(states), h


@program(matrices, "loop dynamic one_path", sizes=matrices)
def comprehension_over_rows(x):
    return torch.stack([row * 2 for row in x.unbind(0)])


@program(matrices, "loop dynamic one_path", sizes=matrices)
def rows_in_pairs(x):
    total = torch.zeros(2)
    for a, b in zip(x, x.flip(0)):
        total = total + a * b
    return total


@program(matrices, "loop dynamic one_path", sizes=matrices)
def exit_from_rows(x):
    for i, row in enumerate(x):
        if row.sum() > 0:
            return row * 1, i
    return x[0] * 1, -1
