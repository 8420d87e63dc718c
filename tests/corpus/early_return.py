"""return anywhere in branches."""

import torch

from .program import counts, counts_python, levels, levels_python, pairs, program, signs, t, three


@program(signs, "branch inductor")
def guard_clause(x):
    if x.sum() < 0:
        return torch.zeros_like(x)
    y = x * 2
    return y + 1


@program(signs, "branch")
def last_statement_absent(x):
    if x.sum() > 0:
        return x + 1


@program(signs, "branch")
def bare_return(x):
    if x.sum() > 0:
        return
    return x + 1


@program(signs, "branch", min_graphs=0)
def both_none(x):
    if x.sum() > 0:
        return None
    return


@program(three, "branch")
def three_returns(x):
    if x.sum() > 5:
        return x * 2
    if x.sum() > 0:
        return x * 3
    return x * 4


@program(three, "branch")
def returns_in_elif(x):
    if x.sum() > 5:
        return x
    elif x.sum() > 0:
        y = x + 1
    else:
        return -x
    y = y * 2
    return y


@program(pairs, "branch inductor")
def nested_returns(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            return x + y
        z = x - y
    else:
        z = y
        if y.sum() > 0:
            z = z * 3
        else:
            return z * 5
    return z + 100


@program(pairs, "branch")
def return_after_nested(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            return x + y
        return x - y
    if y.sum() > 0:
        return x * y
    return x / y


@program(signs, "branch")
def unreachable_code(x):
    if x.sum() > 0:
        return x + 1
    else:
        return x - 1
    return x * 1000


@program(signs, "branch")
def return_tuple(x):
    if x.sum() > 0:
        return x, x * 2
    return x - 1, x + 5


@program(signs, "branch")
def return_in_static_loop(x):
    for i in range(3):
        if x[i] < 0:
            return x * (i + 1)
        x = x + 1
    return x


@program(lambda: [(t(*v),) for v in ((-1.0, 1.0, 1.0), (1.0, -3.0, 1.0), (1.0, 1.0, -4.0), (1.0, 1.0, 1.0))], "branch")
def return_in_static_loop_positions(x):
    y = x
    for i in range(3):
        if y[i] < 0:
            return y, i
        y = y + 1
    return y, -1


@program(levels, "branch", python=levels_python)
def clamp_by_returns(x, level):
    if level > 1:
        return x * 1.0
    if level < 0:
        return x * 0.0
    return x * level


@program(counts, "branch", python=counts_python)
def dispatch(x, n):
    if n == 0:
        return torch.sin(x)
    if n == 1:
        return torch.cos(x)
    if n == 2:
        return torch.tanh(x)
    return x


@program(signs, "branch")
def return_python_condition_then_tensor(x):
    if x.dim() == 2:
        return x.T
    if x.sum() > 0:
        return x + 1
    return x


@program(signs, "branch")
def return_inside_with(x):
    with torch.no_grad():
        if x.sum() > 0:
            return x + 1
        y = x * 2
    return y - 1


@program(signs, "branch")
def return_through_helper(x):
    def helper(v):
        if v.sum() > 0:
            return v * 2
        return v - 2

    y = helper(x)
    if y.sum() > 4:
        return helper(-y)
    return y


@program(three, "branch")
def return_different_lengths_of_work(x):
    if x.sum() < 0:
        return x
    y = torch.sin(x)
    y = torch.cos(y) + x
    if y.sum() > 5:
        return y
    y = y @ y
    return y * x


@program(lambda: [(t(1.0, 2.0), None), (t(1.0, 2.0), t(1.0, 0.0)), (t(1.0, 2.0), t(1.0, 1.0))], "branch")
def optional_mask(x, mask):
    if mask is None:
        return x
    if (mask == 0).any():
        return x * mask
    return x + 1


@program(signs, "branch")
def return_lambda_result(x):
    if x.sum() > 0:
        return (lambda v: v + 1)(x)
    return (lambda v: v - 1)(x)


@program(lambda: [*three(), (t(float("nan"), 1.0, 1.0),)], "branch")
def many_guards(x):
    if x.numel() == 0:
        return x
    if torch.isnan(x).any():
        return torch.zeros_like(x)
    if x.max() > 2.5:
        return x / x.max()
    if not (x >= 0).all():
        return x - x.min()
    return x


def doubled_where(v, least):
    if v.sum() > least:
        return v * 2
    return v


@program(lambda: [(t(4.0, 2.0),), (t(4.0, -2.0),), (t(4.0, -9.0),), (t(1.0, 2.0),), (t(-5.0, -4.0),)], "branch")
def argument_or_not_from_inside(x):
    c, y = x * 1, x * 2
    if (c > 3).any():
        if (x > -9).all():
            c = doubled_where(y, 6)
            return c
    return x + c
