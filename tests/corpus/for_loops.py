"""for over ranges, tensors, and the iterators people use."""

import itertools

import torch
from torch import nn

from .program import counts, counts_python, factory, ints, program, rand, s, signs, t


@program(lambda: [(t(1.0, 2.0),), (t(0.25, 0.25),), (t(-1.0, -2.0),), (t(0.5, 0.75),)], "loop article inductor")
def article_c(x):
    n = int(x.sum().item())
    for i in range(n):
        x = x + i
    return x


@program(counts, "loop inductor", python=counts_python)
def range_int(x, n):
    for i in range(int(n)):
        x = x + i
    return x


@program(counts, "loop", python=counts_python)
def range_tensor(x, n):
    for _ in range(n):
        x = x * 2
    return x


@program(counts, "loop")
def range_start_stop(x, n):
    for i in range(1, n.item() + 1):
        x = x * i
    return x


@program(lambda: [(t(1.0, 2.0), s(a), s(b), s(c)) for a, b, c in ((0, 6, 2), (5, 0, -2), (3, 3, 1), (0, 7, 3), (0, 5, -1))], "loop")
def range_start_stop_step(x, a, b, c):
    for i in range(int(a), int(b), int(c)):
        x = x + i
    return x


@program(counts, "loop")
def range_descending(x, n):
    for i in range(int(n) - 1, -1, -1):
        x = x * 2 + i
    return x


@program(lambda: [(t(1.0, 2.0), s(1), s(0))], "loop raises", grad=False)
def range_step_zero(x, n, step):
    for i in range(0, int(n), int(step)):
        x = x + i
    return x


@program(counts, "loop")
def range_mixed(x, n):
    for i in range(x.shape[0] + int(n)):
        x = x + i
    return x


@program(counts, "loop")
def index_by_counter(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + x[i]
    return total


@program(counts, "loop")
def variable_after_loop(x, n):
    i = -1
    for i in range(int(n)):
        x = x + 1
    return x, i


@program(counts, "loop raises", grad=False)
def variable_after_loop_unbound(x, n):
    for i in range(int(n)):
        x = x + 1
    return x + i


@program(counts, "loop", grad=False)
def variable_rebound_in_body(x, n):
    total = 0
    for i in range(int(n)):
        i = i * 10
        total += i
    return x, total


@program(counts, "loop")
def slice_by_counter(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + x[: i + 1].sum()
    return total


@program(counts, "loop")
def rows_of_tensor(x, n):
    total = torch.zeros(2)
    for row in torch.ones(3, 2)[: int(n)]:
        total = total + row * x[0]
    return total


@program(lambda: [(rand(n, 2, seed=n),) for n in (3, 0, 1, 5)], "loop one_path", sizes=lambda: [(rand(n, 2, seed=n),) for n in (3, 4, 5)])
def rows_of_dynamic_size(x):
    total = torch.zeros(2)
    for row in x:
        total = total * 0.5 + row
    return total


@program(lambda: [(rand(3, 2, seed=1),), (-rand(3, 2, seed=1),)], "loop")
def rows_until_negative(x):
    total = torch.zeros(2)
    for row in x:
        if row.sum() < 0:
            break
        total = total + row
    return total


@program(counts, "loop")
def enumerate_(x, n):
    for i, k in enumerate(range(int(n)), start=5):
        x = x + i * k
    return x


@program(counts, "loop")
def enumerate_rows(x, n):
    total = torch.zeros(())
    for i, v in enumerate(x[: int(n)]):
        total = total + i * v
    return total


@program(counts, "loop")
def zip_ranges(x, n):
    for a, b in zip(range(int(n)), range(10, 20)):
        x = x + a * b
    return x


@program(counts, "loop")
def zip_rows(x, n):
    total = torch.zeros(())
    for a, b in zip(x[: int(n)], x.flip(0)):
        total = total + a * b
    return total


@program(counts, "loop")
def reversed_range(x, n):
    for i in reversed(range(int(n))):
        x = x * 2 + i
    return x


@program(counts, "loop")
def arange(x, n):
    for i in torch.arange(int(n)):
        x = x + i
    return x


@program(lambda: [(ints(3, 1, 2),), (ints(0, 0, 0),)], "loop", grad=False)
def tolist_values(n):
    total = 0
    for k in n.tolist():
        total = total * 10 + k
    return total


@program(lambda: [(t(1.0, 2.0), ints(3, 1, 2)), (t(1.0, 2.0), ints(0, 0, 0))], "loop")
def tolist_bounds(x, lengths):
    for k in lengths.tolist():
        for _ in range(k):
            x = x + 1
        x = x * 2
    return x


@program(signs, "loop branch")
def unbind(x):
    total = torch.zeros(())
    for v in x.unbind():
        total = total + v if v > 0 else total - 2 * v
    return total


@program(counts, "loop")
def range_len(x, n):
    rows = x[: int(n)]
    total = torch.zeros(())
    for i in range(len(rows)):
        total = total + rows[i] * i
    return total


@program(counts, "loop")
def itertools_count(x, n):
    for i in itertools.count():
        if i >= n:
            break
        x = x + i
    return x


@program(counts, "loop")
def itertools_islice(x, n):
    for i in itertools.islice(range(100), int(n)):
        x = x + i
    return x


@program(counts, "loop")
def itertools_product(x, n):
    for i, j in itertools.product(range(int(n)), range(2)):
        x = x + i * j + 1
    return x


@program(counts, "loop")
def sum_of_generator(x, n):
    return sum(x * i for i in range(int(n))) + x


@program(counts, "loop")
def any_of_generator(x, n):
    if any(x[i] > 2 for i in range(int(n))):
        return x + 1
    return x


@program(counts, "loop")
def all_of_generator(x, n):
    if all(x[i] < 2.5 for i in range(int(n))):
        return x + 1
    return x


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(4))

    def forward(self, x, n):
        for i, layer in enumerate(self.layers):
            if i >= n:
                break
            x = torch.tanh(layer(x))
        return x


@factory(lambda: [(rand(2, 3), s(n)) for n in (2, 0, 4, 9)], "loop", python=lambda: [(rand(2, 3), n) for n in (2, 0, 4, 9)])
def module_list_with_break():
    return Layers()


class LayerDrop(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(4))
        self.layerdrop = 0.5

    def forward(self, x):
        for layer in self.layers:
            p = torch.rand([])
            if self.training and p < self.layerdrop:
                continue
            x = torch.tanh(layer(x))
        return x


@factory(lambda: [(rand(2, 3, seed=k),) for k in range(4)], "branch loop random")
def layer_drop():
    return LayerDrop()


@program(lambda: [({"a": t(1.0), "b": t(-1.0), "c": t(2.0)},), ({"a": t(1.0), "b": t(1.0), "c": t(2.0)},)], "loop branch", grad=False)
def dict_items_with_continue(values):
    total = torch.zeros(1)
    for name, v in values.items():
        if v < 0:
            continue
        total = total + v * len(name)
    return total


@program(counts, "loop")
def comprehension_over_dynamic_range(x, n):
    return torch.stack([x] + [x * i for i in range(int(n))])


@program(counts, "loop")
def range_used_twice(x, n):
    steps = range(int(n))
    for i in steps:
        x = x + i
    for i in steps:
        x = x * 2 - i
    return x


@program(counts, "loop")
def in_helper(x, n):
    def repeat(v, k):
        for i in range(k):
            v = v * 2 + i
        return v

    return repeat(x, int(n)) + repeat(x, 2)


@program(lambda: [(rand(4, 3, seed=1), ints(4)), (rand(4, 3, seed=1), ints(0)), (rand(4, 3, seed=1), ints(2))], "loop")
def recurrent_network(x, length):
    h = torch.zeros(3)
    for i in range(int(length)):
        h = torch.tanh(x[i] + 0.5 * h)
    return h


@program(lambda: [(rand(3, 4, seed=2), ints(4, 2, 0)), (rand(3, 4, seed=2), ints(1, 1, 1))], "loop")
def ragged_rows(x, lengths):
    total = torch.zeros(())
    for row, n in zip(x, lengths):
        total = total + row[: int(n)].sum()
    return total


@program(signs, "loop")
def over_one_tuple_or_another(x):
    rows = (x, x * 2, x + 1) if x.sum() > 0 else [x]
    total = 0
    for row in rows:
        if row.sum() > 10:
            break
        total = total + row
    return total, [row * 2 for row in rows]


@program(signs, "loop", grad=False)
def groupby_of_values(x):
    return sum(1 for _ in itertools.groupby((x > 1.5).tolist()))


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, 300.0),), (t(-5000.0, 1.0, 1.0),)], "loop")
def counter_as_an_exponent(x):
    step = 0.1
    for i in range(4):
        added = step * (10**i)
        x = x + added
        if x.sum() > 10:
            break
    return x, added
