"""Sizes that depend on data, inside regions."""

import torch

from .program import bools, counts, ints, program, s, signs, t


def mixed():
    return [(t(1.0, -2.0, 3.0, -4.0),), (t(1.0, 2.0, 3.0, 4.0),), (t(-1.0, -2.0, -3.0, -4.0),)]


@program(mixed, "state data_sizes")
def mask_in_branch(x):
    if x.sum() > 0:
        y = x[x > 0]
        return y.sum() * 2
    return x.sum()


@program(mixed, "state data_sizes")
def empty_test(x):
    kept = x[x > 0]
    if kept.numel() == 0:
        return torch.zeros(())
    return kept.mean()


@program(mixed, "state data_sizes")
def length_test(x):
    kept = x[x > 0]
    if len(kept) > 2:
        return kept.sum()
    return x.sum()


@program(mixed, "state data_sizes", grad=False)
def nonzero_in_branch(x):
    if x[0] > 0:
        i = torch.nonzero(x > 0).squeeze(1)
        return x[i].sum()
    return x.sum()


@program(lambda: [(ints(1, 1, 2, 3),), (ints(5, 5, 5, 5),)], "state data_sizes", grad=False)
def unique_in_branch(ids):
    values = torch.unique(ids)
    if values.numel() == 1:
        return ids * 0
    return ids - values.max()


@program(lambda: [*mixed(), (t(1.0, -2.0, 0.5, -4.0),)], "state data_sizes")
def masked_select(x):
    y = torch.masked_select(x, x > 0)
    if y.numel() > 0 and y.max() > 2:
        return x / y.max()
    return x


@program(lambda: [(t(1.0, 2.0), ints(2, 0)), (t(1.0, 2.0), ints(0, 0)), (t(1.0, 2.0), ints(1, 3))], "state data_sizes")
def repeat_interleave(x, k):
    if k.sum() == 0:
        return x.sum()
    return torch.repeat_interleave(x, k).sum()


@program(lambda: [(t(1.0, 2.0, 3.0, 4.0), ints(1, 3)), (t(1.0, 2.0, 3.0, 4.0), ints(2, 2))], "state data_sizes")
def split_by_values(x, sizes):
    a, b = x.split(sizes.tolist())
    if a.sum() > 2:
        return a.sum() - b.sum()
    return b.sum()


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (0, 1, 3)], "state data_sizes")
def slice_with_tensor_bound(x, n):
    head = x[:n]
    if head.numel() > 0:
        return head.sum() * 2
    return x.sum()


@program(lambda: [(t(1.0, 2.0, 3.0), bools(True, False, True)), (t(1.0, 2.0, 3.0), bools(False, False, False))], "state data_sizes")
def mask_returned_only_on_one_side(x, mask):
    if mask.any():
        return x[mask]
    return x[:1]


@program(counts, "state loop data_sizes")
def mask_in_loop(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + x[x > i].sum()
    return total


@program(signs, "state data_sizes", grad=False)
def where_single_argument(x):
    (i,) = torch.where(x > 0)
    if i.shape[0] == 0:
        return x
    return x + i.sum()


@program(lambda: [(t(1.0, -2.0, 3.0), s(n)) for n in (2, 3, 1)], "state data_sizes", grad=False)
def sizes_against_tensors(x, n):
    y = x[x > 0]
    if [y.size(0), 1] == [n, 1]:
        return y * 2
    if y.size(0) > n:
        return y.sum()
    return x if (y.size(0), n) != (2, n) else x + 1
