"""Lists of a known length, in an order that the data decides."""

from collections import namedtuple

import torch

from .program import program, rand, t

Beam = namedtuple("Beam", "tokens score")


def _rows():
    return [(rand(2, 3, seed=k),) for k in range(3)]


def _threes():
    return [(t(3.0, 1.0, 2.0),), (t(1.0, 2.0, 1.0),), (t(1.0, float("nan"), 0.0),)]


@program(_rows, "branch")
def by_a_number(x):
    rows = [x[0], x[1], x.mean(0)]
    rows.sort(key=lambda row: row.sum().item())
    return torch.stack(rows)


@program(_rows, "branch")
def by_a_tensor_from_the_greatest(x):
    return torch.stack(sorted([x[0], x[1], x.mean(0)], key=lambda row: row.sum(), reverse=True))


@program(_threes, "branch", grad=False)
def numbers(x):
    values = x.tolist()
    values.sort()
    return values


@program(_threes, "branch", grad=False)
def rows_of_a_tensor(x):
    low, middle, high = sorted(x)
    return middle * 1, high - low


@program(_threes, "branch", grad=False)
def names_by_numbers(x):
    found = [(f"n{i}", v.item()) for i, v in enumerate(x)]
    best = sorted(found, key=lambda pair: -pair[1])[:2]
    return [name for name, _ in best], best[0][1]


@program(lambda: [(rand(2, 3, seed=k),) for k in range(3)], "branch", grad=False)
def beams_of_tokens(logits):
    beams = [Beam([0], torch.zeros(()))]
    for row in logits:
        found = []
        for beam in beams:
            for k, score in enumerate(row.log_softmax(-1)):
                found.append(Beam([*beam.tokens, k], beam.score + score / len(beam.tokens)))
        beams = sorted(found, key=lambda beam: beam.score, reverse=True)[:2]
    return [beam.tokens for beam in beams], torch.stack([beam.score for beam in beams])
