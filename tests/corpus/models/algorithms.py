"""Algorithms that run until they are done: solvers, clusterings, searches."""

import torch

from ..program import ints, program, rand, s, t


def _square():
    a = rand(5, 5, seed=1)
    return a @ a.T + torch.eye(5)


@program(lambda: [(_square(), torch.ones(5)), (torch.eye(5), torch.ones(5)), (_square() * 3, rand(5, seed=2))], "loop model")
def power_iteration(a, v):
    last = torch.tensor(0.0)
    for trip in range(1000):
        w = a @ v
        value = v @ w
        v = w / w.norm()
        if abs(value - last) < 1e-4:
            break
        last = value
    return value, trip


def _boxes(seed, spread):
    corner = rand(5, 2, seed=seed).abs() * spread
    return torch.cat([corner, corner + 1], 1), rand(5, seed=seed + 10)


@program(lambda: [_boxes(1, 1), _boxes(2, 9), _boxes(3, 0)], "loop append model sizes", grad=False)
def suppress_overlapping_boxes(boxes, scores):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        best = order[0]
        keep.append(best)
        if order.numel() == 1:
            break
        rest, box = boxes[order[1:]], boxes[best]
        low, high = torch.maximum(box[:2], rest[:, :2]), torch.minimum(box[2:], rest[:, 2:])
        both = (high - low).clamp(min=0).prod(1)
        order = order[1:][both / (2 - both) <= 0.3]
    return torch.stack(keep)


@program(lambda: [(rand(2, 3, seed=1),), (torch.ones(2, 3) * 5,), (torch.zeros(2, 3),)], "loop append model")
def rollout_until_far(x):
    states = [x[0]]
    while states[-1].sum() < 10 and len(states) < 8:
        states.append(states[-1] * 1.5 + x[1])
    return torch.stack(states), len(states)


@program(lambda: [(ints(3, 1, 4), s(n)) for n in (5, 4, 0)], "loop model", grad=False)
def greedy_with_growing_prefix(ids, stop):
    for _ in range(5):
        following = (ids.sum() * 3 + ids[-1]) % 7
        ids = torch.cat([ids, following.unsqueeze(0)])
        if following == stop:
            break
    return ids


@program(lambda: [(rand(2, 3, 4, seed=1), torch.tensor(m)) for m in ([3, 1], [2, 2], [1, 3])], "loop append model", grad=False)
def viterbi_back_pointers(scores, lengths):
    history = []
    best = scores[:, 0]
    for i in range(1, 3):
        best, back = (best.unsqueeze(2) + scores[:, i].unsqueeze(1)).max(1)
        history.append(back)
    paths = []
    for k in range(2):
        tag = best[k].argmax()
        path = [tag]
        for back in reversed(history[: lengths[k] - 1]):
            tag = back[k][tag]
            path.append(tag)
        path.reverse()
        paths.append(torch.stack(path))
    return paths


@program(lambda: [(t(1.0, 2.0, 3.0, 4.0), ints(2, 0, 3)), (t(1.0, 2.0, 3.0, 4.0), ints(0, 0, 0))], "loop append")
def list_of_sizes(x, sizes):
    parts = []
    for n in sizes.tolist():
        parts.append(x[:n].sum())
    return torch.stack(parts)
