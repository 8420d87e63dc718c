"""raise, assert, try and with, around and inside tensor conditions."""

import torch
from torch import nn

from .program import counts, factory, pairs, program, rand, s, signs, t


class TooNegative(ValueError):
    pass


@program(signs, "state raises", grad=False)
def raise_under_condition(x):
    if x.sum() < 0:
        raise ValueError("the sum is negative")
    return x.sqrt()


@program(signs, "state raises", grad=False)
def raise_custom_class(x):
    if not (x > 0).all():
        raise TooNegative("not all positive")
    return x + 1


@program(signs, "state raises", grad=False)
def raise_f_string_of_value(x):
    if x.sum() < 0:
        raise ValueError(f"sum is {x.sum().item():.2f} for shape {tuple(x.shape)}")
    return x + 1


@program(signs, "state raises", grad=False)
def raise_f_string_of_tensor(x):
    if x.sum() < 0:
        raise RuntimeError(f"bad values: {x}")
    return x + 1


@program(signs, "state raises", grad=False)
def raise_class_without_message(x):
    if x.sum() < 0:
        raise NotImplementedError
    return x + 1


@program(signs, "state raises", grad=False)
def raise_on_else_side(x):
    if x.sum() > 0:
        y = x * 2
    else:
        raise KeyError("negative")
    return y + 1


@program(pairs, "state raises", grad=False)
def raise_nested(x, y):
    if x.sum() > 0:
        if y.sum() < 0:
            raise IndexError("y")
        return x + y
    return x


@program(signs, "state raises", grad=False)
def assert_with_message(x):
    assert (x > 0).all(), "expected positive values"
    return x.log()


@program(signs, "state raises", grad=False)
def assert_without_message(x):
    assert x.sum() > 0
    return x.log()


@program(signs, "state raises", grad=False)
def assert_item(x):
    total = x.sum().item()
    assert total > 0, f"total {total}"
    return x / total


@program(lambda: [*signs(), (t(-1.0, 2.0, 3.0),)], "state raises", grad=False)
def assert_in_branch(x):
    if x[0] < 0:
        assert x[1] > 0, "second"
        return x * 2
    return x


@program(signs, "state raises", grad=False)
def nothing_after_raise(x):
    y = x.clone()
    if x.sum() < 0:
        raise ValueError("stop")
    x.add_(1)
    return y


@program(signs, "state raises", grad=False)
def effect_before_raise(x):
    x.mul_(2)
    if x.sum() < 0:
        raise ValueError("stop")
    return x


@program(signs, "state raises", grad=False)
def raise_from(x):
    try:
        if x.sum() < 0:
            raise ValueError("inner")
    except ValueError as error:
        raise RuntimeError("outer") from error
    return x


@program(signs, "state")
def handler_in_same_function(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
        y = x * 2
    except ValueError:
        y = x.abs()
    return y


@program(signs, "state")
def handler_by_class(x):
    try:
        if x.sum() < 0:
            raise TooNegative("negative")
        y = x * 2
    except KeyError:
        y = x * 100
    except ValueError as error:
        y = x.abs() * len(str(error))
    return y


@program(signs, "state")
def try_else_finally(x):
    steps = []
    try:
        steps.append("try")
        if x.sum() < 0:
            raise ValueError
    except ValueError:
        steps.append("except")
        y = -x
    else:
        steps.append("else")
        y = x
    finally:
        steps.append("finally")
    return y, steps


@program(signs, "state")
def branch_inside_try(x):
    try:
        if x.sum() > 0:
            y = x + 1
        else:
            y = x - 1
    except RuntimeError:
        y = x * 0
    return y


@program(signs, "state")
def branch_inside_finally(x):
    y = x
    try:
        y = y * 2
    finally:
        if x.sum() > 0:
            y = y + 1
    return y


@program(signs, "state")
def return_inside_try(x):
    try:
        if x.sum() > 0:
            return x + 1
    finally:
        y = x * 2
    return y


@program(signs, "state")
def handler_of_helper(x):
    def check(v):
        if v.sum() < 0:
            raise ValueError("negative")
        return v

    try:
        return check(x) * 2
    except ValueError:
        return x * 3


@program(counts, "state loop raises", grad=False)
def raise_in_loop(x, n):
    for i in range(int(n)):
        x = x * 2
        if x.max() > 20:
            raise OverflowError("too large")
    return x


@program(counts, "state loop raises", grad=False)
def assert_in_loop(x, n):
    for i in range(int(n)):
        x = x * 2
        assert x.max() < 20, f"step {i}"
    return x


@program(signs, "state")
def record_function(x):
    with torch.profiler.record_function("block"):
        if x.sum() > 0:
            y = x + 1
        else:
            y = x - 1
    return y


@program(signs, "state", grad=False)
def inference_mode_inside(x):
    with torch.inference_mode():
        if x.sum() > 0:
            y = x + 1
        else:
            y = x - 1
    return y


class Checked(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if not torch.isfinite(x).all():
            raise FloatingPointError(f"call {self.calls}")
        return x * 2


@factory(lambda: [(t(1.0, 2.0),), (t(float("nan"), 2.0),), (t(3.0, 4.0),)], "state raises", grad=False)
def module_that_checks():
    return Checked()


@program(lambda: [(t(1.0, 2.0), s(1)), (t(1.0, 2.0), s(5)), (t(1.0, 2.0), s(-3))], "state raises", grad=False)
def index_error_where_out_of_range(x, i):
    # Python's own error, where the index is used
    return x[int(i)] * 2


@program(lambda: [(rand(2, 4), s(2)), (rand(2, 4), s(0))], "state raises", grad=False)
def zero_division(x, n):
    k = 8 // int(n)
    return x * k


@program(lambda: [(t(1.0, 2.0),), (t(-1.0, -2.0),), (t(float("nan"), 2.0),)], "state raises inductor", grad=False)
def effects_around_raises(x):
    x.add_(0.5)
    if x.sum() < 0:
        x[0] = 7.0
        raise ValueError(f"first is {x[0].item()}")
    x.mul_(2)
    assert not torch.isnan(x).any(), "not a number"
    x[1:] -= 1
    return x.sum()


@program(signs, "state raises", grad=False)
def raise_after_drawing(x):
    noise = torch.rand(3)
    x.add_(noise)
    if x.sum() < 0:
        raise ValueError(f"sum {x.sum().item():.4f}")
    return x


class Guarded(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.total += x
        if self.total.max() > 5:
            raise OverflowError(f"call {self.calls}: {self.total.max().item()}")
        self.total *= 0.5
        return self.total * x


@factory(lambda: [(t(1.0, 2.0, 3.0),)] * 3 + [(t(-1.0, 2.0, 0.0),)], "state raises inductor", grad=False)
def buffer_changed_before_raise():
    return Guarded()


@program(counts, "state loop raises", grad=False)
def change_and_raise_in_loop(x, n):
    for i in range(int(n)):
        x.mul_(2)
        if x.max() > 10:
            raise OverflowError(f"too large at {i}")
    return x + 1
