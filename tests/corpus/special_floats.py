"""Floats of the data that are infinite or no number: comparisons and arithmetic as IEEE 754 and Python have them."""

import math

import torch

from .program import program, t


def specials():
    return [(t(*values),) for values in ((1.0, 2.0, 3.0), (1.0, math.inf, 0.0), (-math.inf, 1.0, 2.0), (math.nan, 1.0, 2.0))]


@program(specials, "branch", grad=False)
def equal_to_itself(x):
    s = x.sum().item()
    if s == s:
        return x + 1
    return torch.zeros_like(x)


@program(specials, "branch inductor", grad=False)
def difference_from_itself(x):
    s = x.sum().item()
    if s - s == 0:
        return x + 1
    return torch.ones_like(x)


@program(specials, "branch", grad=False)
def arithmetic_is_not_real(x):
    s = x.sum().item()
    if s + 1 > s:
        return x + 2
    if s * 0 == 0:
        return x + 3
    return x + 4


@program(specials, "branch", grad=False)
def compared_with_infinity(x):
    s = x.sum().item()
    return s < math.inf, s > -math.inf, s == math.inf, s <= math.inf, not s != s


@program(specials, "branch", grad=False)
def python_max_and_min(x):
    s = float(x.sum())
    return max(s, 0.0), max(0.0, s), min(s, math.inf), min(1.0, s)


@program(specials, "loop", grad=False)
def best_item_so_far(x):
    best, place = -math.inf, -1
    for i, v in enumerate(x):
        if v.item() > best:
            best, place = v.item(), i
    return best, place


@program(specials, "loop", grad=False)
def max_of_items(x):
    best = -math.inf
    for v in x:
        best = max(best, v.item())
    return best


@program(lambda: [(t(1.0, 2.0),), (t(40.0, -3.0),)], "loop inductor", grad=False)
def until_it_settles(x):
    previous, n = float("inf"), 0
    while n < 12:
        current = (x * 0.5**n).abs().sum().item()
        if abs(previous - current) < 0.1:
            break
        previous, n = current, n + 1
    return n, previous
