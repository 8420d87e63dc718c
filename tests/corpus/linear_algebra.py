"""Linear algebra that checks its input, on one side of a branch: what the check raises, comes from the taken side only."""

import torch

from .program import program, s, t

POSITIVE = t(2.0, 1.0, 1.0, 2.0).view(2, 2)
INDEFINITE = t(1.0, 2.0, 2.0, 1.0).view(2, 2)
SINGULAR = t(1.0, 1.0, 1.0, 1.0).view(2, 2)


@program(lambda: [(POSITIVE.clone(),), (-POSITIVE.clone(),), (SINGULAR.clone(),)], "branch raises inductor")
def inverse_where_positive(m):
    if m.sum() > 0:
        return torch.linalg.inv(m)
    return m * 2


@program(lambda: [(POSITIVE.clone(),), (-POSITIVE.clone(),), (INDEFINITE.clone(),)], "branch raises")
def cholesky_where_positive(m):
    if m.sum() > 0:
        return torch.linalg.cholesky(m)
    return m * 2


@program(lambda: [(POSITIVE.clone(), t(1., 2.)), (-POSITIVE.clone(), t(1., 2.)), (SINGULAR.clone(), t(1., 2.))], "branch raises")
def solve(m, b):
    if m.sum() > 0:
        y = torch.linalg.solve(m, b)
    else:
        y = m @ b
    return y * 2


@program(lambda: [(POSITIVE.clone(), s(2)), (POSITIVE.clone(), s(0)), (SINGULAR.clone(), s(1))], "loop raises", grad=False)
def inverse_in_loop(m, n):
    for _ in range(int(n)):
        m = torch.linalg.inv(m) + 0.5 * m
    return m + 1


@program(lambda: [(POSITIVE.clone(),), (-POSITIVE.clone(),)], "branch")
def eigen(m):
    if m.sum() > 0:
        w, v = torch.linalg.eigh(m)
        return (v * w.sqrt()) @ v.T
    return m


@program(lambda: [(POSITIVE.clone(),), (-POSITIVE.clone(),)], "branch")
def qr_svd(m):
    if m.sum() > 0:
        q, r = torch.linalg.qr(m)
        return q @ r
    u, s_, v = torch.linalg.svd(m)
    return s_ + m
