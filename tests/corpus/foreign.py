"""NumPy, the clock, Python's random: calls that are not torch's."""

import bisect
import math
import os
import random
import time

import numpy as np
import torch

from .program import counts, factory, levels, levels_python, program, signs, t, three


@program(signs, "state foreign", grad=False)
def numpy_in_branch(x):
    if x.sum() > 0:
        return torch.from_numpy(np.sin(x.numpy()))
    return x


@program(signs, "state foreign", grad=False)
def numpy_predicate(x):
    if np.sum(x.numpy()) > 0:
        return x + 1
    return x - 1


@program(signs, "state foreign", grad=False)
def numpy_scalar(x):
    scale = np.float32(2.0) if x.sum() > 0 else np.float32(0.5)
    return x * float(scale)


@program(signs, "state foreign")
def math_functions(x):
    total = x.sum().item()
    if total > 0:
        return x * math.sqrt(total)
    return x * math.exp(total)


@program(signs, "state foreign", grad=False)
def python_random_in_branch(x):
    if x.sum() > 0:
        return x * random.random()
    return x


@program(signs, "state foreign", grad=False)
def environment(x):
    if x.sum() > 0:
        return x * len(os.environ.get("GRAPHWELD_CORPUS_UNSET", "ab"))
    return x


@program(counts, "state foreign loop", grad=False)
def numpy_in_loop(x, n):
    for _ in range(int(n)):
        x = torch.from_numpy(np.cos(x.numpy()))
    return x


@program(levels, "branch loop foreign", python=levels_python)
def bisection(x, level):
    places = [-1.5, 0.0, 0.5, 0.5, 2.0]
    return x * bisect.bisect(places, level), bisect.bisect_left(places, level), bisect.bisect(x.tolist(), level)


@program(levels, "branch loop foreign", python=levels_python)
def bisection_of_nothing(x, level):
    return x * bisect.bisect([], level) + min(bisect.bisect([], level), 0 - 1)
def with_seed():
    """The same seed before each call; what is drawn then tells how often it was."""
    random.seed(11)
    return [(t(1.0, 2.0),), (t(-1.0, -2.0),), (t(3.0, -2.0),)]


@program(with_seed, "state foreign", grad=False)
def python_random_before_branch(x):
    k = random.randint(1, 9)
    return x * k if x.sum() > 0 else x


@program(with_seed, "state foreign", grad=False)
def python_randint_in_branch(x):
    if x.sum() > 0:
        return x * random.randint(1, 9)
    return x


class Shaken:
    def __init__(self):
        self.rng = random.Random(5)

    def __call__(self, x):
        if x.sum() > 0:
            x = x * self.rng.uniform(1, 2)
        return x + self.rng.random()


@factory(with_seed, "state foreign", grad=False)
def generator_of_an_object():
    return Shaken()


class FromEnvironment:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        if x.sum() > 0:
            x = x * len(os.getenv("GRAPHWELD_CORPUS_SET", "abc"))
        return x


@factory(lambda: signs() + signs(), "state foreign", grad=False)
def getenv_in_branch():
    os.environ.pop("GRAPHWELD_CORPUS_SET", None)
    return FromEnvironment()


@program(counts, "state foreign loop", grad=False)
def clock_in_loop(x, n):
    start = 0.0
    for _ in range(int(n)):
        start = time.perf_counter()
    return x, start > 0


@program(three, "state", grad=False)
def array_of_one_side(x):
    a = x.numpy()
    if x.sum() > 0:
        a = np.clip(a, 0.15, 2.5)
    return a


@program(three, "state", grad=False)
def array_of_each_side(x):
    if x.sum() > 0:
        a = np.sqrt(x.numpy())
    else:
        a = np.abs(x.numpy()) * 2
    return a + 1


@program(three, "state", grad=False)
def array_or_tensor(x):
    if x.sum() > 0:
        a = np.sqrt(x.numpy())
    else:
        a = x
    return a


@program(three, "state loop", grad=False)
def array_within_trips(x):
    n = 0
    while x.sum() > 1:
        a = x.numpy() + 1
        x = torch.from_numpy(a) * 0.2
        n += 1
    return x, n


@program(three, "state loop", grad=False)
def array_carried(x):
    a = x.numpy()
    while a.sum() > 1:
        a = a * 0.5
    return a


@program(three, "state loop", grad=False)
def numpy_seeded(x):
    while x.sum() > 1:
        np.random.seed(0)
        x = x * 0.5
    return x
