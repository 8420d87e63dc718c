"""Going through one list or another of another length."""

import torch

from .program import program, signs, t


@program(signs, "branch")
def made_a_list_or_a_tuple(x):
    found = [x[2] * 2, x[1] * 2]
    if x.sum() > 0:
        found = [x[0] * 2]
    return list(found), tuple(found), len(found)


@program(signs, "branch")
def gone_through_in_every_way(x):
    found = [x[2] * 2]
    if x.sum() > 0:
        found = []
    squares = [v * v for v in found]
    pairs = [(i, v * 2) for i, v in enumerate(found)]
    with_numbers = [(v * k, k) for v, k in zip(found, [1, 2])]
    return squares, sum(found), pairs, with_numbers


@program(signs, "branch")
def stacked_and_compared(x):
    found = [x[2] * 2, x[1] * 2]
    if x.sum() > 0:
        found = [x[0] * 2]
    return torch.stack(found), max(found) * 2, min(found) * 2, any(v > 0 for v in found)


@program(signs, "branch")
def known_on_the_path(x):
    found = None
    if x.sum() > 0:
        found = (x[0] * 2, x[1] * 2)
    total = x[2] * 2
    if found is not None:
        for k, v in enumerate(found):
            total = total + v * k
    return total


@program(lambda: [(t(-2.0, 0.1, 3.0, -0.2, 1.0, -1.0),), (t(2.0, 1.0, 3.0, 1.0, 2.0, 1.0),)], "branch")
def sorted_into_groups(x):
    low, middle, high = [], [], []
    for v in x:
        if v < -0.5:
            low.append(v)
        elif v < 0.5:
            middle.append(v)
        else:
            high.append(v)
    return [sum(group) / max(len(group), 1) for group in (low, middle, high)]
