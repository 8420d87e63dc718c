"""What is computed and then, for these inputs, not used gets no gradient: not even a zero times infinity."""

import torch

from .program import factory, program, t


def at_zero():
    return [(t(0.0, 0.0),), (t(3.0, 4.0),), (t(0.0, 2.0),)]


@program(at_zero, "branch inductor")
def safe_normalize(x):
    x = x * 1
    length = (x * x).sum().sqrt()
    if length > 1e-6:
        x = x / length
    return x


@program(at_zero, "branch")
def root_or_double(x):
    root = x.sqrt()
    if x.sum() > 5:
        y = root
    else:
        y = x * 2
    return y


@program(at_zero, "branch")
def root_returned_early(x):
    root = x.sqrt()
    if x.sum() > 5:
        return root * 1
    return x * 3


@program(at_zero, "branch")
def two_conditions(x):
    root = x.sqrt()
    if x.sum() > 1:
        if x.min() > 1:
            x = x * root
        else:
            x = x + 1
    else:
        x = x - 1
    return x


@program(at_zero, "branch")
def nested_with_something_done(x):
    x = x * 1
    length = (x * x).sum().sqrt()
    low = x.log()
    if x.sum() > 1:
        y = torch.matmul(x, x) + x
        if x.min() > 1:
            y = torch.dot(y, low) / length + y
        x = y.cumsum(0)
    return x


@program(lambda: [*at_zero(), (t(-1.0, -2.0),)], "branch")
def one_of_three(x):
    a, b, c = x.sqrt(), x.log(), 1 / x
    if x.sum() > 5:
        y = a
    elif x.sum() > 1:
        y = x.sin()
    elif x.sum() > -1:
        y = x + 1
    else:
        y = b
    if x.sum() > 6:
        y = y + c
    return y


@program(at_zero, "branch")
def used_in_either_branch(x):
    root = (x + 1).sqrt()
    if x.sum() > 5:
        y = root.cumsum(0)
    else:
        y = root * 2
    return y


@program(lambda: [(t(100.0, 2.0),), (t(1.0, 2.0),)], "branch")
def overflow_noticed(x):
    found = torch.exp(x)
    if not torch.isfinite(found).all():
        found = x * 2
    return found


@program(at_zero, "loop branch")
def rows_normalized(x):
    rows = [x * 1, x * 2]
    total = x * 1
    for row in torch.stack(rows):
        length = (row * row).sum().sqrt()
        if length > 1e-6:
            row = row / length
        total = total + row
    return total


@program(at_zero, "loop")
def no_trip_with_a_root(x):
    root = x.sqrt()
    y = x * 1
    while y.min() > 2:
        y = y - root
    return y


@program(at_zero, "loop branch")
def some_trips_with_a_root(x):
    x = x * 1
    length, low = (x * x).sum().sqrt(), x.log()
    steps = []
    for step in range(int(x.sum()) + 2):
        if x.sum() > 5 + step:
            x = x / length
        elif x.min() > 0.5:
            x = x + low
        steps.append(x * step)
    return x, torch.stack(steps)


@program(at_zero, "loop")
def a_trip_with_a_root(x):
    x = x * 1
    length = (x * x).sum().sqrt()
    while length > 1.5:
        x = x / 2
        length = (x * x).sum().sqrt()
    return x


@program(at_zero, "branch")
def chosen_by_an_expression(x):
    x = x * 1
    a, b = x.sqrt(), x.log()
    y = a if x.min() > 2.5 else x
    z = b if x.max() > 3.5 else y
    return z * 2 + y


@program(at_zero, "branch")
def root_of_what_is_behind(x):
    low = (x * 1).log().exp().sqrt()
    return low * 2 if (low > 1).all() else x * 2


@program(lambda: [(t(0.0, 0.0),), (t(1.0, 2.0),), (t(-1.0, 2.0),)], "branch")
def changed_since_but_not_used(x):
    """What `abs` needs of `b` is changed; the result does not depend on it then."""
    b = x * 1
    a = b.abs()
    a, b = b, a
    if (b > 0).all():
        a = b
    else:
        a.add_(1)
    return a


@program(lambda: [(t(0.0, 0.0),), (t(1.0, 2.0),)], "branch")
def changed_since_behind_a_handler(x):
    b = x * 1
    a = b.abs()
    try:
        if (b > 0).all():
            raise KeyError("b")
    except KeyError:
        b = a
    else:
        b.add_(1)
    return b * 2


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 2)
        self.scale = torch.nn.Parameter(torch.zeros(2) - 3)

    def forward(self, x):
        y = self.first(x)
        scaled = y / (self.scale + x[0])
        if torch.isfinite(scaled).all():
            return scaled.sum() * x
        return y * 2


@factory(at_zero, "branch")
def parameter_not_used():
    torch.manual_seed(0)
    return Head()
