"""NumPy, the clock, Python's random: calls that are not torch's."""

import bisect
import math
import os
import random

import numpy as np
import torch

from .program import counts, levels, levels_python, program, signs, t


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
