"""Decoding, boxes, masks: inference code around a network."""

from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn

from ..program import factory, ints, program, rand, t


@program(lambda: [(ints(4, 0, 3).view(1, 3),), (ints(4, 5, 3).view(1, 3),)], "branch model", grad=False)
def mask_from_padding(ids):
    mask = None
    if 0 in ids:
        mask = (ids != 0).long()
    if mask is None:
        return ids * 2
    return ids * mask


@program(lambda: [(torch.ones(2, 4, dtype=torch.long),), (torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]]),), (torch.zeros(2, 4, dtype=torch.long),)], "branch model", grad=False)
def attention_bias(mask):
    if (mask == 1).all():
        return torch.zeros(2, 1, 1, 4)
    bias = (1.0 - mask[:, None, None, :].float()) * -1e4
    if not mask.any():
        bias = bias * 0
    return bias


@dataclass
class Output:
    logits: torch.Tensor
    loss: Optional[torch.Tensor] = None
    skipped: bool = False


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(4, 3)

    def forward(self, x, labels=None):
        logits = self.linear(x)
        loss, skipped = None, False
        if labels is not None:
            if (labels >= 0).any():
                loss = nn.functional.cross_entropy(logits, labels.clamp(min=0))
            else:
                skipped = True
        return Output(logits, loss, skipped)


@factory(lambda: [(rand(2, 4),), (rand(2, 4), ints(0, 2)), (rand(2, 4), ints(-1, -1))], "branch model", grad=False)
def output_dataclass():
    return Head()


@program(lambda: [(t(0.0, 0.0, 2.0, 2.0), t(*v)) for v in ((1.0, 1.0, 3.0, 3.0), (5.0, 5.0, 6.0, 6.0), (0.0, 0.0, 2.0, 2.0))], "branch model")
def box_overlap(a, b):
    top_left = torch.maximum(a[:2], b[:2])
    bottom_right = torch.minimum(a[2:], b[2:])
    size = bottom_right - top_left
    if (size <= 0).any():
        return torch.zeros(())
    inter = size.prod()
    union = (a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - inter
    return inter / union


@program(lambda: [(t(*v),) for v in ((0.9, 0.05, 0.05), (0.4, 0.35, 0.25), (0.34, 0.33, 0.33))], "branch model", grad=False)
def confident_or_defer(p):
    top, index = p.max(0)
    if top > 0.8:
        return index.item(), "sure"
    if top > 0.39:
        return index.item(), "likely"
    return -1, "unsure"


class Greedy(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.embed = nn.Embedding(6, 4)
        self.cell = nn.GRUCell(4, 4)
        self.out = nn.Linear(4, 6)

    @torch.no_grad()
    def forward(self, h, max_length=5):
        token = torch.zeros(1, dtype=torch.long)
        tokens = []
        for _ in range(max_length):
            h = self.cell(self.embed(token), h)
            token = (self.out(h) * 5).argmax(-1)
            tokens.append(token)
            if token.item() == 2:
                break
        return torch.cat(tokens)


@factory(lambda: [(rand(1, 4, seed=k) * 3,) for k in range(5)], "branch loop model", grad=False)
def greedy_decoder():
    return Greedy()
