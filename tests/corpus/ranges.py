"""`in` a range, with a number or a range that the data decides."""

import torch

from .program import program, s, t


def numbers(*values):
    return lambda: [(t(1.0, 2.0, 3.0), s(v)) for v in values]


@program(numbers(0, 2, 5, -1), "branch")
def first_few(x, n):
    if n.item() in range(3):
        return x * 2
    return x


@program(numbers(1, 3, 4, 5, 7, 9, 11), "branch")
def with_step(x, n):
    if int(n) in range(3, 10, 2):
        return x * 2
    return x


@program(numbers(10, 7, 1, 0, 9, -2, 13), "branch")
def downwards(x, n):
    if int(n) not in range(10, 0, -3):
        return x * 2
    return x


@program(numbers(2.0, 2.5, 3.0, float("nan"), float("inf"), -1.0), "branch")
def of_float(x, n):
    if n.item() in range(0, 5, 2):
        return x * 2
    return x


@program(numbers(2, 3, 7), "branch")
def of_tensor(x, n):
    if n in range(1, 5, 2):
        return x * 2
    return x


@program(numbers(2.0, 3.0, 2.5), "branch")
def of_float_tensor(x, n):
    if n in range(1, 5, 2):
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0), torch.tensor(v, dtype=torch.uint8)) for v in (1, 10, 7, 8)], "branch", grad=False)
def of_small_ints(x, n):
    if n in range(10, 0, -3):
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0), s(v), s(w)) for v, w in ((1, 3), (5, 3), (0, 0), (3, 4))], "branch", grad=False)
def end_from_data(x, n, m):
    k = int(m)
    if n.item() in range(k):
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0), s(v)) for v in (1, 3, 5)], "branch", grad=False)
def constant_in_range_of_data(x, m):
    if 2 in range(int(m)):
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0),), (t(1.0, -2.0),)], "branch", grad=False)
def of_bool(x):
    n = bool(x.sum() > 0)
    return (x + 1 if n in range(1, 3) else x - 1), n in range(1)


@program(lambda: [(t(1.0, 2.0),), (t(1.0, -2.0),)], "branch raises", grad=False, min_graphs=0)
def of_many_elements(x):
    if x in range(3):
        return x
    return x + 1


@program(lambda: [(t(1.0, 2.0),), (t(1.0, -2.0),)], "branch", grad=False)
def as_value(x):
    n = int(x.sum())
    return x, n in range(3), n not in range(-1, 3)
