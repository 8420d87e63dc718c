"""a if test else b."""

import torch

from .program import levels, levels_python, pairs, program, s, signs, t, three


@program(signs, "branch inductor")
def simple(x):
    return x + 1 if x.sum() > 0 else x - 1


@program(signs, "branch")
def in_assignment(x):
    y = x * 2 if x.sum() > 0 else x / 2
    return y + x


@program(signs, "branch")
def python_numbers(x):
    k = 2 if x.sum() > 0 else 3
    return x * k


@program(signs, "branch")
def python_floats(x):
    k = 0.5 if x.sum().item() > 0 else 1.5
    return x * k + k


@program(signs, "branch")
def int_beside_float(x):
    k = 2 if x.sum() > 0 else 0.5
    return x * k


@program(three, "branch")
def chained(x):
    return x * 10 if x.sum() > 5 else x if x.sum() > 0 else -x


@program(three, "branch")
def nested_in_test(x):
    return x + 1 if (x[0] > 0 if x.sum() > 1 else x[0] < 0) else x - 1


@program(signs, "branch")
def as_argument(x):
    return torch.clamp(x, min=0.0 if x.sum() > 0 else -2.0)


@program(signs, "branch")
def as_keyword_argument(x):
    return torch.add(x, x, alpha=2 if x.sum() > 0 else 3)


@program(signs, "branch")
def inside_arithmetic(x):
    return 2 * (x if x.sum() > 0 else -x) + (1 if x[0] > 0 else 5)


@program(signs, "branch")
def callee(x):
    return (torch.sin if x.sum() > 0 else torch.cos)(x)


@program(signs, "branch")
def tuple_of_two(x):
    a, b = (x, x + 1) if x.sum() > 0 else (x + 1, x)
    return a - 3 * b


@program(signs, "branch")
def in_list_comprehension(x):
    return torch.stack([v if v > 0 else v * 0.1 for v in x])


@program(signs, "branch")
def in_dict(x):
    d = {"a": x if x.sum() > 0 else -x, "b": x * 2}
    return d["a"] + d["b"]


@program(signs, "branch")
def in_lambda(x):
    leaky = lambda v: v if v.sum() > 0 else 0.1 * v  # noqa: E731
    return leaky(x) + leaky(-x)


@program(lambda: [(t(4.0, 5.0), s(2.0)), (t(4.0, 5.0), s(0.0))], "branch", python=lambda: [(t(4.0, 5.0), 2.0), (t(4.0, 5.0), 0.0)])
def safe_divide(x, d):
    return x / d if d != 0 else torch.zeros_like(x)


@program(signs, "branch")
def lazy_sides(x):
    # the other side would be out of range
    i = 0 if x.sum() > 0 else 1
    return x[:2][i] if x.sum() > 0 else x[1:][i]


@program(signs, "branch")
def with_walrus(x):
    return (y := x * 2) + y if (total := x.sum()) > 0 else x - total


@program(levels, "branch", python=levels_python)
def number_result(x, level):
    scale = level * 2 if level > 1 else 1.0
    return x * scale


@program(pairs, "branch")
def two_at_once(x, y):
    return (x if x.sum() > 0 else -x) + (y if y.sum() > 0 else 2 * y)


@program(signs, "branch")
def in_f_string_free_default(x):
    def scaled(v, k=2.0 if x.sum() > 0 else 4.0):
        return v * k

    return scaled(x)


@program(signs, "branch")
def subscript_target(x):
    out = [x, x + 1]
    out[0] = out[0] * 2 if x.sum() > 0 else out[1]
    return torch.cat(out)


@program(signs, "branch")
def same_tensor_both(x):
    y = x + 1
    return y if x.sum() > 0 else y


@program(signs, "branch")
def dtype_choice(x):
    # the flag is a Python one after all: nothing to weld
    dtype = torch.float64 if x.dim() == 1 else torch.float32
    return x.to(dtype) if x.sum() > 0 else x.to(dtype) * 2
