"""match with guards and subjects that are tensors."""

import torch

from .program import counts, counts_python, pairs, program, signs, t, three


@program(three, "branch")
def guards(x):
    match x.dim():
        case 1 if x.sum() > 5:
            return x * 10
        case 1 if x.sum() > 0:
            return x * 2
        case _:
            return -x


@program(counts, "branch", python=counts_python)
def literal_patterns(x, n):
    match int(n):
        case 0:
            y = x
        case 1 | 2:
            y = x * 2
        case _:
            y = x - 1
    return y


@program(three, "branch")
def capture_pattern(x):
    match x.sum().item():
        case v if v > 5:
            return x * v
        case v if v > 0:
            return x + v
        case v:
            return x - v


@program(pairs, "branch")
def sequence_pattern(x, y):
    match (x, y):
        case (a, b) if a.sum() > 0 and b.sum() > 0:
            return a + b
        case (a, b) if a.sum() > 0:
            return a - b
        case _:
            return x * y


@program(signs, "branch")
def mapping_pattern(x):
    options = {"mode": "scale", "factor": 2.0}
    match options:
        case {"mode": "scale", "factor": k} if x.sum() > 0:
            return x * k
        case {"mode": "scale"}:
            return x
        case _:
            return x * 100


@program(signs, "branch")
def class_pattern(x):
    match x:
        case torch.Tensor(ndim=1) if x.sum() > 0:
            return x + 1
        case torch.Tensor():
            return x - 1
        case _:
            return None


@program(signs, "branch")
def no_case_matches(x):
    y = x
    match x.dim():
        case 1 if x.sum() > 0:
            y = y + 1
        case 2:
            y = y * 100
    return y


@program(signs, "branch")
def inside_branch(x):
    if x.sum() > 0:
        match x.dim():
            case 1:
                y = x + 1
            case _:
                y = x
    else:
        y = x - 1
    return y


@program(counts, "branch", python=counts_python)
def tensor_subject(x, n):
    match n:
        case 0:
            return x
        case 1:
            return x + 1
        case _:
            return x - 1
