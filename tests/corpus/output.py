"""print, logging and warnings where a branch runs, once and in order."""

import logging
import warnings

import numpy as np
import torch

from .program import counts, pairs, program, signs, t

logger = logging.getLogger("corpus.output")


@program(signs, "state output", grad=False)
def print_in_branch(x):
    if x.sum() > 0:
        print("positive")
        return x * 2
    return x


@program(signs, "state output", grad=False)
def print_on_both_sides(x):
    print("start")
    if x.sum() > 0:
        print("positive", 1, 2.5, sep="-")
    else:
        print("negative", end="!\n")
    print("end")
    return x


@program(signs, "state output", grad=False)
def print_item(x):
    if x.sum() > 0:
        print("sum", x.sum().item())
    return x + 1


@program(signs, "state output", grad=False)
def print_f_string(x):
    total = x.sum()
    if total > 0:
        print(f"sum is {total.item():.3f} of {x.shape[0]} values")
    return x + 1


@program(signs, "state output", grad=False)
def print_tensor(x):
    if x.sum() > 0:
        print(x)
    return x + 1


@program(signs, "state output", grad=False)
def print_value_of_the_moment(x):
    y = x.clone()
    if x.sum() > 0:
        print("before", y)
        y.add_(1)
        print("after", y)
    return y


@program(pairs, "state output", grad=False)
def print_nested(x, y):
    if x.sum() > 0:
        print("x")
        if y.sum() > 0:
            print("y")
        print("done")
    return x + y


@program(signs, "state output", grad=False)
def logging_warning(x):
    if x.sum() > 0:
        logger.warning("positive sum")
        x = x * 2
    return x


@program(signs, "state output", grad=False)
def logging_lazy_arguments(x):
    if x.sum() > 0:
        logger.info("sum %.2f of %d values", x.sum().item(), x.numel())
    else:
        logger.debug("negative %s", "sum")
    return x


@program(signs, "state output", grad=False)
def logging_levels(x):
    if x.sum() > 0:
        logger.error("one")
        logger.critical("two")
        logger.log(logging.INFO, "three")
    return x


@program(signs, "state output", grad=False)
def warnings_warn(x):
    if x.sum() > 0:
        warnings.warn("corpus: positive sum", UserWarning, stacklevel=2)
    return x * 2


@program(signs, "state output", grad=False)
def warnings_category(x):
    if x.sum() > 0:
        warnings.warn("corpus: deprecated", DeprecationWarning, stacklevel=1)
        warnings.warn("corpus: plain")
    return x * 2


@program(counts, "state loop output", grad=False)
def print_in_loop(x, n):
    for i in range(int(n)):
        print("step", i)
        x = x + i
    return x


@program(counts, "state loop output", grad=False)
def log_in_branch_in_loop(x, n):
    for i in range(int(n)):
        if x.max() > 3:
            logger.warning("large at %d", i)
        x = x + 1
    return x


@program(signs, "state output")
def print_with_gradient(x):
    y = x * 2
    if y.sum() > 0:
        print("positive")
        y = y * x
    return y


@program(signs, "state output raises", grad=False)
def print_then_raise(x):
    if x.sum() < 0:
        print("about to stop")
        raise ValueError("negative")
    return x


@program(lambda: [(t(1.0, float("inf")),), (t(1.0, 2.0),)], "state output", grad=False)
def warn_and_repair(x):
    if not torch.isfinite(x).all():
        logger.warning("non-finite values replaced")
        x = torch.nan_to_num(x, posinf=0.0)
    return x


@program(signs, "state output", grad=False)
def print_containers(x):
    seen = [1, x, (x,)]
    table = {"a": 1}
    if x.sum() > 0:
        print(seen, table)
        seen.append(2)
        table["a"] = 2
        x.add_(1)
    else:
        print([x, {"x": x}], (1,))
    return x


@program(signs, "state output", grad=False)
def print_chosen_value(x):
    which = "up" if x.sum() > 0 else None
    print(which, x.max().item() if x.sum() > 0 else "none")
    if x.sum() > 0:
        print(f"which is {which!r:>10}, {x.numel():05d}")
    return x


@program(signs, "state output", grad=False)
def f_string_of_the_moment(x):
    y = x * 2
    text = f"{y} and {y!r} and {y.sum().item():.1f}"
    if x.sum() > 0:
        y.add_(1)
    print(text)
    return y


@program(lambda: [(t(1.0, 2.0), ["a"]), (t(-1.0, -2.0), ["a"])], "state output", grad=False)
def print_argument_list(x, names):
    print(names)
    if x.sum() > 0:
        print("inside", names)
    names[0] = "b"
    return x


@program(counts, "state loop output inductor")
def many_prints_in_loop(x, n):
    print("start")
    for i in range(int(n)):
        print("trip")
        y = x * i
        print(f"{i:03d} of {int(n)}: {y.max().item():.2f}", [i, (i, "a")], {"i": i}, sep=" | ")
        if y.sum() > 3:
            logger.info("large %s %d", "sum", i, extra={"at": i})
        else:
            warnings.warn(f"corpus: small at {i}", RuntimeWarning, stacklevel=1)
        x = y + 1
    print("end")
    return x


@program(counts, "state loop output", grad=False)
def print_constant_in_loop(x, n):
    for _ in range(int(n)):
        print(".", end="")
    print()
    return x


@program(counts, "state loop output", grad=False)
def print_tensor_in_loop(x, n):
    y = x.clone()
    for i in range(int(n)):
        y.add_(i)
        print(y, "up" if y.sum() > 7 else None)
        y.mul_(2)
    return y


@program(counts, "state loop output", grad=False)
def print_in_loop_in_branch(x, n):
    if n > 1:
        for i in range(int(n)):
            print("inside", i)
        print("after")
    return x


@program(lambda: [(t(1.0, 2.0),), (t(100.0, 1.0),), (t(0.1, 0.2),)], "state loop output", grad=False)
def print_in_while(x):
    steps = 0
    while x.max() < 50:
        steps += 1
        x = x * 3
        if x.max() > 5:
            print(steps, x.max().item())
            if x.max() > 20:
                break
    else:
        print("never")
    return x, steps


@program(counts, "state loop output", grad=False)
def print_in_nested_loops(x, n):
    for i in range(int(n)):
        for j in range(int(n) - i):
            print(i, j)
        print("row", i)
    return x


@program(counts, "state loop output raises", grad=False)
def print_in_loop_then_raise(x, n):
    for i in range(int(n)):
        print("step", i)
        x = x * 2
        if x.max() > 20:
            print("stopping")
            raise OverflowError(f"at {i}")
    return x


@program(signs, "state foreign output", grad=False)
def padded_to_a_multiple(x):
    """As Reformer of transformers pads, and tells of it."""
    several = np.lcm(4, 6)
    missing = several - x.shape[-1] % several
    if x.sum() > 0:
        print(f"padded by {missing} to a multiple of {several}")
    return torch.cat([x, torch.zeros(missing)]) if x.shape[-1] % several else x


@program(counts, "state loop output", grad=False)
def say_in_nested_loops(x, n):
    for i in range(int(n)):
        if x.sum() > 8:
            for j in range(int(n) + i):
                if j % 2 == 0:
                    logger.info("in %d %d", i, j, extra={"at": i})
                x = x + 1
        else:
            print("small", f"{x.sum().item():.1f}")
            x = x + 2
        for j in range(i + 1):
            for k in range(int(n) - j):
                print(i, j, k, [x, {"k": k}])
            warnings.warn(f"corpus: row {i}", stacklevel=1)
    return x


@program(counts, "state loop output", grad=False)
def say_very_often_in_a_trip(x, n):
    for _ in range(int(n)):
        for j in range(int(n) * 200):
            print(j)
        x = x + 1
    return x


@program(counts, "state loop output", grad=False)
def print_masked_in_loop(x, n):
    for i in range(int(n)):
        print(x[x > i])
        x = x * 1.5
    return x


@program(counts, "state output", grad=False)
def percent_formats(x, n):
    k, total = int(n), x.sum().item() - 7.5
    print("%d|%5d|%-5d|%05d|%+d|% d|%i|%x|%u" % (k, k, k, k, k, k, k, k, k), "just %d" % k)
    print("%.0f|%8.3f|%-8.3f|%08.3f|%+.1f|%e|%G|%%|{}" % (total, total, total, total, total, total, total))
    if k > 1:
        print("%5s|%-9s|%r|%.3s|%d|%s" % (total, total, total, x, total, [k, x]), "%.2f {" % n, "%s" % (x,))
        print("%(a)s %(b)05.1f {%(a)d}" % {"a": k, "b": total})
    for i in range(k):
        print("%d of %s: %6.2f" % (i, "some", x.sum() * i))
    return x


@program(counts, "state output", grad=False)
def joined_strings(x, n):
    k = int(n)
    print(", ".join(str(v) for v in (k, x.sum().item(), "a")), "{}".join([f"{v:.1f}" for v in x.tolist()]))
    if k > 1:
        print(" ".join(["%d" % k, "b"]), "-".join("ab"), "".join([]))
    return x


@program(counts, "state output", grad=False)
def strings_of_containers(x, n):
    held = [int(n), x.sum().item()]
    text = f"{held} {(int(n),)!r} { {'x': x} }"
    held[0] = 5
    if n > 1:
        print(text, str(held), repr((int(n), "a", None)), f"{[1, 2]}")
    return x
