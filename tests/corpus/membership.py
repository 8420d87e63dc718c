"""`in`, with items that came out of a tensor or are one thing or another; and the item that is first by a key."""

import collections

import torch

from .program import counts, ints, program, s, signs, t


@program(signs, "branch", grad=False)
def constant_in_numbers(x):
    return 1.0 in x.tolist(), 7 in [3, x[0].item()], 1.0 in (x[0].item(), 5.0), 9.0 not in [x[0].item()]


@program(signs, "branch")
def constant_in_numbers_steers(x):
    if 2.0 in x.tolist():
        return x + 1
    return x - 1


@program(signs, "branch", grad=False)
def constant_in_chosen(x):
    mode = "up" if x.sum() > 0 else "down"
    count = None if x.sum() > 0 else 3
    return "up" in [mode], "up" in (mode, "flat"), "flat" in [mode, "flat"], None in [count], 3 in [count, 1]


@program(signs, "branch", grad=False)
def none_in_chosen_tensor(x):
    y = x if x.sum() > 0 else None
    return None in [y], None in (1, 2)


@program(signs, "branch", grad=False)
def in_deque(x):
    return 1.0 in collections.deque([x[0].item(), 2.0], maxlen=4)


@program(lambda: [(t(1.0, 2.0),), (t(float("nan"), 2.0),)], "branch", grad=False)
def same_object_or_equal(x):
    value, rows = x[0].item(), [x, x * 2]
    return value in [value], x[0] in [x[0] * 1], rows[0] in rows


@program(signs, "branch loop", grad=False)
def token_list_ends(x):
    ids, steps = [], 0
    for value in x.tolist():
        ids.append(int(value))
        steps += 1
        if 2 in ids:
            break
    return steps


@program(signs, "branch", grad=False)
def first_by_key(x):
    return max(range(3), key=lambda i: x[i].item()), min([3, 1, 2], key=lambda k: (k * x.sum()).item()), max(2, 1, key=abs)


@program(signs, "branch")
def largest_with_default(x):
    positive = [x, x * 2]
    return max(positive, key=lambda v: v.sum()) + max([], default=1)


@program(signs, "loop append", grad=False)
def in_list_that_grew(x):
    ids = []
    for value in x.tolist():
        if value > 5:
            break
        ids.append(int(value))
    return 2 in ids, 9 in ids


@program(counts, "branch")
def index_and_count(x, n):
    order, values = [3, 0, 2, 1], x.tolist()
    place = order.index(int(n)) + (1, 0, 2, 3).index(int(n))
    for i in range(int(n)):
        if values.count(1.0) > 0 and [i, 2].index(2) > 0:
            x = x + values.index(max(values))
    return place, x, values.count(2.0), [0, int(n)].count(0)


@program(counts, "loop")
def index_in_list_of_a_loop(x, n):
    found = []
    for i in range(int(n) + 1):
        found.append(i * i % 3)
    try:
        place = found.index(int(n))
    except ValueError:
        place = -1
    name = "a" if x[0] > int(n) else "b"
    return place, found.count(1), ["a", "b"].index(name), x * found.index(0)


def _successors():
    return [(ints(1, 2, 0, 3), s(k), s(n)) for k, n in ((0, 9), (3, 9), (0, 2), (1, 0))]


@program(_successors, "loop append branch", grad=False)
def seen_before(following, start, most):
    seen, at = [], int(start)
    while at not in seen:
        seen.append(at)
        at = int(following[at])
        if len(seen) >= int(most):
            break
    return len(seen), at


def _overlaps():
    return [(torch.tensor(rows), s(0.5)) for rows in ([[0.9, 0.1], [0.8, 0.2]], [[0.9, 0.1], [0.1, 0.7]], [[0.1, 0.1], [0.1, 0.2]])]


@program(_overlaps, "loop append branch", grad=False)
def matched_once(overlaps, least):
    matches, used = [], []
    for i in range(overlaps.shape[0]):
        j = int(overlaps[i].argmax())
        if overlaps[i, j] >= least and j not in used:
            used.append(j)
            matches.append((i, j))
    return matches, len(used)


def _place(keys, key):
    for i in range(len(keys)):
        if keys[i] == key:
            return i
    return -1


@program(lambda: [(ints(1, 2, 1),), (ints(4, 4, 4),), (ints(1, 2, 3),)], "loop append branch", grad=False)
def counted_by_key(ids):
    keys, counts = [], []
    for value in ids.tolist():
        at = _place(keys, value)
        if at < 0:
            keys.append(value)
            counts.append(1)
        else:
            counts[at] += 1
    return keys, counts
