"""Places in lists, dicts and sets that the data chooses, stored to and read."""

import torch

from .program import program, signs


@program(signs, "branch", grad=False)
def counts_by_key(x):
    counts = {"up": 0, "down": 0}
    counts["up" if x.sum() > 0 else "down"] += 1
    return counts["up"], counts["down"], counts


@program(signs, "branch")
def entry_replaced(x):
    parts = {"up": x, "down": -x}
    key = "up" if x.sum() > 0 else "down"
    parts[key] = parts[key] * 3
    return parts["up"] + parts["down"] * 2


@program(signs, "branch")
def key_in_a_tuple(x):
    scales = {("up", 1): 2.0, ("down", 1): 3.0}
    key = "up" if x.sum() > 0 else "down"
    scales[key, 1] = 5.0
    return x * scales["up", 1] - scales["down", 1]


@program(signs, "branch", grad=False)
def set_of_chosen(x):
    chosen = {"up" if x.sum() > 0 else "down", "down"}
    return len(chosen)


@program(signs, "branch", grad=False)
def dict_of_chosen(x):
    table = {"up" if x.sum() > 0 else "down": 1, "down": 2}
    return table["down"], len(table), table


@program(signs, "branch", grad=False)
def item_of_list_by_number(x):
    counts = [0, 0, 0]
    counts[int(x.sum() > 0)] += 1
    counts[-1 if x.sum() > 0 else 1] += 5
    return counts


@program(signs, "branch")
def tensor_of_list_by_number(x):
    rows = [x, x * 2, x * 3]
    rows[int((x > 0).sum()) % 3] = x * 10
    return torch.stack(rows)


@program(signs, "branch raises", grad=False)
def index_out_of_range(x):
    counts = [0, 0]
    counts[1 if x.sum() > 0 else 2] += 1
    return counts


@program(signs, "loop", grad=False)
def histogram(x):
    counts = [0, 0, 0]
    for value in x:
        counts[int(value > 0) + int(value > 1)] += 1
    return counts
