"""if / elif / else as statements."""

import torch
import torch.nn.functional as F

from .program import counts, counts_python, flags, levels, levels_python, matrices, pairs, program, signs, t, three, vectors


@program(signs, "branch article inductor")
def article_a(x):
    if x.sum().item() > 0:
        return x + 1
    else:
        return x - 1


@program(signs, "branch article inductor", sizes=vectors)
def article_b(x):
    if x.sum() > 0:
        return x + 1
    else:
        return x - 1


@program(signs, "branch article")
def article_e(x):
    # said to break a graph; it does not: nothing here depends on the data
    parts = []
    for i in range(3):
        parts.append(x + i)
    return torch.stack(parts)


@program(signs, "branch", sizes=vectors)
def assign_both(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 3
    return y + 1


@program(signs, "branch inductor")
def one_armed(x):
    if x.sum() > 0:
        x = x / x.sum()
    return x * 2


@program(signs, "branch")
def one_armed_pass(x):
    if x.sum() > 0:
        pass
    else:
        x = x.abs()
    return x


@program(signs, "branch")
def both_pass(x):
    if x.sum() > 0:
        pass
    else:
        pass
    return x + 1


@program(three, "branch inductor")
def elif_chain(x):
    total = x.sum()
    if total > 5:
        y = x * 10
    elif total > 0:
        y = x * 2
    else:
        y = -x
    return y


def _eight():
    return [(t(float(v), 1.0),) for v in (-9, -1, 1, 3, 5, 7, 9, 40)]


@program(_eight, "branch")
def elif_chain_long(x):
    v = x[0]
    if v < -5:
        y = x * 0
    elif v < 0:
        y = x * 1
    elif v < 2:
        y = x * 2
    elif v < 4:
        y = x * 3
    elif v < 6:
        y = x * 4
    elif v < 8:
        y = x * 5
    elif v < 10:
        y = x * 6
    else:
        y = x * 7
    return y


@program(three, "branch")
def elif_without_else(x):
    y = x
    if x.sum() > 5:
        y = x + 100
    elif x.sum() < 0:
        y = x - 100
    return y


@program(pairs, "branch")
def nested(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            z = x + y
        else:
            z = x - y
    else:
        if y.sum() > 0:
            z = x * y
        else:
            z = x / y
    return z


@program(pairs, "branch")
def nested_one_sided(x, y):
    z = x
    if x.sum() > 0:
        z = z + 1
        if y.sum() > 0:
            z = z * y
        z = z - 1
    return z


def _depths():
    return [(t(float(n), 1.0, 2.0),) for n in (0, 1, 2, 3, 4)]


@program(_depths, "branch inductor")
def nested_depth_four(x):
    n = x[0]
    y = x
    if n > 0:
        y = y + 1
        if n > 1:
            y = y * 2
            if n > 2:
                y = y - 3
                if n > 3:
                    y = y / 4
                else:
                    y = y + 40
            else:
                y = y + 30
        else:
            y = y + 20
    else:
        y = y + 10
    return y


@program(lambda: [*signs(), (t(8.0, 8.0, 8.0),), (t(0.1, 0.1, 0.1),), (t(9.0, -1.0, 0.0),)], "branch")
def sequential_ten(x):
    if x[0] > 0:
        x = x + 1
    if x[1] > 0:
        x = x * 2
    if x[2] > 0:
        x = x - 3
    if x[0] > 5:
        x = x / 4
    if x.sum() > 5:
        x = torch.sin(x)
    if x.max() > 0.5:
        x = x + 5
    if x.min() < 0:
        x = x - x.min()
    if x.mean() > 1:
        x = x / x.mean()
    if x.std() > 0.1:
        x = x / x.std()
    if x.norm() > 2:
        x = F.normalize(x, dim=0)
    return x


@program(signs, "branch")
def augmented(x):
    y = x.clone()
    scale = 1.0
    if x.sum() > 0:
        y = y + 1
        scale *= 2
    else:
        y = y - 1
        scale /= 4
    return y * scale


@program(signs, "branch")
def python_scalar_both(x):
    if x.sum() > 0:
        k = 3
    else:
        k = 5
    return x * k


@program(signs, "branch")
def tuple_unpacking(x):
    if x.sum() > 0:
        a, b = x * 2, x * 3
    else:
        a, b = x - 2, x - 3
    return a * b


@program(signs, "branch")
def swap(x):
    a, b = x + 1, x * 10
    if x.sum() > 0:
        a, b = b, a
    return a - 2 * b


@program(signs, "branch")
def star_unpacking(x):
    if x.sum() > 0:
        first, *rest = x.unbind(0)
    else:
        *rest, first = x.unbind(0)
    return first + 10 * rest[0] + 100 * rest[1]


@program(signs, "branch")
def nested_unpacking(x):
    if x.sum() > 0:
        (a, (b, c)), d = (x, (x + 1, x + 2)), x + 3
    else:
        (a, (b, c)), d = (x + 3, (x + 2, x + 1)), x
    return a + 2 * b + 3 * c + 4 * d


@program(signs, "branch")
def chained_assignment(x):
    if x.sum() > 0:
        a = b = x + 1
    else:
        a = x
        b = x - 1
    return a * b


@program(signs, "branch")
def annotated_assignment(x: torch.Tensor) -> torch.Tensor:
    y: torch.Tensor
    if x.sum() > 0:
        y: torch.Tensor = x + 1
    else:
        y = x - 1
    return y


@program(signs, "branch")
def temporaries_inside(x):
    if x.sum() > 0:
        t1 = x * 2
        t2 = t1 + 3
        out = t2 * t1
    else:
        t1 = x + 7
        out = t1
    return out


@program(signs, "branch")
def reads_own_result(x):
    y = x * 2
    if y.sum() > 0:
        y = y + x
        y = y * y
    return y


@program(signs, "branch")
def delete_in_branch(x):
    y = x + 1
    if x.sum() > 0:
        z = y * 2
        del y
    else:
        z = y - 2
        del y
    return z


@program(flags, "branch", python=lambda: [(t(1.0, 2.0, 3.0), True), (t(1.0, 2.0, 3.0), False)])
def flag(x, condition):
    if condition:
        return torch.sin(x)
    return torch.cos(x)


@program(levels, "branch", python=levels_python)
def clamp_level(x, level):
    if level > 1:
        level = level * 0.5
    elif level < 0:
        level = -level
    return x * level


@program(counts, "branch", python=counts_python)
def switch_by_int(x, n):
    if n == 0:
        return x
    elif n == 1:
        return x + 1
    elif n == 2:
        return x * 2
    return x - 3


@program(matrices, "branch")
def matrix_branch(x):
    if x.mean() > 0:
        y = x @ x.T
    else:
        y = (x * x).sum(0, keepdim=True) + x[:, :1] @ x[:, :1].T.sum(1, keepdim=True)[:1]
        y = y[:, :3]
    return y


@program(signs, "branch")
def branch_only_condition_used(x):
    if x.sum() > 0:
        scale = torch.tensor(2.0)
    else:
        scale = torch.tensor(0.5)
    return scale


@program(lambda: [(t(3.0, 4.0),), (t(0.0, 0.0),)], "branch")
def safe_normalize(x):
    norm = x.norm()
    if norm == 0:
        return torch.zeros_like(x)
    return x / norm


@program(lambda: [(t(1.0, float("nan")),), (t(1.0, 2.0),)], "branch")
def replace_nans(x):
    if torch.isnan(x).any():
        x = torch.nan_to_num(x, nan=0.0)
    return x + 1


@program(lambda: [(t(1.0, 5e4).half(),), (t(1.0, 2.0).half(),)], "branch", grad=False)
def half_overflow_clamp(hidden_states):
    hidden_states = hidden_states * 2
    if hidden_states.dtype == torch.float16 and not torch.isfinite(hidden_states).all():
        clamp_value = torch.finfo(hidden_states.dtype).max - 1000
        hidden_states = torch.clamp(hidden_states, min=-clamp_value, max=clamp_value)
    return hidden_states


@program(lambda: [(t(100.0, 1.0), t(1.0, 1.0)), (t(0.1, 0.1), t(1.0, 1.0))], "branch")
def clip_gradient_norm(grad, weight):
    norm = grad.norm()
    max_norm = 1.0
    if norm > max_norm:
        grad = grad * (max_norm / (norm + 1e-6))
    return weight - 0.1 * grad, norm


@program(lambda: [(t(1.0, 0.0, -1.0),), (t(-1.0, 0.0, -1.0),), (t(0.0, 0.0, 0.0),)], "branch")
def sign_by_hand(x):
    out = []
    for v in x:
        if v > 0:
            out.append(torch.ones(()))
        elif v < 0:
            out.append(-torch.ones(()))
        else:
            out.append(torch.zeros(()))
    return torch.stack(out)


@program(signs, "branch")
def static_loop_of_branches(x):
    for i in range(4):
        if x.sum() > i:
            x = x - 0.5
        else:
            x = x + 0.75 * i
    return x


@program(signs, "branch")
def branch_contains_static_loop(x):
    if x.sum() > 0:
        for i in range(3):
            x = x + i
    else:
        for scale in (0.5, 0.25):
            x = x * scale
    return x


@program(signs, "branch")
def branch_contains_comprehension(x):
    if x.sum() > 0:
        parts = [x * k for k in range(3)]
    else:
        parts = [x - k for k in (5, 6, 7)]
    return torch.cat(parts)


@program(signs, "branch")
def branch_contains_with(x):
    if x.sum() > 0:
        with torch.no_grad():
            y = x * 2
        y = y + x
    else:
        with torch.set_grad_enabled(True):
            y = x * 3
    return y


@program(signs, "branch")
def branch_inside_with(x):
    with torch.no_grad():
        if x.sum() > 0:
            scale = x.max()
        else:
            scale = x.min()
    return x * scale


@program(signs, "branch")
def branch_inside_autocast(x):
    m = x.unsqueeze(1) @ x.unsqueeze(0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        if x.sum() > 0:
            y = m @ m
        else:
            y = m
            y = y @ y.T
    return y.float()


@program(signs, "branch")
def unused_result(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x * 3
    return x + 1


@program(signs, "branch")
def string_building(x):
    name = "x"
    if x.sum() > 0:
        scale = {"x": 2.0, "y": 3.0}[name]
    else:
        scale = len(name) * 0.5
    return x * scale


@program(signs, "branch")
def docstring_and_ellipsis(x):
    """Doc."""
    if x.sum() > 0:
        ...
    else:
        "a string statement"
        x = -x
    return x


@program(signs, "branch")
def imports_inside(x):
    if x.sum() > 0:
        import math

        y = x * math.pi
    else:
        from math import e as euler

        y = x * euler
    return y


@program(signs, "branch")
def same_test_twice(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    if x.sum() > 0:
        y = y * 2
    return y


@program(pairs, "branch")
def condition_variable(x, y):
    positive = x.sum() > 0
    big = y.sum() > 0
    both = positive & big
    if both:
        out = x + y
    elif positive:
        out = x
    elif big:
        out = y
    else:
        out = torch.zeros_like(x)
    return out, both


@program(signs, "branch")
def semicolons(x):
    if x.sum() > 0: y = x + 1; z = y * 2
    else: y = x; z = x
    return y + z


@program(signs, "branch")
def multiline_expressions(x):
    if (
        x.sum()
        > 0
    ):
        y = (
            x
            + 1
        )
    else:
        y = x \
            - 1
    return y


@program(lambda: [(t(0.5, 0.2),), (t(2.0, 3.0),)], "branch")
def huber_like(x):
    if x.abs().max() < 1:
        loss = 0.5 * (x * x)
    else:
        loss = x.abs() - 0.5
    return loss.mean()


@program(three, "branch inductor")
def two_names_for_what_a_branch_makes(x):
    if x.sum() > 1:
        y = kept = x * 0
    else:
        y = x * 2
        kept = y
        z = y
    y.add_(1)
    w = z + 1 if x.sum() <= 1 else x
    return y, kept, y is kept, w


@program(three, "branch")
def one_tensor_under_two_names(x):
    a = b = x + 1
    if x.sum() > 1:
        a = b = x * 3
    return a, b, a is b


@program(signs, "branch")
def callable_method_of_a_tensor(x):
    step = x.mul
    if callable(step) and not callable(x.shape) and x.sum() > 0:
        return step(2)
    return x
