"""What Python checks when it runs: positions that the data decides, divisions by numbers of the data."""

import torch

from .program import ints, program, rand, s, t


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, 2.0), s(5)), (t(1.0, 2.0), s(-3)), (t(1.0, 2.0), s(-2))], "branch raises inductor", grad=False)
def index(x, i):
    return x[int(i)] * 2


@program(lambda: [(rand(2, 3), s(1)), (rand(2, 3), s(3)), (rand(2, 3), s(-4))], "branch raises", grad=False)
def index_second(x, i):
    return x[:, int(i)] * 2, x[0, i]


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, 2.0), s(5)), (t(1.0, 2.0), s(-3))], "branch raises", grad=False)
def index_of_new(x, i):
    y = x * 2
    y[int(i)] = 7.0
    return y


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, 2.0), s(5))], "branch", grad=False)
def index_in_taken_side(x, i):
    if i < 2:
        return x[int(i)] * 2
    return x.sum()


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, 2.0), s(5))], "branch raises", grad=False)
def index_in_taken_side_raises(x, i):
    if i > 2:
        return x[int(i)] * 2
    return x.sum()


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (0, 1, 3)], "loop", grad=False)
def index_in_loop(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + x[i]
    return total


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (1, 5)], "loop raises", grad=False)
def index_past_end_in_loop(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + x[i]
    return total + 1


@program(lambda: [(t(1.0, 2.0, -3.0, 4.0),), (t(1.0, 2.0, 3.0, 4.0),)], "loop", grad=False)
def static_loop(x):
    total = x.sum() * 0
    for i in range(4):
        if x[i].item() < 0:
            break
        total = total + x[i]
    return total


@program(lambda: [(t(1.0, 2.0), s(2)), (t(1.0, 2.0), s(0)), (t(1.0, 2.0), s(-3))], "branch raises inductor", grad=False)
def divide(x, n):
    k = int(n)
    return x * (8 // k), 7 % k, 3 / k


@program(lambda: [(t(1.0, 2.0), s(2.0)), (t(1.0, 2.0), s(0.0))], "branch raises", grad=False)
def divide_floats(x, n):
    v = n.item()
    return x * (1.0 / v)


@program(lambda: [(t(1.0, 2.0), s(2.0)), (t(1.0, 2.0), s(0.0))], "branch", grad=False)
def guarded_division(x, n):
    v = n.item()
    scale = 1.0 / v if v != 0 else 0.0
    return x * scale


@program(lambda: [(t(1.0, 2.0), s(2.0)), (t(1.0, 2.0), s(0.0))], "branch", grad=False)
def tensor_by_number(x, n):
    return x / n.item(), x // n.item()


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, -2.0), s(1)), (t(1.0, 2.0), s(0))], "branch raises", grad=False)
def torch_checks(x, n):
    torch._check_tensor_all(x > 0)
    torch._check_value(n.item() > 0, lambda: f"n is {n}")
    return x * n


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, -2.0), s(1)), (t(1.0, 2.0), s(5))], "branch raises", grad=False)
def torch_checks_in_taken_side(x, n):
    if n > 2:
        return x
    torch._check_with(KeyError, bool((x > 0).all()), lambda: f"{x.min()} is not positive")
    return x.log()


def _sizes_after():
    masks = ((1, 1, 0), (0, 0, 0), (3, 0, 0), (0, -1, 0))
    return [(t(*x), ints(*mask)) for x in ((1.0, 1.0), (1.0, -3.0)) for mask in masks]


@program(_sizes_after, "branch data_sizes raises", grad=False)
def size_after_a_change(x, mask):
    x.add_(1)
    if x.sum() > 0:
        x.mul_(2)
    n = int(mask.sum())
    return 2 * x[:n].reshape(n, 1), torch.zeros(n)


@program(_sizes_after, "branch data_sizes raises", grad=False)
def first_found_after_a_change(x, mask):
    x.add_(1)
    if x.sum() > 0:
        found = mask.nonzero()
        return x + found[0]
    return x


@program(_sizes_after, "loop data_sizes raises", grad=False)
def added_in_a_loop_after_a_change(x, mask):
    y = x
    for row in mask:
        x.add_(1)
        if row > 0:
            y = y + torch.ones(int(x.sum()))
    return y


@program(lambda: [(t(0.0, 0.0),), (t(1.0, 1.0),), (t(-1.0, -2.0),)], "loop append raises", grad=False)
def popped_from_none(x):
    items = [0]
    for _ in range(3):
        if x.sum() > 3:
            items.pop()
        x.add_(1)
    return len(items)
