"""while, with every form of test."""

import torch
from torch import nn

from .program import bools, counts, counts_python, factory, ints, levels, program, rand, s, signs, t, three


def halvings():
    """0, 1, 3 and 6 trips until below one half."""
    return [(t(v, v / 2),) for v in (0.1, 0.6, 3.0, 20.0)]


@program(halvings, "loop inductor")
def halve(x):
    while x.max() > 0.5:
        x = x / 2
    return x


@program(lambda: [(t(*row),) for row in ((0.1, 1.0), (5.0, 1.0), (2.0, 0.3), (-3.0, 2.0))], "loop branch inductor")
def negated_behind(x):
    n = x[0].item()
    while n > 2.5:
        n = n - 1.5
    if n == 2:
        n = -n
    return x * n, n + 0.1


@program(halvings, "loop")
def halve_item(x):
    while x.max().item() > 0.5:
        x = x / 2
    return x


@program(halvings, "loop inductor")
def halve_and_count(x):
    n = 0
    while x.max() > 0.5:
        x = x / 2
        n += 1
    return x, n


@program(counts, "loop", python=counts_python)
def count_down(x, n):
    while n > 0:
        x = x * 2
        n = n - 1
    return x


@program(counts, "loop", python=counts_python)
def count_up_item(x, n):
    i = 0
    while i < n:
        x = x + i
        i += 1
    return x


@program(counts, "loop")
def count_int(x, n):
    n = int(n)
    i = 0
    while i < n:
        x = x + i
        i = i + 1
    return x, i


@program(counts, "loop", python=counts_python)
def tensor_truth(x, n):
    while n:
        x = x + n
        n = n - 1
    return x


@program(halvings, "loop")
def while_true_break(x):
    while True:
        if x.max() <= 0.5:
            break
        x = x / 2
    return x


@program(halvings, "loop")
def while_true_return(x):
    n = 0
    while True:
        if x.max() <= 0.5:
            return x, n
        x = x / 2
        n += 1


@program(halvings, "loop")
def do_while(x):
    while True:
        x = x / 2
        if not x.max() > 0.5:
            break
    return x


@program(halvings, "loop inductor")
def and_with_bound(x):
    i = 0
    while x.max() > 0.5 and i < 2:
        x = x / 2
        i += 1
    return x, i


@program(halvings, "loop")
def or_with_minimum(x):
    i = 0
    while x.max() > 0.5 or i < 2:
        x = x / 2
        i += 1
    return x, i


@program(halvings, "loop")
def not_converged(x):
    converged = False
    while not converged:
        y = x / 2
        converged = bool((y - x).abs().max() < 0.5)
        x = y
    return x


@program(halvings, "loop")
def tensor_flag(x):
    going = x.max() > 0.5
    while going:
        x = x / 2
        going = x.max() > 0.5
    return x, going


@program(three, "loop")
def chained_test(x):
    while -20 < x.sum() < 5.5:
        x = x * 3
    return x


@program(halvings, "loop")
def walrus_test(x):
    while (m := x.max()) > 0.5:
        x = x - m / 2
    return x, m


@program(halvings, "loop")
def any_test(x):
    while (x > 0.5).any():
        x = torch.where(x > 0.5, x / 2, x)
    return x


@program(lambda: [(t(2.0, 3.0),), (t(0.5, 0.1),), (t(30.0, 1.0),)], "loop")
def newton_square_root(a):
    y = torch.ones_like(a)
    while ((y * y - a).abs() > 1e-3).any():
        y = (y + a / y) / 2
    return y


def _symmetric():
    m = rand(3, 3, seed=5)
    return [(m @ m.T,), (torch.eye(3),), (torch.diag(t(5.0, 1.0, 0.1)),)]


@program(_symmetric, "loop")
def power_iteration(a):
    v = torch.ones(3) / 3**0.5
    previous = torch.zeros(())
    value = v @ a @ v
    steps = 0
    while (value - previous).abs() > 1e-4 and steps < 50:
        w = a @ v
        v = w / w.norm()
        previous = value
        value = v @ a @ v
        steps += 1
    return value, v


@program(lambda: [(ints(27),), (ints(1),), (ints(8),)], "loop", grad=False)
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program(lambda: [(ints(48), ints(18)), (ints(7), ints(0)), (ints(17), ints(5))], "loop", grad=False)
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@program(lambda: [(ints(48, 18),), (ints(7, 0),)], "loop", grad=False)
def gcd_items(x):
    a, b = x.tolist()
    while b:
        a, b = b, a % b
    return x * a


@program(halvings, "loop")
def body_has_branch(x):
    n = 0
    while x.max() > 0.5:
        if x.sum() > 5:
            x = x / 4
        else:
            x = x / 2
            n += 1
    return x, n


@program(halvings, "loop")
def name_first_bound_in_body(x):
    y = x
    while x.max() > 0.5:
        y = x * 2
        x = x / 2
    return x + y


@program(halvings, "loop")
def temporaries(x):
    while x.max() > 0.5:
        a = x * 0.25
        b = a + a
        x = b
    return x


@program(halvings, "loop")
def invariant_captured(x):
    k = torch.tensor([0.5, 0.25])
    while x.max() > 0.5:
        x = x * k
    return x


@program(levels, "loop", grad=False)
def float_counter(x, level):
    v = float(level)
    while v > 0:
        x = x + v
        v -= 1.0
    return x, v


@program(lambda: [(t(1.0, 2.0), bools(True, True)), (t(1.0, 2.0), bools(False, False))], "loop", grad=False)
def finished_mask(x, active):
    step = 0
    while active.any():
        x = torch.where(active, x + 1, x)
        active = active & (x < torch.tensor([3.0, 6.0]))
        step += 1
    return x, step


@program(halvings, "loop")
def pass_body_with_walrus(x):
    while (x := x / 2).max() > 0.5:
        pass
    return x


@program(signs, "loop", min_graphs=1)
def never_runs(x):
    while x.dim() > 3:
        x = x / x.sum()
    if x.sum() > 0:
        return x
    return -x


class Ponder(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.cell = nn.GRUCell(3, 3)
        self.halt = nn.Linear(3, 1)

    def forward(self, x):
        h = torch.zeros(1, 3)
        p = torch.zeros(())
        steps = 0
        while p < 0.99 and steps < 8:
            h = self.cell(x, h)
            p = p + torch.sigmoid(self.halt(h)).sum() * 0.5
            steps += 1
        return h, p, steps


@factory(lambda: [(rand(1, 3, seed=k) * 3,) for k in range(4)], "loop")
def adaptive_computation_time():
    return Ponder()
