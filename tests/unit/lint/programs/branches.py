"""Each line that has a finding is marked `#:` and its code; `refused` and `maybe` where it is so."""

import math

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.size = size
        self.linear = nn.Linear(size, size)
        self.register_buffer("count", torch.zeros(()))
        self.gate = nn.Parameter(torch.ones(size))
        if self.gate.sum() > 0:  # never traced
            self.size = 1

    def forward(self, x):
        y = self.linear(x)
        if y.sum() > 0:  #: GW201
            return self.helper(y)
        elif self.training:
            return y
        if self.count > 3 and self.size > 2:  #: GW201
            y = y + 1
        if y.shape[0] > 2 and y.dtype == torch.float16 and y.dim() == 2:
            y = y * 2
        if self.size > 2 or x is None:
            y = y - 1
        assert (self.gate > 0).all(), "negative"  #: GW201
        z = y if y.max() > 0 else -y  #: GW201
        both = y.any() and z  #: GW201
        return z, both, not z.any()  #: GW201

    def helper(self, value, flag=False):
        if flag:
            return value
        while value.norm() > 1:  #: GW202
            value = value / 2
        return value


def annotated(x: Tensor, n: int, name: str = "a", mask: torch.BoolTensor | None = None):
    if n > 3 or name == "a":
        x = x + 1
    if mask is not None and mask.all():  #: GW201
        x = x + 2
    match x.argmax():  #: GW201
        case 1:
            return x
    if isinstance(n, torch.Tensor) and n > 3:  #: GW201
        return x
    if torch.compiler.is_compiling():
        return x
    elif x.sum() > 0:  # not there while torch traces
        return -x
    if not torch.compiler.is_compiling() and x.sum() > 0:
        return -x
    return x


def numbers(x: Tensor):
    biggest = x.max().item()  #: GW203
    half = biggest / 2
    if half > 3:  #: GW201
        x = x + 1
    if math.sqrt(x.sum()) > 3:  #: GW201
        x = x + 1
    root = math.sqrt(x.sum())  #: refused GW203
    if torch.equal(x, x) or torch.allclose(x, -x):  #: GW201
        x = x + 1
    first, second = x.tolist()  #: GW203
    if first == second:  #: GW201
        x = x * root
    if 3 in x:  #: GW201
        x = x + 1
    return x if any(row > 0 for row in x) else -x  #: GW201


def grows(x: Tensor, out: list, seen: set):
    if x.sum() > 0:  #: GW201
        out.append(x)
    if x.sum() > 1:  #: GW201
        seen.add(1)
    if x.sum() < 0:  #: GW201
        own = []
        own.append(x)
    positive = [row for row in x if row.sum() > 0]  #: GW201
    return positive


def other(x):
    return x > 0


def unknown(x, y):
    if x > 0:
        return y
    if y.any():  #: maybe GW201
        return x


def script():
    made = torch.ones(3)
    assert torch.allclose(made, made)  #: maybe GW201


@torch.compiler.disable
def off(x: Tensor):
    return x if x.sum() > 0 else -x


def called(x: Tensor):
    return inner(x, 3), inner2(x)


def inner(value, count):
    if count > 2:
        return value
    if value.sum() > 0:  #: GW201
        return value


def inner2(value):
    shape = value.shape
    size = len(value)
    if shape[0] > 3 or size > 3 or value.size(0) > 2 or value.numel() > 2:
        return value

    def nested(more):
        return -value if value.sum() > 0 else more  #: GW201

    return nested(value)
