"""raise, assert, try and with, around and inside tensor conditions."""

import contextlib
import logging
import math
import traceback

import torch
from torch import nn

from .program import counts, factory, pairs, program, rand, s, signs, t, three

logger = logging.getLogger("corpus.exceptions")


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


class Coded(Exception):
    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


def three_ways():
    return [(t(1.0, 2.0),), (t(-1.0, -2.0),), (t(5.0, -2.0),), (t(-6.0, -2.0),)]


@program(three_ways, "state")
def handler_by_tuple_with_args(x):
    try:
        if x.sum() < 0:
            raise TooNegative("n", 3)
        elif x[0] > 4:
            raise KeyError("big")
        y = x * 2
    except (KeyError, TooNegative) as error:
        y = x.abs() * len(error.args)
    return y


@program(three_ways, "state")
def handler_reads_values(x):
    try:
        if x.sum() < 0:
            raise ValueError(f"sum {x.sum().item():.2f}", x.min())
        y = x * 2
    except ValueError as error:
        return x, str(error.args[0]), error.args[1]
    return y, None, None


@program(three_ways, "state")
def handler_of_class_with_fields(x):
    try:
        if x.sum() < 0:
            raise Coded(3, "negative")
        y = x * 2
    except Coded as error:
        y = x * error.code * len(error.args[0])
    return y


@program(three_ways, "state raises", grad=False)
def handler_raises_again(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
        y = x * 2
    except ValueError:
        if x[0] < -5:
            y = x
        else:
            raise
    return y


@program(three_ways, "state raises", grad=False)
def handler_of_another_class(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
    except KeyError:
        x = x + 1
    return x


@program(three_ways, "state")
def handlers_within_handlers(x):
    try:
        try:
            if x.sum() < 0:
                raise ValueError("a")
            if x[0] > 4:
                raise KeyError("b")
            y = x
        except ValueError:
            y = x + 1
            if x[0] > -3:
                raise TypeError("c") from None
        finally:
            x = x + 10
        y = y * 2
    except (TypeError, KeyError) as error:
        y = x - len(error.args)
    return x, y


@program(three_ways, "state")
def handler_and_returns(x):
    try:
        if x.sum() < 0:
            raise ValueError
        if x[0] > 4:
            return x * 7
    except ValueError:
        return x * 5
    else:
        x = x + 1
    return x


@program(three_ways, "state")
def handler_of_everything(x):
    try:
        with torch.no_grad():
            if x.sum() < 0:
                raise ValueError
        y = x
    except:  # noqa: E722
        y = x - 1
    return y


@program(three_ways, "state raises", grad=False)
def handlers_name_is_gone_behind(x):
    error = 5
    try:
        if x.sum() < 0:
            raise ValueError
    except ValueError as error:  # noqa: F841
        x = x - 1
    return x * error


@program(three_ways, "state raises", grad=False)
def raise_through_finally(x):
    try:
        if x.sum() < 0:
            raise ValueError("through")
        y = x
    finally:
        x.add_(1)
    return y * 1


@program(three_ways, "state")
def assert_with_handler(x):
    try:
        assert (x > 0).all(), "not positive"
        return x.log()
    except AssertionError:
        return x.abs()


@program(three_ways, "state", grad=False)
def changes_before_and_after_raise(x):
    try:
        x.add_(1)
        if x.sum() < 0:
            raise ValueError
        x.mul_(2)
    except ValueError:
        x.zero_()
    return x


@program(counts, "state loop")
def handler_around_loop(x, n):
    try:
        for _ in range(int(n)):
            x = x * 2
            if x.max() > 20:
                raise OverflowError("large")
        y = x + 1
    except OverflowError as error:
        y = x * len(error.args)
    return y


@program(counts, "state loop")
def handler_in_loop(x, n):
    bad = 0
    for i in range(int(n)):
        try:
            if x[i] > 3:
                raise ValueError("large")
            x = x + 1
        except ValueError:
            bad += 1
            continue
        finally:
            x = x * 1.5
    return x, bad


@program(three_ways, "state loop")
def exception_ends_endless_loop(x):
    k = 0
    while True:
        try:
            k += 1
            if x.max() > 10:
                raise StopIteration
            x = x * 2 + 1
        except StopIteration:
            break
        if k > 6:
            break
    return x, k


@program(lambda: [*signs(), (t(1.0, -5.0, 0.0),)], "branch raises inductor", grad=False)
def check_in_branch_of_no_result(x):
    if x.sum() < 0:
        assert x[0] > 0, "first"
    return x + 1


@program(counts, "loop raises inductor", grad=False)
def check_in_loop_of_no_result(x, n):
    for i in range(int(n)):
        assert x[i] < 2
    return x + 1


@program(signs, "state raises", grad=False)
def raise_in_loop_in_branch_of_no_result(x):
    y = x
    if x.sum() < 0:
        y = x * 2
        for i in range(int(x.abs().max())):
            if x[i] < -1:
                raise ValueError(f"at {i}")
    return x + 1


@program(three_ways, "state raises", grad=False)
def one_exception_or_another(x):
    try:
        if x.sum() < 0:
            raise TooNegative
        if x[0] > 4:
            raise ValueError("large", 1)
        x = x + 1
    except LookupError:
        x = x * 0
    return x


def checked(v):
    if v.sum() < 0:
        raise TooNegative(f"sum {v.sum().item():.1f}")
    return v


@program(three_ways, "state inductor")
def handler_in_caller(x):
    try:
        return checked(x) * 2, None
    except ValueError as error:
        return x.abs(), str(error)


@program(three_ways, "state", grad=False)
def handler_in_caller_after_change(x):
    x.add_(1)
    try:
        x.mul_(2)
        y = checked(x) + 1
    except TooNegative:
        y = x - 1
    return y


class Noted:
    def __init__(self, keeps=None):
        self.keeps = keeps

    def __enter__(self):
        return self

    def __exit__(self, *told):
        return None


class Keeping(Noted):
    def __exit__(self, kind, *told):
        return kind is self.keeps


@program(lambda: [*three_ways(), (t(1.0, 300.0, 2.0),)], "state raises")
def managers_that_keep_nothing(x):
    with torch.enable_grad(), contextlib.nullcontext(), Noted():
        y = x + 1
        if x.sum() < 0:
            raise TooNegative("the sum is negative")
    with torch.no_grad():
        assert x.max() < 100, "too large"
        return y * 2


@program(three_ways, "state", grad=False)
def manager_that_keeps_it(x):
    y = x
    try:
        with Keeping(TooNegative):
            y = checked(y) * 2
    finally:
        y = y + 1
    return y


@program(three_ways, "state")
def suppressed_in_callee(x):
    y = x
    with contextlib.suppress(TooNegative):
        y = y + 1
        y = checked(y) * 2
    return y


@program(three_ways, "state", grad=False)
def handler_logs_exception(x):
    try:
        if x.sum() < 0:
            raise TooNegative("negative")
        y = x * 2
    except ValueError:
        logger.exception("repaired")
        y = x.abs()
    return y


@program(three_ways, "state", grad=False)
def handler_formats_traceback(x):
    try:
        y = checked(x)
    except ValueError as error:
        return x, traceback.format_exception_only(error), error.__context__
    return y, None, None


@program(counts, "state loop")
def handler_in_caller_in_loop(x, n):
    for _ in range(int(n)):
        try:
            x = checked(x - 2)
        except TooNegative:
            x = x + 10
    return x


@program(lambda: [(t(1.0, 2.0), s(2)), (t(1.0, 2.0), s(0)), (t(1.0, 2.0), s(-7)), (t(3.0, 2.0), s(1))], "state")
def implicit_exceptions(x, n):
    table, row = {1: 10.0, 2: 20.0}, [1.0, 2.0]
    try:
        k = 8 // int(n)
    except ZeroDivisionError:
        k = 100
    try:
        scale = table[int(n)]
    except KeyError as error:
        scale = len(error.args)
    try:
        item = row[int(n)]
    except IndexError:
        item = 0.5
    try:
        value = x[int(n)]
    except IndexError:
        value = x.sum()
    return x * k * scale + item * value


@program(lambda: [(t(4.0, 2.0),), (t(-1.0, 0.0),), (t(1000.0, 0.0),), (t(float("nan"), 1.0),)], "state raises")
def outside_of_domain(x):
    y = x * math.sqrt(x[0].item())
    if x[1] > 0:
        return y * math.acos(x[1].item() - 1)
    try:
        return y * math.cosh(x[0].item())
    except OverflowError:
        return y


@program(counts, "state loop", grad=False)
def each_trip_raises(x, n):
    table = {"a": x}
    try:
        for _ in range(int(n)):
            x = x + table["b"]
    except KeyError as error:
        return x, error.args
    return x, None


@program(signs, "state loop", grad=False)
def index_error_in_while(x):
    items, steps = [x], 0
    try:
        while steps < 3 and x.sum() > 0:
            steps += 1
            items[1] = x
        items.append(x)
    except LookupError:
        steps = 10
    return items, steps


@program(counts, "state loop", grad=False)
def comprehension_raises(x, n):
    table = {"a": x}
    try:
        rows = [table["b"] for _ in range(int(n))]
    except KeyError:
        rows = [x * 7]
    return rows


def _matrices():
    return [(t([[2.0, 0.5], [0.5, 3.0]]),), (t([[1.0, 1.0], [1.0, 1.0]]),), (t([[1.0, 0.0], [0.0, -2.0]]),)]


@program(_matrices, "state", grad=False)
def operator_raises_in_try(a):
    try:
        return torch.linalg.inv(a)
    except torch.linalg.LinAlgError:
        return torch.linalg.pinv(a)


@program(_matrices, "state raises", grad=False)
def more_and_more_on_the_diagonal(a):
    jitter = 0.0
    for _ in range(3):
        try:
            return torch.linalg.cholesky(a + jitter * torch.eye(2))
        except RuntimeError:
            jitter = 10 * jitter + 0.01
    raise ValueError("not positive definite")


@program(lambda: [(t([0.5, 0.5]),), (t([2.0, -3.0]),)], "state draws", grad=False)
def changed_before_an_operator_raises(x):
    x.add_(0.5)
    noise = torch.rand(2)
    try:
        return torch.multinomial(x, 1) + noise
    except RuntimeError as error:
        x.mul_(2)
        return x.sum() + noise, "element < 0" in str(error)


@program(lambda: [(torch.eye(2),), (torch.zeros(2, 2),), (-torch.eye(2),)], "state")
def operator_under_suppress(x):
    y = x
    with contextlib.suppress(RuntimeError):
        y = torch.linalg.inv(x + x)
        if y.sum() > 0:
            y = y + 1
    return y * 2


@program(signs, "loop raises", grad=False)
def raise_that_ends_an_endless_loop(x):
    turns = 0
    while True:
        x = x * 2
        turns += 1
        if x.abs().sum() > 100:
            raise OverflowError(f"after {turns} turns")


@program(three, "state")
def failed_assert_caught(x):
    try:
        assert x.sum() > 0, f"the sum is {x.sum():.1f}"
    except AssertionError as error:
        return x * 0, error.args
    return x, ()


@program(three, "state", grad=False)
def type_error_of_torchs(x):
    """Python adds an int and a complex number; torch's tracer takes it for a TypeError, which the program would catch."""
    k = int(x.sum())
    try:
        return k + 1j
    except TypeError:
        return k


class Steps:
    done = 0


def with_steps(*rows):
    return lambda: [(t(*row), Steps()) for row in rows]


@program(with_steps((1.0, 2.5), (math.inf, 1.0), (-1.0, math.nan), (-3.0, 1.0)), "state raises", grad=False)
def whole_number_of_what_is_none(x, steps):
    if x[0] > 0:
        steps.done += 1
    return x * int(x.sum()), round(x[1].item()), math.floor(x[1].item())


@program(with_steps((2.0, 1.0), (2.0, math.inf), (0.0, 1.0)), "state loop raises", grad=False)
def whole_number_in_a_loop(x, steps):
    total = 0
    for _ in range(int(x[0])):
        total += int(x[1])
        steps.done += 1
        x = x * 1.5
    return total


@program(with_steps((2.0, 1.0, 1.0, 2.0), (1.0, 1.0, 1.0, 1.0), (-1.0, 1.0, -1.0, 1.0)), "state raises", grad=False)
def operator_fails_behind_a_change(x, steps):
    steps.done = 1
    if x.sum() > 0:
        steps.done = 2
    y = torch.linalg.inv(x.reshape(2, 2))
    steps.done = 3
    return y
