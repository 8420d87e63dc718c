"""Names: bound on one side, deleted, shadowed, unusual."""

import torch

from .program import flags, pairs, program, signs, t, three

LIMIT = 0.0
gw = 10.0  # a user's name that graphweld's generated code might want
site = 3.0


@program(signs, "branch")
def bound_on_one_side_unused(x):
    if x.sum() > 0:
        y = x * 2
        x = y + 1
    return x


@program(signs, "branch raises", grad=False)
def unbound_read(x):
    if x.sum() > 0:
        y = x * 2
    return y


@program(signs, "branch raises", grad=False)
def unbound_read_later(x):
    if x.sum() > 0:
        y = x * 2
    z = x + 1
    return z * y


@program(signs, "branch")
def bound_on_one_side_read_under_same_test(x):
    positive = x.sum() > 0
    if positive:
        y = x * 2
    if positive:
        return y
    return x


@program(signs, "branch")
def bound_on_one_side_then_rebound(x):
    if x.sum() > 0:
        y = x * 2
        x = y + y
    y = x + 1
    return y


@program(pairs, "branch raises", grad=False)
def unbound_nested(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            z = x + y
        else:
            w = 3
    else:
        z = x - y
    return z


@program(signs, "branch raises", grad=False)
def unbound_python_number(x):
    if x.sum() > 0:
        k = 3
    return x * k


@program(signs, "branch raises", grad=False)
def deleted_on_one_side(x):
    y = x + 1
    if x.sum() > 0:
        del y
    return y


@program(signs, "branch raises", grad=False)
def delete_unbound(x):
    if x.sum() > 0:
        y = x
    del y
    return x + 1


@program(signs, "branch")
def global_constant(x):
    if x.sum() > LIMIT:
        return x + 1
    return x - 1


@program(signs, "branch")
def global_names_like_ours(x):
    if x.sum() > 0:
        return x * gw
    return x * site


@program(signs, "branch")
def local_names_like_ours(x):
    gw = x * 2
    site = x.sum()
    then_1, else_1 = 1.0, 2.0
    if site > 0:
        gw_then_0 = then_1
        gw = gw + gw_then_0
    else:
        gw_else_0 = else_1
        gw = gw - gw_else_0
    return gw


@program(signs, "branch")
def shadowed_builtins(x):
    sum = x.sum()
    max = 3.0
    if sum > 0:
        min = x * max
    else:
        min = x / max
    return min


@program(signs, "branch")
def parameter_rebound(x):
    if x.sum() > 0:
        x = x + 1
    else:
        x = x.abs()
    x = x * 2
    return x


@program(signs, "branch")
def comprehension_variable_does_not_leak(x):
    i = 7
    if x.sum() > 0:
        y = sum([x * i for i in range(3)])
    else:
        y = x
    return y * i


@program(signs, "branch")
def loop_variable_leaks(x):
    if x.sum() > 0:
        for i in range(3):
            x = x + i
    else:
        i = 10
    return x * i


@program(signs, "branch")
def exec_order_of_names(x):
    a = x
    if x.sum() > 0:
        b = a + 1
        a = b * 2
        b = a + b
    else:
        b = a - 1
        a = b
    return a, b


@program(signs, "branch")
def class_private_like_name(x):
    __hidden = x * 2
    _ = x + 1
    if x.sum() > 0:
        __hidden = __hidden + _
    return __hidden


@program(signs, "branch")
def unicode_names(x):
    λ = 0.5
    if x.sum() > 0:
        größe = x * λ
    else:
        größe = x / λ
    return größe


@program(signs, "branch")
def many_live_names(x):
    a, b, c, d, e = x, x + 1, x + 2, x + 3, x + 4
    if x.sum() > 0:
        a, b, c, d, e = e, d, c, b, a
        a = a * 2
    else:
        c = a * b
    return a + 2 * b + 3 * c + 4 * d + 5 * e


@program(signs, "branch")
def module_name_used_in_branch(x):
    if x.sum() > 0:
        y = torch.nn.functional.relu(x)
    else:
        y = torch.special.expit(x)
    return y


@program(three, "branch")
def name_from_earlier_branch(x):
    if x.sum() > 0:
        k = 2.0
    else:
        k = -2.0
    if x.sum() > 5:
        k = k + 1
        y = x * k
    else:
        y = x / k
    return y, k


@program(flags, "branch")
def type_alias_inside(x, flag):
    Pair = tuple
    if flag:
        p = Pair((x, x + 1))
    else:
        p = Pair((x + 1, x))
    return p[0] - 2 * p[1]


@program(signs, "branch")
def try_bound_name(x):
    try:
        scale = 2.0
        if x.sum() > 0:
            scale = 3.0
    finally:
        done = True
    return x * scale, done


@program(lambda: [(t(1.0, 2.0),), (t(-1.0, -2.0),)], "branch raises", grad=False)
def unbound_in_nested_function(x):
    if x.sum() > 0:
        y = x * 2

    def read():
        return y

    return read() + 1


@program(signs, "branch raises", grad=False)
def read_where_known_to_be_unbound(x):
    positive = x.sum() > 0
    if positive:
        y = x * 2
    if not positive:
        return y + 1
    return y
