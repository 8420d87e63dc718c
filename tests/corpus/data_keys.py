"""Places in lists, dicts and sets that the data chooses, stored to and read."""

import torch

from .program import ints, program, s, signs, t


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


def _tokens():
    return [(ints(1, 2, 1),), (ints(2, 0, 0),), (ints(1, 2, 3),), (ints(3, 3, 3),)]


@program(_tokens, "branch append", grad=False)
def first_of_each(ids):
    seen, kept = set(), []
    for token in ids.tolist():
        if token not in seen:
            seen.add(token)
            kept.append(token)
    return torch.tensor(kept), len(seen)


@program(_tokens, "branch append", grad=False)
def set_of_a_list(ids):
    held = set(ids.tolist())
    return len(held), max(held) - min(held), sorted(held), 3 in held


@program(lambda: [(ints(1, 2, 0, 3), s(0), s(9)), (ints(1, 2, 0, 3), s(3), s(9)), (ints(1, 2, 0, 3), s(1), s(2))], "loop append branch", grad=False)
def set_in_a_loop(following, start, most):
    seen, at = {int(start)}, int(following[start])
    while at not in seen:
        seen.add(at)
        at = int(following[at])
        if len(seen) >= int(most):
            break
    seen.discard(2)
    return len(seen), at


@program(_tokens, "branch append", grad=False)
def pairs_in_a_set(ids):
    edges, new = set(), 0
    for a, b in zip(ids.tolist(), [*ids[1:].tolist(), 1]):
        if (a, b) in edges or (b, a) in edges:
            continue
        edges.add((a, b))
        new += 1
    return new, len(edges)


@program(_tokens, "branch append", grad=False)
def counted_in_a_dict(ids):
    counts = {}
    for token in ids.tolist():
        counts[token] = counts.get(token, 0) + 1
    return counts, max(counts.values())


@program(lambda: [(ints(1, 2, 1, 3), s(n)) for n in (4, 0, 2)], "loop append branch", grad=False)
def counted_in_a_loop(ids, n):
    counts = {}
    for i in range(int(n)):
        token = int(ids[i])
        if token in counts:
            counts[token] += 1
        else:
            counts[token] = 1
    total = 0
    for token, count in counts.items():
        total = total * 10 + token * count
    return total, len(counts), counts


@program(lambda: [(t(1.0, 2.0), ints(*ids)) for ids in ((1, 2), (0, 0), (3, 1))], "branch append")
def made_once_for_each_key(x, ids):
    made, out = {}, x
    for i in range(ids.shape[0]):
        key = int(ids[i])
        if key not in made:
            made[key] = x * key + i
        out = out + made[key]
    return out


@program(_tokens, "branch raises", grad=False)
def key_that_may_be_missing(ids):
    table = {int(ids[0]): 5}
    if ids[1] > 1:
        table[int(ids[1])] = 6
    return table[2], table


@program(_tokens, "branch", grad=False)
def set_handed_out(ids):
    held = set()
    held.add(int(ids[0]))
    return held


@program(_tokens, "branch", grad=False)
def keys_seen_before_another_is_added(ids):
    table = {}
    table[int(ids[0])] = 1
    keys = table.keys()
    table[int(ids[1])] = 2
    return len(keys)


@program(_tokens, "branch", grad=False)
def made_by_a_comprehension(ids):
    return len({token: 1 for token in ids.tolist()})
