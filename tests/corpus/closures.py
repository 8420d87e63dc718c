"""Closures, nonlocal, nested functions, cells."""

import torch

from .program import factory, pairs, program, signs, t, three


@program(signs, "branch")
def nested_def_with_branch(x):
    def step(v):
        if v.sum() > 0:
            return v * 2
        return v - 1

    return step(x) + step(-x)


@program(signs, "branch")
def nested_def_reads_cell(x):
    scale = 3.0
    offset = x.mean()

    def step(v):
        if v.sum() > 0:
            return v * scale
        return v - offset

    return step(x)


@program(signs, "branch")
def nonlocal_number(x):
    count = 0

    def step(v):
        nonlocal count
        if v.sum() > 0:
            count = count + 1
            return v * 2
        return v

    y = step(x)
    y = step(y + 10)
    return y, count


@program(signs, "branch")
def nonlocal_tensor(x):
    total = torch.zeros_like(x)

    def add(v):
        nonlocal total
        if v.sum() > 0:
            total = total + v
        else:
            total = total - 2 * v

    add(x)
    add(x * 3)
    return total


@program(signs, "branch")
def cell_written_after_def(x):
    def read():
        return k * 2

    if x.sum() > 0:
        k = x + 1
    else:
        k = x - 1
    return read()


@program(signs, "branch")
def branch_on_cell_in_branch(x):
    y = x + 1

    def read(v):
        return v + y

    if x.sum() > 0:
        y = y * 2
        z = read(x)
    else:
        z = read(-x)
    return z, y


@program(signs, "branch")
def function_defined_in_branch(x):
    if x.sum() > 0:

        def f(v):
            return v * 2

        y = f(x)
    else:

        def f(v):
            return v - 2

        y = f(x) * 3
    return y


@program(signs, "branch")
def function_chosen_by_branch(x):
    if x.sum() > 0:
        f = torch.sin
    else:
        f = torch.cos
    return f(x) + 1


@program(signs, "branch")
def user_function_chosen_by_branch(x):
    def double(v):
        return v * 2

    def shrink(v):
        return v / 2

    f = double if x.sum() > 0 else shrink
    return f(f(x))


@program(signs, "branch")
def lambda_captures_branch_result(x):
    if x.sum() > 0:
        k = x.max()
    else:
        k = x.min()
    f = lambda v: v * k  # noqa: E731
    return f(x) + f(x + 1)


@program(signs, "branch")
def two_levels(x):
    base = x * 0.5

    def outer(v):
        w = v + base

        def inner(u):
            if u.sum() > 0:
                return u + w
            return u * w - base

        return inner(v)

    return outer(x)


@program(lambda: [*pairs(), (t(1.0, 0.0, 0.0), t(5.0, 0.0, 0.0))], "branch")
def nested_def_called_in_branch(x, y):
    def combine(a, b):
        if a.sum() > b.sum():
            return a - b
        return b * 2

    if x.sum() > 0:
        return combine(x, y)
    return combine(y, x)


@program(three, "branch")
def generator_function(x):
    def values():
        yield x
        if x.sum() > 0:
            yield x * 2
        yield x * 3

    total = torch.zeros_like(x)
    for v in values():
        total = total + v
    return total


@factory(signs, "branch")
def captured_tensor():
    offset = torch.tensor([10.0, 20.0, 30.0])

    def shift(x):
        if x.sum() > 0:
            return x + offset
        return x - offset

    return shift


@factory(signs, "branch")
def captured_number():
    factor = 2.5

    def scale(x):
        if x.sum() > 0:
            return x * factor
        return x

    return scale


@factory(signs, "branch")
def closure_loop_variables():
    steps = []
    for k in (2.0, 3.0, 4.0):

        def step(v, k=k):
            if v.sum() > 0:
                return v - k
            return v + k

        steps.append(step)

    def run(x):
        for f in steps:
            x = f(x)
        return x

    return run


@factory(signs, "state branch", grad=False)
def counting_closure():
    calls = 0

    def run(x):
        nonlocal calls
        calls += 1
        if x.sum() > 0:
            return x * 2, calls
        return x, calls

    return run


@factory(lambda: signs() + signs(), "state", grad=False)
def counting_closure_in_branch():
    hits = 0

    def run(x):
        nonlocal hits
        if x.sum() > 0:
            hits += 1
            return x * 2
        return x + hits

    return run


@factory(lambda: [(t(1.0, 2.0),), (t(-1.0, -2.0),), (t(4.0, 5.0),)], "state", grad=False)
def running_maximum_closure():
    best = torch.tensor(-1e9)

    def run(x):
        nonlocal best
        if x.max() > best:
            best = x.max()
        return x - best

    return run


@factory(signs, "state")
def module_of_an_outer_function():
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 3)
    layers = {"tied": torch.nn.Linear(3, 3)}
    layers["tied"].weight = layer.weight

    def run(x):
        if x.sum() > 0:
            x = layer(x)
        return layers["tied"](x)

    return run
