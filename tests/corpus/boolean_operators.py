"""and, or, not, chained comparisons, walrus: lazy as in Python."""

import torch

from .program import flags, levels, levels_python, pairs, program, signs, t, three


@program(pairs, "branch inductor")
def and_(x, y):
    if x.sum() > 0 and y.sum() > 0:
        return x + y
    return x - y


@program(pairs, "branch")
def or_(x, y):
    if x.sum() > 0 or y.sum() > 0:
        return x + y
    return x - y


@program(signs, "branch")
def not_(x):
    if not x.sum() > 0:
        return -x
    return x * 2


@program(pairs, "branch")
def mixture(x, y):
    if (x.sum() > 0 and not y.sum() > 0) or (y.max() > 3 and x.min() < -2):
        return x + y
    return x * y


@program(three, "branch inductor")
def chained_comparison(x):
    if 0 < x.sum() < 5:
        return x * 2
    return x - 1


@program(lambda: [*three(), (t(-20.0, 1.0, 2.0),), (t(3.0, 3.0, 3.0),)], "branch")
def chained_three(x):
    if -10 < x.min() < x.mean() <= x.max():
        return x * 2
    return x - 1


@program(levels, "branch", python=levels_python)
def chained_number(x, level):
    if 0 <= level < 1:
        return x * level
    return x


@program(three, "branch")
def chained_middle_once(x):
    calls = []

    def middle():
        calls.append(1)
        return x.sum()

    if 0 < middle() < 5:
        y = x * 2
    else:
        y = x
    return y, len(calls)


@program(lambda: [(t(1.0, 2.0), t(1.0, 0.0)), (t(1.0, 2.0), t(1.0, 1.0)), (t(1.0, 2.0), None)], "branch")
def python_guard_first(x, mask):
    if mask is not None and (mask == 0).any():
        x = x * mask
    return x + 1


@program(signs, "branch")
def python_guard_last(x):
    if x.sum() > 0 and x.dim() == 1:
        return x + 1
    return x - 1


@program(lambda: [(t(1.0, 2.0), False), (t(-1.0, 2.0), False), (t(1.0, 2.0), True), (t(-1.0, 2.0), True)], "branch")
def python_flag_or(x, force):
    if force or x[0] > 0:
        return x + 1
    return x - 1


@program(lambda: [(t(2.0, 0.0),), (t(2.0, 1.0),), (t(-2.0, 4.0),)], "branch")
def lazy_division(x):
    # the right side is NaN or infinite where the left side is false
    if x[1] != 0 and x[0] / x[1] > 1:
        return x * 2
    return x


@program(lambda: [(t(1.0, 5.0, 7.0), torch.tensor(1)), (t(1.0, 5.0, 7.0), torch.tensor(3)), (t(1.0, -5.0, 7.0), torch.tensor(1))], "branch")
def lazy_index(x, i):
    if i < 3 and x[i] > 0:
        return x + 1
    return x - 1


@program(signs, "branch")
def lazy_call_counts(x):
    log = []

    def test(v, name):
        log.append(name)
        return v > 0

    if test(x[0], "first") and test(x[1], "second"):
        x = x * 2
    return x, log


@program(pairs, "branch")
def value_of_or(x, y):
    # `or` gives back one of its operands
    a = (x.sum() > 0) or (y.sum() > 0)
    return a


@program(lambda: [*pairs(), (t(0.0, 0.0, 0.0), t(1.0, 2.0, 3.0))], "branch")
def value_of_and(x, y):
    a = x.sum() and y.sum()
    return x * a


@program(lambda: [(t(0.0), t(5.0)), (t(2.0), t(5.0))], "branch")
def or_default(x, y):
    z = x or y
    return z * 2


@program(signs, "branch")
def not_as_value(x):
    negative = not x.sum() > 0
    if negative:
        return -x
    return x


@program(signs, "branch")
def not_returned(x):
    return not x.sum() > 0


@program(pairs, "branch")
def and_returned_with_python(x, y):
    ok = x.dim() == 1 and x.sum() > 0
    return x if ok else y


@program(signs, "branch")
def double_negation(x):
    if not not (x.sum() > 0):
        return x + 1
    return x - 1


@program(signs, "branch inductor")
def walrus_test(x):
    if (total := x.sum()) > 0:
        return x / total
    return x * total


@program(signs, "branch")
def walrus_item(x):
    if (total := x.sum().item()) > 0:
        return x / total
    return x - total


@program(pairs, "branch")
def walrus_in_and(x, y):
    if (a := x.sum()) > 0 and (b := y.sum()) > 0:
        return x * a * b
    return x * a


@program(pairs, "branch")
def walrus_unbound_on_short_circuit(x, y):
    b = torch.zeros(())
    if (x.sum()) > 0 and (b := y.sum()) > 0:
        return x * b
    return x + b


@program(flags, "branch", python=lambda: [(t(1.0, 2.0, 3.0), True), (t(1.0, 2.0, 3.0), False)])
def not_flag(x, flag):
    if not flag:
        return x * 2
    return x


@program(pairs, "branch")
def any_of_list(x, y):
    if any([x.sum() > 0, y.sum() > 0]):
        return x + y
    return x - y


@program(pairs, "branch")
def all_of_generator(x, y):
    if all(v.sum() > 0 for v in (x, y)):
        return x + y
    return x - y


@program(pairs, "branch")
def bitwise(x, y):
    if (x.sum() > 0) & (y.sum() > 0) | (x[0] == y[0]):
        return x + y
    return x - y


@program(pairs, "branch")
def xor_of_bools(x, y):
    if bool(x.sum() > 0) != bool(y.sum() > 0):
        return x + y
    return x - y


@program(lambda: [(t(*v),) for v in ((1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (-1.0, 2.0, 3.0), (1.0, -2.0, 3.0), (1.0, 2.0, -3.0))], "branch")
def and_chain_of_four(x):
    if x[0] > 0 and x[1] > 0 and x[2] > 0 and x.sum() > 1:
        return x + 1
    return x - 1


@program(signs, "branch")
def or_with_number_default(x):
    count = int((x > 0).sum()) or 7
    return x * count
