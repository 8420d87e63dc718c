"""Divisions and remainders, bounds and signs: where a rounded quotient, an infinity or a NaN makes a difference."""

import math

import torch

from .program import ints, program, t

INFINITE, NAN = float("inf"), float("nan")


def _doubles():
    rows = (1.0, 0.1), (-1.0, 0.1), (2.5, -0.5), (-2.5, 0.7), (7.0, 2.0), (-7.0, 2.0), (7.0, -3.0), (0.5, 0.25)
    return [(t(*row, dtype=torch.float64),) for row in rows]


def _floats():
    return [
        (t(1.0, -1.0, 0.3, 2.5),),
        (t(-1.0, 0.7, -0.3, -2.5),),
        (t(INFINITE, -INFINITE, NAN, 7.0),),
        (t(-INFINITE, -7.0, 0.0, NAN),),
    ]


def _whole():
    return [(ints(*row),) for row in ((7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (-6, 3))]


@program(_doubles, "branch loop inductor", grad=False)
def floats_of_the_data(x):
    n, m = x[0].item(), x[1].item()
    if n // 0.1 > m % 0.3:
        q, r = divmod(n, m)
        return x + (n // m - q) + 10 * r + 5.5 % m
    while n < 0:
        n = n % 0.7 if m > 0 else n // m
    n //= 0.3
    return x * n - m // -2


@program(_whole, "branch", grad=False)
def ints_of_the_data(x):
    n, m = int(x[0]), int(x[1])
    if n // m > n % 3:
        return x + n // 2 + 100 * (n % -3)
    q, r = divmod(n, m)
    return x - n // -2 + 10 * q + 100 * r


@program(_whole, "branch", grad=False)
def whole_tensors(x):
    if (x // 2).sum() > (x % 3).sum():
        return x // -2, x % -3, torch.div(x, 2, rounding_mode="trunc"), x.int() // 3
    return x % 2, torch.div(x, -2, rounding_mode="floor"), x + 1, x.int() % -3


@program(_floats, "branch", grad=False)
def float_tensors(x):
    if (x // 0.1).nan_to_num().sum() > 9:
        return x // 0.1, x % 0.1, 0.7 // x
    return x % 0.3, torch.div(x, -0.3, rounding_mode="floor"), torch.div(x, 0.3, rounding_mode="trunc")


@program(_floats, "branch", grad=False)
def half_floats(x):
    y = x.to(torch.bfloat16)
    if (y > 1).any():
        return y // 0.25, y % 0.25
    return y % -0.5, y // 0.5


@program(_floats, "branch")
def bounds_on_one_side(x):
    if x.isnan().any():
        return x.clamp(min=-2.0), x.clamp_max(torch.ones(4))
    return torch.clamp_min(x, 0.5), x.clamp(max=-INFINITE)


@program(_floats, "branch", grad=False)
def signs_and_roots(x):
    if x.isinf().any():
        return torch.sign(x), x**0.5
    return torch.sgn(x) + 1, (x.abs() + 1) ** -0.5


@program(_doubles, "branch loop", grad=False)
def digits_of_doubles(x):
    y = x
    while y[0] < 0.3 and y[0] > -9:
        y = y + 0.1
    if y[0] + y[1] * 1e9 == 0.1 * 1e9 + 1.0:
        return y * 0.3 + 1 / 3, y < 0.7
    return torch.full((2,), 0.1, dtype=torch.float64) + y, y > 0.1


@program(_doubles, "branch loop inductor", grad=False)
def math_of_two_numbers(x):
    n, m = x[0].item(), x[1].item()
    if math.fmod(n, m) > math.remainder(n, 0.7):
        x = x * math.atan2(n, 2.0) + math.fmod(-7.5, m)
    while not math.isclose(n, 0.5, rel_tol=0.1) and not math.isclose(0.0, n, abs_tol=0.3):
        n = math.remainder(n, 3.0) / 2
    return x, n, math.remainder(m, 0.2), math.degrees(m), math.isclose(m, m)


def _specials():
    rows = (INFINITE, 1.0), (1.0, INFINITE), (NAN, 1.0), (-0.0, 2.0), (5.0, -INFINITE), (2.5, 0.0), (-INFINITE, NAN)
    return [(t(*row, dtype=torch.float64),) for row in rows]


@program(_specials, "branch raises", grad=False)
def remainders_of_what_is_none(x):
    n, m = x[0].item(), x[1].item()
    if n > 0:
        n = math.remainder(n, m)
    return n, math.fmod(n, m), math.isclose(n, m)


@program(_specials, "branch", grad=False)
def signs_of_what_is_none(x):
    if math.isclose(x[0].item(), x[1].item()):
        return x * 2
    return x * math.copysign(3.0, x[0].item())


@program(_whole, "branch", grad=False)
def bits_of_numbers(x):
    n, m = int(x[0]), int(x[1])
    if n ^ m > 3:
        n ^= 2
    return n ^ 5, -3 ^ m, n & m, n | m, (n > 1) ^ (m > 1), x ^ n, m ^ x, n << 3, m >> 1, n | 2**60 + 1


@program(_doubles, "branch", grad=False)
def bounded_functions(x):
    n, m = x[0].item(), x[1].item()
    if math.tanh(n) > math.atan(m):
        return x * 2, math.atan(n)
    return x + 1, math.tanh(m)


@program(lambda: [(t(*row),) for row in ((2.75, 0.5), (-2.5, 1.0), (3.5, -1.5), (0.5, 2.5), (1e12, 1.0))], "branch loop inductor")
def whole_numbers(x):
    n, trips = x[0].item(), 0
    while trips < 3 and math.floor(n) > round(x[1].item()):
        n, trips = n - round(n * 0.3) - 1.5, trips + 1
    if math.ceil(n) == round(n):
        n = -n
    return x * math.floor(n), math.ceil(n), round(n), abs(n), abs(trips - 1)


@program(lambda: [(t(*x),) for x in ((1.0, 2.0), (4.0, 0.5), (0.0, 0.0))], "branch", grad=False)
def powers(x):
    n = (x > 0.7).sum().item()
    y = math.pow(n / 8, 2) + math.pow(n, 3)
    if y > 1:
        return math.pow(x[0].item(), x[1].item())
    return y
