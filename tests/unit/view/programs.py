"""Programs that are drawn."""

from pathlib import Path

import torch

from graphweld.cli.target import load_target

FIGURES = Path(__file__).parents[3] / "docs" / "examples" / "figures.py"
choose, count_down = (load_target(str(FIGURES), name, instantiate=False).fn for name in ("choose", "count_down"))


def pick(x):
    if x.sum() > 0:
        x = x + 1
    else:
        x = x - 1
    return x


def change_in_place(x):
    y = x * 2
    y.add_(3)
    return y + 1


def repeat(x, n):
    for _ in range(int(n)):
        x = x * 2
    return x


def refused(x):
    if x.sum() > 0:
        return {1: x}
    return x.numpy().tolist()


def fails(x):
    if x.sum() > 0:
        x = x + 1
    return x / (1 // 0)


def deep(x, n):
    for _ in range(int(n)):
        if x.sum() > 3:
            y = torch.softmax(x, -1) @ x
            while y.sum() > 1:
                y = torch.sin(y) / 2
            x = y
        else:
            x = torch.cos(x) @ x
    return x


def double(t):
    if t.sum() > 0:
        t = torch.softmax(t, -1) @ t
    return t * 2


def through_a_call(x):
    y = double(torch.relu(x))
    return y + 1


class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x)
        return torch.sigmoid(y) if y.sum() > 0 else torch.tanh(y)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)

    def forward(self, x):
        y = torch.relu(self.lin(x)) + x
        return torch.softmax(y, -1) @ y if y.sum() > 0 else torch.sin(y) @ x


class Tower(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(count))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
