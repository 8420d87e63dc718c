"""Programs whose graphs docs/pictures.md shows."""

import torch


def choose(x, w):
    y = x @ w
    if y.mean() > 0:
        z = torch.softmax(y, -1)
    else:
        z = torch.relu(y) @ w
    return z + x


def count_down(x, n):
    total = torch.zeros(())
    while n > 0:
        x = x * 0.5
        total = total + x.sum()
        n = n - 1
    return x, total
