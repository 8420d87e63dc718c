"""Pieces of training loops."""

import torch
import torch.nn.functional as F
from torch import nn

from ..program import factory, ints, program, rand, t


@program(lambda: [(rand(4, 3, seed=1), ints(0, 2, 1, 0)), (rand(4, 3, seed=1), ints(-100, -100, -100, -100)), (rand(4, 3, seed=1), ints(0, -100, 1, -100))], "branch model inductor")
def loss_with_ignored_labels(logits, labels):
    valid = labels != -100
    if valid.any():
        return F.cross_entropy(logits, labels, ignore_index=-100)
    return logits.sum() * 0.0


@program(lambda: [(rand(4, 3, seed=1) * v, rand(3, seed=2)) for v in (0.1, 50.0)] + [(rand(4, 3, seed=1) * float("nan"), rand(3, seed=2))], "branch model", grad=False)
def clipped_step(gradient, weight):
    norm = gradient.norm()
    if not torch.isfinite(norm):
        return weight, False
    scale = 1.0
    if norm > 1.0:
        scale = 1.0 / (norm + 1e-6)
    return weight - 0.1 * (gradient * scale).mean(0), True


class LossScaler(nn.Module):
    """Grows after good steps, halves after an overflow."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(8.0))
        self.register_buffer("good", torch.tensor(0))

    def forward(self, gradient):
        found_inf = not torch.isfinite(gradient).all()
        if found_inf:
            self.scale.mul_(0.5)
            self.good.zero_()
        else:
            self.good.add_(1)
            if self.good >= 2:
                self.scale.mul_(2)
                self.good.zero_()
        return gradient / self.scale


@factory(lambda: [(t(1.0, v),) for v in (1.0, 2.0, 3.0, float("inf"), 1.0, float("nan"), 2.0)], "state model", grad=False)
def loss_scaler():
    return LossScaler()


@program(lambda: [(rand(3, seed=1), rand(3, seed=2)), (rand(3, seed=1) * 9, rand(3, seed=2)), (rand(3, seed=1), rand(3, seed=1))], "branch model inductor")
def robust_loss(prediction, target):
    """Squared where close, absolute where far, and a special case for equality."""
    difference = (prediction - target).abs()
    if difference.max() == 0:
        return (prediction * 0).sum()
    if difference.max() < 3:
        return (difference**2).mean()
    return difference.mean() * 2


@program(lambda: [(rand(4, seed=k), rand(4, seed=k + 9)) for k in range(4)], "loop model", grad=False)
def line_search(x, direction):
    def value(v):
        return (v**2).sum() + (v[0] - 1).abs()

    step = 1.0
    start = value(x)
    trials = 0
    while value(x + step * direction) > start and trials < 10:
        step = step / 2
        trials += 1
    return x + step * direction, step, trials


@program(lambda: [(rand(3, 3, seed=k) @ rand(3, 3, seed=k).T + torch.eye(3), rand(3, seed=k)) for k in range(3)] + [(torch.eye(3), torch.zeros(3))], "loop model")
def conjugate_gradient(a, b):
    x = torch.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    steps = 0
    while rs > 1e-8 and steps < 20:
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        steps += 1
    return x, steps


@program(lambda: [(rand(3, 4, seed=k).abs() + 0.1,) for k in range(3)] + [(torch.full((3, 4), 0.25),)], "loop model")
def sinkhorn(m):
    for _ in range(30):
        m = m / m.sum(0, keepdim=True)
        m = m / m.sum(1, keepdim=True)
        if (m.sum(0) - 0.75).abs().max() < 1e-3:
            break
    return m


@program(lambda: [(rand(8, 2, seed=k),) for k in range(3)] + [(torch.ones(8, 2),)], "loop model", grad=False)
def k_means(x):
    centers = x[:2].clone()
    assigned = torch.full((8,), -1)
    rounds = 0
    while True:
        new = torch.cdist(x, centers).argmin(1)
        if (new == assigned).all():
            break
        assigned = new
        for k in range(2):
            mask = assigned == k
            if mask.any():
                centers[k] = x[mask].mean(0)
        rounds += 1
    return centers, assigned, rounds
