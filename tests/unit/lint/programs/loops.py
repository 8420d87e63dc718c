import itertools

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    layers: nn.ModuleList

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(3)])

    def forward(self, hidden_states, lengths=None, steps: int = 3):
        for layer in self.layers:
            dropped = torch.rand([])
            if dropped < 0.5:  #: GW201
                continue
            hidden_states, weight = layer(hidden_states)
            if weight > 0:  #: GW201
                break
        for i in range(steps):
            hidden_states = hidden_states + i
        for row in hidden_states:
            hidden_states = hidden_states + row
        for i in range(int(hidden_states.max())):  #: GW202
            hidden_states = hidden_states * i
        for length in lengths.tolist():  #: GW203
            hidden_states = hidden_states[:length]
        for index in (hidden_states > 0).nonzero():  #: GW202 GW204
            hidden_states = hidden_states + index
        for key, group in itertools.groupby(enumerate(lengths.tolist()), lambda pair: pair[1]):  #: GW202
            hidden_states = hidden_states + key
        rows = []
        n = lengths.sum().item()  #: GW203
        for i in range(n):  #: GW202
            rows.append(hidden_states)
        for i in range(n):  #: GW202
            print(i)  #: maybe GW205
        kept = [hidden_states + i for i in range(n)]  #: GW202
        return arrays(hidden_states), torch.stack(rows), kept

    def generate(self, hidden_states):
        while True:
            hidden_states = self(hidden_states)
            if (hidden_states == 0).all():  #: GW201
                break
        return hidden_states


class Layer(nn.Module):
    def forward(self, x):
        out = F.relu(x)
        return out, out.mean()


def arrays(x):
    found = np.zeros(3)
    if found.max() > 0:  #: GW201
        return x
    return x


def only_numpy(x):
    found = np.zeros(3)
    if found.max() > 0:  #: maybe GW201
        return x


@torch.compile
def sizes(x, count: torch.Tensor):
    mask = count > 0
    chosen = count[mask]  #: GW204
    count[mask] = 0
    if chosen.shape[0] > 2 or len(chosen) > 3:  #: GW201
        return chosen
    if chosen.shape[1] > 2:
        return chosen
    where = torch.where(mask)  #: GW204
    plain = torch.where(mask, count, 0)
    many = torch.repeat_interleave(count, count)  #: GW204
    few = torch.repeat_interleave(count, 2)
    made = torch.zeros(count.max(), 3)  #: GW203
    cut = count[: count.max()]  #: GW203
    print(x)  #: maybe GW205
    breakpoint()  #: refused GW205
    return where, plain, many, few, made, cut, x[~mask]  #: GW204


def suppressed(x: torch.Tensor):
    if x.sum() > 0:  # gw: ignore[GW201]
        return x
    return x.nonzero()  # gw: ignore


def told_otherwise(x: torch.Tensor, size):
    if isinstance(size, int):
        size = (size, size)
    if size[0] > 3:
        return x
    try:
        value = x.max()
    except ValueError:  # star
        value = None
    with torch.no_grad():
        if value > 0:  #: GW201
            return x
    return None
