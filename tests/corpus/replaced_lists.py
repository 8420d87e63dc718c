"""Lists that a loop puts in the place of others, lists of lists, and the objects that lists hold."""

import torch

from .program import counts, program, s, t


def steps():
    """Four numbers and how many trips: the first number decides most tests."""
    return [(t(1.0, -2.0, 3.0, 2.0), s(3)), (t(-1.0, 1.0, 2.0, -1.0), s(0)), (t(3.0, 1.0, -1.0, 1.0), s(5))]


class Path:
    def __init__(self, score):
        self.score = score
        self.last = None


@program(steps, "loop append")
def longer_by_one(x, n):
    out = []
    for i in range(n):
        out = [*out, x[i % 4] * 2]
    return out, len(out)


@program(steps, "loop append")
def longer_in_place(x, n):
    out = []
    for i in range(n):
        out += [x * i]
    return torch.stack(out) if out else x


@program(steps, "loop append")
def tuple_longer_by_one(x, n):
    out = ()
    for i in range(n):
        out = (*out, x[i % 4] * 2)
    return out


@program(steps, "loop append")
def shorter_by_a_test(x, n):
    active = [0, 1, 2, 3]
    k = 0
    while active and k < int(n):
        active = [i for i in active if x[i] > k - 1]
        k += 1
    return active, k


@program(steps, "loop append")
def queue_by_slices(x, n):
    queue = [x]
    total = x * 0
    k = 0
    while queue and k < n:
        head = queue[0]
        queue = queue[1:]
        total = total + head.abs() + 0.1
        k += 1
        if head.sum() < 6:
            queue = [*queue, head + 1, head + 2]
    return total, len(queue)


@program(steps, "loop append")
def chunks_flushed(x, n):
    out = []
    chunk = []
    for i in range(n):
        chunk.append(x * i)
        if (x * i).sum() > 4:
            out.append(chunk)
            chunk = []
    if chunk:
        out.append(chunk)
    return [torch.stack(c).sum(0) for c in out]


@program(steps, "loop append")
def chunks_flushed_otherwise(x, n):
    out = []
    chunk = []
    for i in range(n):
        if x[i % 4] > 0:
            chunk.append(x[i % 4] * 2)
        else:
            out.append(chunk)
            chunk = []
    return out, chunk


@program(steps, "loop append")
def longest_run(x, n):
    best = []
    current = []
    for i in range(n):
        if x[i % 4] > 0:
            current.append(i)
        else:
            current = []
        if len(current) > len(best):
            best = list(current)
    return best


@program(steps, "loop append")
def edit_distance(x, n):
    row = list(range(5))
    for i in range(n):
        new = [i + 1]
        for j in range(4):
            cost = 0 if x[j] > i else 1
            new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + cost))
        row = new
    return row[-1], row


@program(steps, "loop append")
def frontier_of_a_search(x, n):
    frontier = [0]
    seen = []
    while frontier and len(seen) < n:
        following = []
        for v in frontier:
            seen.append(v)
            for w in (2 * v + 1, 2 * v + 2):
                if w < 8 and x[w % 4] > 0:
                    following.append(w)
        frontier = following
    return seen


@program(steps, "loop append")
def none_or_a_list(x, n):
    best = None
    for i in range(n):
        found = [x[j] * 2 for j in range(i % 4) if x[j] > 0]
        if best is None or len(found) > len(best):
            best = found
    return best


@program(steps, "loop append")
def two_lists_exchanged(x, n):
    a = [x[0] * 2]
    b = []
    while len(a) < int(n):
        a, b = [*b, x[1] * 2], a
        if x[0] > 2:
            break
        a.append(x[2] * 2)
    return a, b


@program(steps, "loop append")
def all_of_another_list(x, n):
    values = [x[0] * 2]
    for i in range(n):
        values = [v * 1.1 for v in values] + [x[i % 4] * 2]
    return torch.stack(values), values[-1] * 2, max(values) * 2, len(values)


# -- lists in lists, objects in lists -----------------------------------------------------------


@program(steps, "loop append")
def rows_of_several_lengths(x, n):
    out = []
    for i in range(int(n)):
        row = []
        for j in range(i):
            row.append(x[0] * j)
        out.append(row)
    return out


@program(steps, "loop append")
def rows_by_a_test(x, n):
    out = []
    for i in range(int(n)):
        out.append([x[j] * i for j in range(4) if x[j] > i - 2])
    total = 0
    for row in out:
        for v in row:
            total = total + v
    return total, [len(row) for row in out]


@program(steps, "loop append")
def nothing_or_a_tensor(x, n):
    out = []
    for i in range(int(n)):
        out.append(x * i if x[0] * i < 2 else None)
    return [v.sum() if v is not None else -1 for v in out]


@program(steps, "loop append")
def dicts_in_a_list(x, n):
    out = []
    for i in range(int(n)):
        out.append({"score": x[i % 4] * i, "step": i})
    return out, sum(entry["score"] for entry in out)


@program(steps, "loop append")
def objects_in_a_list(x, n):
    paths = []
    for i in range(int(n)):
        path = Path(x[i % 4] * i)
        if x[i % 4] > 0:
            path.last = x[0]
        paths.append(path)
    total = x.sum()
    for path in paths:
        total = total + path.score
        if path.last is not None:
            total = total * path.last
    return total, len(paths)


# -- one list under two names -------------------------------------------------------------------


@program(steps, "loop append")
def earlier_name_of_a_list(x, n):
    current = []
    before = []
    for i in range(n):
        before = current
        current.append(x[0] * i)
    return before, current


@program(steps, "loop append")
def earlier_name_in_a_tuple(x, n):
    current = []
    before = (None, 0)
    for i in range(n):
        before = (current, i)
        current.append(x[0] * i)
    return before, current


@program(steps, "loop append")
def either_list(x, n):
    a = []
    b = []
    chosen = b
    for i in range(n):
        chosen = a if x[i % 4] > 0 else b
        a.append(x[0] * i)
        b.append(x[1] * i)
    return chosen, a, b


@program(steps, "loop append")
def earlier_name_of_an_object(x, n):
    path = Path(x[0] * 2)
    before = None
    for i in range(n):
        before = path
        path.score = path.score + i
    return (before.score if before is not None else None), path.score


@program(steps, "loop append")
def item_changed_in_place(x, n):
    out = []
    for i in range(int(n)):
        out.append([x[0] * i, x[1] * 2])
    if out:
        out[0][0] = x[3]
    return out


@program(steps, "loop append")
def list_changed_behind_its_append(x, n):
    out = []
    row = [x[0] * 2, x[1] * 2]
    for _ in range(int(n)):
        out.append(row)
    row[1] = x[2]
    return out


@program(steps, "loop append")
def start_changed_behind(x, n):
    first = current = [x[1] * 2]
    for _ in range(n):
        current = [*current, x[0] * 2]
    current.append(x[3])
    return first, current


# -- gradients of what no trip changed ----------------------------------------------------------


@program(steps, "loop")
def constant_that_no_trip_changed(x, n):
    total = torch.zeros(())
    for i in range(n):
        seen = False
        k = 0
        while not seen and k < 2:
            v = x[i % 4] * 2
            if v > 2:
                seen = True
            else:
                total = total + v
            k += 1
    return total


# -- results of several exits, and of none ------------------------------------------------------


@program(steps, "loop exits")
def tuples_from_several_exits(x, n):
    for i in range(int(n)):
        for j in range(4):
            if x[j] > i + 1:
                if j == 2:
                    return i, j, x[j] * 2
                break
        else:
            return -1, i, x.sum()
    return None


@program(steps, "loop append")
def best_of_some_or_none(x, n):
    found = [x[i % 4] * 2 for i in range(int(n)) if x[i % 4] > 0]
    return max(found, default=x.sum()), len(found)


@program(counts, "loop state", grad=False)
def start_of_a_carry_put_into_rows_then_changed(x, n):
    x = x * 1
    items, carried, i = [0], x, 0
    while True:
        items[0] = carried
        carried = x * 2
        i += 1
        if i >= n:
            break
    x.sub_(1)
    return items[0]


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, 4.0),), (t(-1.0, 0.5, 0.5),)], "loop append", grad=False)
def longer_in_the_inner_loop_than_behind_it(x):
    items, total, turns = [x], x * 0, 0
    while turns < 3:
        turns += 1
        turn = 0
        while True:
            turn += 1
            items.append(x * turn)
            if turn > 2 or x.mean().item() > 0:
                break
        total = total + items[-1] + len(items)
        items = [x, total]
        if total.sum().item() > 9:
            break
    return total
