"""What a loop may carry."""

import collections
import dataclasses

import torch
from torch import nn

from .program import counts, counts_python, factory, program, rand, s, signs, t


@program(counts, "loop")
def swap(x, n):
    a, b = x, x * 10
    for _ in range(int(n)):
        a, b = b, a
    return a, b


@program(counts, "loop")
def fibonacci(x, n):
    a, b = torch.zeros_like(x), x
    for _ in range(int(n)):
        a, b = b, a + b
    return a


@program(counts, "loop")
def rotate_three(x, n):
    a, b, c = x, x + 1, x + 2
    for _ in range(int(n)):
        a, b, c = b, c, a
    return a, b, c


@program(counts, "loop")
def unchanged_carry(x, n):
    y = x + 1
    for _ in range(int(n)):
        y = y
        x = x * 2
    return x, y


@program(counts, "loop alias")
def zero_trips_alias(x, n):
    y = x
    for _ in range(int(n)):
        y = y + 1
    return y


@program(counts, "loop")
def two_names_of_one_tensor(x, n):
    a = b = x * 2
    for _ in range(int(n)):
        a = a + 1
    return a, b


@program(counts, "loop differs")
def python_zero_then_tensor(x, n):
    total = 0
    for i in range(int(n)):
        total = total + x * i
    return total + x


@program(counts, "loop differs")
def python_zero_returned(x, n):
    total = 0
    for i in range(int(n)):
        total = total + x
    return total


@program(counts, "loop differs")
def none_then_tensor(x, n):
    last = None
    for i in range(int(n)):
        last = x * i
    if last is None:
        return x
    return last


@program(counts, "loop differs")
def none_then_tensor_returned(x, n):
    last = None
    for i in range(int(n)):
        last = x * i
    return last


@program(counts, "loop differs")
def int_then_float(x, n):
    k = 1
    for _ in range(int(n)):
        k = k * 0.5
    return x * k


@program(counts, "loop differs")
def int_tensor_then_float_tensor(x, n):
    k = torch.tensor(1)
    for _ in range(int(n)):
        k = k * 0.5
    return x * k, k


@program(counts, "loop", python=counts_python)
def python_numbers(x, n):
    i, f, flag = 0, 1.0, False
    for _ in range(int(n)):
        i += 2
        f *= 0.5
        flag = not flag
    return x * f + i, i, f, flag


@program(counts, "loop python_out")
def string_carried(x, n):
    name = "even"
    for _ in range(int(n)):
        name = "odd" if name == "even" else "even"
    return x, name


@program(counts, "loop")
def tuple_carried(x, n):
    state = (x, 0)
    for i in range(int(n)):
        state = (state[0] + i, state[1] + 1)
    return state


@program(counts, "loop")
def list_carried(x, n):
    state = [x, x * 2]
    for i in range(int(n)):
        state = [state[1], state[0] + i]
    return state


@program(counts, "loop")
def dict_carried(x, n):
    state = {"h": x, "c": x * 2}
    for i in range(int(n)):
        state = {"h": state["c"], "c": state["h"] + i}
    return state


State = collections.namedtuple("State", ["h", "n"])


@program(counts, "loop")
def namedtuple_carried(x, n):
    state = State(x, 0)
    for i in range(int(n)):
        state = state._replace(h=state.h + i, n=state.n + 1)
    return state


@dataclasses.dataclass
class Point:
    x: torch.Tensor
    n: int = 0

    def moved(self, k):
        return Point(self.x + k, self.n + 1)


@program(counts, "loop")
def dataclass_carried(x, n):
    p = Point(x)
    for i in range(int(n)):
        p = p.moved(i)
    return p.x, p.n


@program(counts, "loop raises", grad=False)
def first_bound_in_body(x, n):
    for i in range(int(n)):
        y = x * i
    return y


@program(counts, "loop")
def first_bound_in_body_guarded(x, n):
    for i in range(int(n)):
        y = x * i
    if n > 0:
        return y
    return x


@program(counts, "loop differs sizes", grad=False)
def grows_by_cat(x, n):
    for _ in range(int(n)):
        x = torch.cat([x, x[-1:] * 2])
    return x


@program(counts, "loop differs sizes", grad=False)
def doubles(x, n):
    for _ in range(int(n)):
        x = torch.cat([x, x])
    return x


@program(counts, "loop differs sizes", grad=False)
def shrinks(x, n):
    while x.numel() > n:
        x = x[1:] * 2
    return x.sum()


@program(counts, "loop differs")
def transposed_carry(x, n):
    m = x.view(3, 1) @ x.view(1, 3)
    for _ in range(int(n)):
        m = m.T + 1
    return m


@program(counts, "loop")
def view_carry(x, n):
    v = x[1:]
    for _ in range(int(n)):
        v = v * 2
    return v


@program(counts, "loop")
def expanded_start(x, n):
    v = x.sum().expand(3)
    for _ in range(int(n)):
        v = v + x
    return v


@program(counts, "loop inductor")
def accumulator_without_grad(x, n):
    # the first value does not require grad, the later ones do
    h = torch.zeros(3)
    for _ in range(int(n)):
        h = torch.tanh(h + x)
    return h


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.cell = nn.Linear(3, 3)

    def forward(self, x, n):
        h = torch.zeros(3)
        for i in range(int(n)):
            h = torch.tanh(self.cell(h) + x[i])
        return h


@factory(lambda: [(rand(4, 3), s(n)) for n in (3, 0, 1, 4)], "loop inductor")
def parameters_in_body():
    return Recurrent()


class DropoutLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.weight = nn.Parameter(torch.ones(32))

    def forward(self, x, n):
        for _ in range(int(n)):
            x = self.drop(x * self.weight)
        return x


@factory(lambda: [(torch.ones(32), s(n)) for n in (2, 0, 1)], "loop random")
def dropout_in_body():
    return DropoutLoop()


@program(counts, "loop differs")
def detached_carry(x, n):
    h = x
    for i in range(int(n)):
        h = (h * x).detach() + i
    return h * x


@program(counts, "loop")
def carry_only_through_item(x, n):
    k = 0.0
    for i in range(int(n)):
        k = k + x[i].item()
    return x * k, k


@program(signs, "loop")
def many_carries(x):
    a, b, c, d = x, x + 1, 0, 1.0
    while a.sum() < 20 and c < 5:
        a = a + b.abs()
        b = b * 1.5
        c += 1
        d = d / 2
    return a, b, c, d


@program(counts, "loop")
def delete_in_body(x, n):
    for i in range(int(n)):
        tmp = x * i
        x = x + tmp
        del tmp
    return x


@program(counts, "loop")
def function_carried(x, n):
    fs = [torch.sin, torch.cos]
    for i in range(int(n)):
        x = fs[i % 2](x)
    return x


@program(counts, "loop")
def list_replaced_in_branch(x, n):
    parts, step = [x, x], x
    for i in range(int(n)):
        step = step * 1.5
        if step.sum() > 10:
            parts = [step, parts[0] + i]
    return parts[0] + 2 * parts[1]


@program(counts, "loop")
def list_replaced_in_branch_returned(x, n):
    parts, step = [x, x + 1], x
    for _ in range(int(n)):
        step = step * 1.5
        if step.sum() > 10:
            parts = [step, parts[1] * 2]
    return parts


@program(counts, "loop")
def list_replaced_then_changed(x, n):
    parts = [x, x]
    for i in range(int(n)):
        if x.sum() * i > 5:
            parts = [x * i, parts[0]]
        parts[1] = parts[1] + i
    return parts


@program(counts, "loop")
def list_replaced_and_kept(x, n):
    first = [x, x]
    parts = first
    for i in range(int(n)):
        if x.sum() * i > 5:
            parts = [x * i, parts[0]]
        parts[1] = parts[1] + i
    return parts, first


Stage = collections.namedtuple("Stage", "value, rate, tail")


class AdaptiveSum:
    """A solver that keeps its state in an attribute, and accepts a step or not."""

    def __call__(self, x, n):
        self.stage = Stage(x, x * 0.1, [x + 1, x - 1])
        while self.stage.value.sum() < 2 * n:
            self.stage = self.step(self.stage)
        return self.stage.value + self.stage.tail[0] * self.stage.tail[1]

    def step(self, stage):
        value, rate, tail = stage
        proposed = value + rate
        if rate.abs().max() < 1.5:
            value, tail, rate = proposed, [proposed + 1, rate - 1], rate * 1.5
        else:
            rate = rate * 0.5
        return Stage(value, rate, tail)


@factory(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (10, 0, 4)], "loop state")
def adaptive_steps():
    return AdaptiveSum()


@dataclasses.dataclass
class Progress:
    value: torch.Tensor
    steps: int = 0


@program(signs, "loop")
def dataclass_replaced(x):
    state = Progress(x * 3)
    while state.value.norm() > 1:
        state = dataclasses.replace(state, value=state.value * 0.5, steps=state.steps + 1)
    return state.value, state.steps


@program(signs, "loop")
def entries_swapped(x):
    parts, n = {"first": x, "second": x * 2}, int(x.abs().sum())
    while n > 0:
        parts["first"], parts["second"] = parts["second"], parts["first"] * 0.5
        n -= 2
    return parts["first"] + parts["second"] * 3


def lengths():
    return [(t(5.0),), (t(0.0),), (t(100.0),)]


@program(lengths, "loop inductor", grad=False)
def sums_longer_than_64_bits(x):
    a, b = 0, 1
    for _ in range(int(x.sum())):
        a, b = b, a + b
    return a


@program(lengths, "loop", grad=False)
def products_longer_than_64_bits(x):
    product = 1
    for i in range(1, int(x.sum()) + 1):
        product *= i
    return product % 1000003, product > 10


@program(lengths, "loop", grad=False)
def hash_of_trips(x):
    h = 7
    for i in range(int(x.sum())):
        h = h * 31 + i
    return h % 1000
