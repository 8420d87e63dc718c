"""Sizes that the data decides, of which an operator asks something before it runs; numbers that `int` makes of floats."""

import torch
import torch.nn.functional as F

from .program import factory, ints, program, rand, t


@program(lambda: [(rand(1, 2, 6, 6), ints(*size)) for size in ((3, 4), (1, 2))], "state data_sizes")
def resized_to_a_size(x, size):
    h, w = size.tolist()
    return F.interpolate(x, size=(h, w), mode="nearest") * 2


@program(lambda: [(rand(1, 2, 6, 6), ints(*n)) for n in ((3, 4, 2, 2), (5, 1, 1, 6))], "loop data_sizes", grad=False)
def resized_in_a_loop(x, sizes):
    rows = []
    for h, w in sizes.view(-1, 2).tolist():
        rows.append(F.interpolate(x, size=(h, w), mode="bilinear", align_corners=False).flatten(2))
    return torch.cat(rows, -1)


@factory(lambda: [(rand(1, 4, 6, 6), ints(*size)) for size in ((3, 4), (1, 1), (1, 2))], "state data_sizes raises")
def normalized_part():
    norm = torch.nn.GroupNorm(4, 4)

    def part(x, size):
        return norm(x[..., : int(size[0]), : int(size[1])])

    return part


@program(lambda: [(rand(6, 3) + shift,) for shift in (0.0, -9.0)], "state data_sizes", grad=False)
def distances_of_what_is_kept(x):
    return torch.cdist(x[x[:, 0] > 0], x)


@program(lambda: [(rand(1, 2, 6, 6), ints(*size)) for size in ((4, 4), (2, 5), (0, 4))], "state data_sizes raises")
def unfolded_part(x, size):
    return F.unfold(x[..., : int(size[0]), : int(size[1])], 2, stride=2) * 2


@program(lambda: [(ints(3),), (ints(1),)], "state data_sizes")
def number_of_a_comparison(n):
    count = n[0].item()
    return torch.arange(count) + int(count > 1) + float(count > 2)


@program(lambda: [(rand(6, 3) + shift,) for shift in (0.0, 0.5, -9.0)], "state data_sizes", grad=False)
def differences_of_what_is_kept(x):
    kept = x[x[:, 0] > 0.7]
    steps = torch.diff(kept, dim=0, prepend=kept[:1] - 1)
    return steps, kept.diff(dim=0), torch.diff(kept > 1.0, dim=0)


_NUMBERS = [2.7, -2.7, 0.3, float("inf"), float("nan"), 1e30]


@program(lambda: [(t(n),) for n in _NUMBERS], "branch data_sizes raises", grad=False)
def size_of_a_float(x):
    n = int((x * x).sum())
    if n > 100:
        return x * 0, n
    rows = torch.ones(n)
    if n > 1:
        return rows.sum() + x, n
    return x, n


@program(lambda: [(t(n),) for n in _NUMBERS[:3]], "branch data_sizes", grad=False)
def size_of_a_product(x):
    n = int(x.sum().item() * 1.5 + 4)
    rows = torch.zeros(n)
    if n > 4:
        rows = rows + x
    return rows.sum()


@program(lambda: [(rand(2, 4) - shift, ints(k)) for shift, k in ((0.0, 2), (9.0, 3), (-5.0, 1))], "branch data_sizes")
def columns_on_either_side(x, count):
    part = x[:, : int(count[0])].clone()
    rows = part.T.clone() if x.sum() > 0 else part.T.clone() * 2
    if x[0, 0] > 0:
        return part * 2, rows.relu().sum(), x[x > 0]
    return part.exp() @ rows, rows.sum(), x[0, :0] * 1


@program(lambda: [(rand(3, 2), ints(n)[0]) for n in (3, 1)], "state data_sizes", grad=False)
def drawn_rows(x, n):
    places = torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), n, replacement=True)  # of which one can be drawn
    return x[places] * 2


@program(lambda: [(rand(4, 2), ints(n)[0]) for n in (3, 1, 0)], "state data_sizes raises", grad=False)
def dimension_that_may_be_gone(x, n):
    rows = x[: int(n)].squeeze(0)
    try:
        width = x.shape[2]
    except IndexError:
        width = 5
    return rows.shape[0] * rows.shape[1] * width + rows.sum()
