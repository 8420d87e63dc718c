"""Lists that grow in loops, comprehensions."""

import torch

from .program import counts, ints, program, rand, s, signs, t


@program(counts, "loop append")
def append_and_stack(x, n):
    out = [x]
    for i in range(int(n)):
        x = x + i
        out.append(x)
    return torch.stack(out)


@program(counts, "loop append")
def append_and_cat(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(x * i)
    return torch.cat(out, dim=0)


@program(counts, "loop append")
def length_of_list(x, n):
    out = []
    for i in range(int(n)):
        out.append(x * i)
    return x, len(out)


@program(counts, "loop append")
def last_of_list(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(out[-1] * 2)
    return out[-1]


@program(counts, "loop append")
def empty_list_tested(x, n):
    out = []
    for i in range(int(n)):
        out.append(x * i)
    if not out:
        return x
    return torch.stack(out).sum(0)


@program(counts, "loop append")
def list_of_numbers(x, n):
    out = []
    for i in range(int(n)):
        out.append(i * 2)
    return x, out


@program(counts, "loop append")
def list_of_tensors_returned(x, n):
    out = []
    for i in range(int(n)):
        out.append(x + i)
    return out


@program(counts, "loop append")
def reversed_list(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(x + i)
    return torch.stack(list(reversed(out)))


@program(counts, "loop append")
def two_lists(x, n):
    a, b = [x], [x]
    for i in range(int(n)):
        a.append(x * i)
        b.append(a[-1] + 1)
    return torch.stack(a) + torch.stack(b)


@program(lambda: [(t(1.0, 2.0),), (t(6.0, 1.0),), (t(0.1, 0.2),)], "loop append")
def append_in_while(x):
    out = [x]
    while x.sum() < 5:
        x = x * 2
        out.append(x)
    return torch.stack(out)


@program(counts, "loop append")
def append_in_branch_in_loop(x, n):
    out = [x]
    for i in range(int(n)):
        if i != 1:
            out.append(x * i)
    return torch.stack(out)


@program(signs, "branch append state")
def append_in_static_loop_under_test(x):
    out = [x]
    for i in range(3):
        if x[i] > 0:
            out.append(x * i)
    return torch.stack(out)


@program(signs, "branch append state")
def append_in_branch(x):
    out = [x]
    if x.sum() > 0:
        out.append(x + 1)
    return torch.cat(out)


@program(signs, "branch append state")
def append_in_both_branches(x):
    out = []
    if x.sum() > 0:
        out.append(x + 1)
    else:
        out.append(x - 1)
    out.append(x)
    return torch.stack(out)


@program(counts, "loop append")
def comprehension(x, n):
    return torch.stack([x * i for i in range(int(n) + 1)])


@program(counts, "loop append")
def comprehension_with_if(x, n):
    return torch.stack([x] + [x * i for i in range(int(n)) if i != 1])


@program(lambda: [(t(1.0, -2.0, 3.0),), (t(-1.0, -2.0, -3.0),)], "branch append")
def comprehension_with_tensor_if(x):
    kept = [v for v in x if v > 0]
    return len(kept)


@program(counts, "loop append")
def dict_comprehension(x, n):
    d = {i: x * i for i in range(int(n))}
    return len(d)


@program(counts, "loop append")
def sum_of_list(x, n):
    out = [x * i for i in range(int(n))]
    return sum(out) + x


@program(counts, "loop append")
def max_of_numbers(x, n):
    out = [0]
    for i in range(int(n)):
        out.append((i * 7) % 5)
    return x, max(out)


@program(counts, "loop append")
def index_into_list(x, n):
    out = [x, x + 1]
    for i in range(int(n)):
        out.append(out[i] + out[i + 1])
    return out[-1], out[0]


@program(counts, "loop append")
def iterate_over_grown_list(x, n):
    out = []
    for i in range(int(n)):
        out.append(x * i)
    total = x
    for v in out:
        total = total * 0.5 + v
    return total


@program(lambda: [(rand(3, 2, seed=1), ints(2, 0, 1)), (rand(3, 2, seed=1), ints(0, 0, 0))], "loop append", grad=False)
def tokens_of_rows(x, lengths):
    out = []
    for row, n in zip(x, lengths.tolist()):
        for _ in range(n):
            out.append(row)
    return torch.stack(out) if out else torch.zeros(0, 2)


@program(counts, "loop append")
def preallocated_buffer(x, n):
    out = torch.zeros(5, 3)
    for i in range(int(n)):
        out[i] = x * i
    return out


@program(counts, "loop append", grad=False)
def list_extend_and_pop(x, n):
    out = [x]
    for i in range(int(n)):
        out.extend([x * i, x])
        out.pop()
    return torch.stack(out)


@program(counts, "loop append inductor")
def slice_behind_known(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(x * i)
    rest = out[1:]
    rest.append(x)
    return torch.stack(rest).sum(0)


@program(counts, "loop append")
def slices_of_grown_list(x, n):
    out = [x, x + 1]
    for i in range(int(n)):
        out.append(x * i)
    out.append(x - 1)
    return torch.stack(out[-2:]), torch.stack(out[:-1]), torch.stack(out[1:4]), torch.stack(out[-1:]), out[:0]


@program(counts, "loop append")
def slices_by_numbers(x, n):
    out = []
    for i in range(int(n)):
        out.append(i * 2)
    return x, out[int(n) - 1 :], out[:-1], out[::2], out[-7:2]


@program(counts, "loop append")
def slice_of_grown_list_returned(x, n):
    out = [x * 2]
    for i in range(int(n)):
        if i % 2 == 0:
            out.append(x * i)
    return out[1:], len(out[::2])


@program(counts, "loop append inductor")
def last_two_in_the_loop(x, n):
    out = [x, x + 1]
    for _ in range(int(n)):
        out.append(torch.stack(out[-2:]).sum(0))
    return torch.stack(out)


@program(counts, "loop append")
def last_two_of_fewer_in_the_loop(x, n):
    out = [x]
    for _ in range(int(n)):
        out.append(torch.stack(out[-2:]).sum(0))
    return torch.stack(out)


@program(counts, "loop append", grad=False)
def slice_and_change(x, n):
    out = [x * 1, x + 1]
    for i in range(int(n)):
        out.append(x * i)
    part = out[-3:]
    part[0].add_(1)
    return torch.stack(out)


@program(signs, "loop append")
def any_item_of_a_bounded_loop(x):
    out = [x]
    for i in range(4):
        if out[i // 2].sum() > 5:
            break
        out.append(out[i // 2] + out[-1])
    return torch.stack(out)


def _integrals():
    return [(t(1.0, 2.0, 3.0), s(end)) for end in (1.0, 0.0, 3.0)]


@program(_integrals, "loop append")
def integrate_and_return_inside(y, end):
    ys, at, step = [y], torch.zeros(()), torch.tensor(0.2)
    while True:
        if at >= end:
            return torch.stack(ys)
        slope = -0.5 * y
        error = (step * (slope + 0.5 * (y + step * slope))).abs().max()
        if error < 0.02:
            y, at = y + step * slope, at + step
            ys.append(y)
        step = step * torch.clamp(0.9 * (0.02 / (error + 1e-8)).sqrt(), 0.3, 2.0)


@program(_integrals, "loop append")
def return_inside_or_behind(y, end):
    ys = []
    for i in range(int(end) + 1):
        y = y * 0.7
        ys.append(y)
        if y.sum() < 3:
            return torch.stack(ys), i
    return ys[-1], -1


@program(counts, "loop append")
def return_inside_two_loops(x, n):
    rows = [x]
    for i in range(int(n)):
        while x.sum() < 12 * i:
            x = x + 1
            if x[0] > 3:
                return torch.stack(rows)
        rows.append(x * i)
    return torch.stack(rows).sum(0)
@program(counts, "loop state")
def append_in_loop_in_branch(x, n):
    y = x
    if x[0] < n:
        out = [x]
        for i in range(int(n)):
            out.append(x * i)
        y = torch.stack(out).sum(0)
    return y


@program(counts, "loop state")
def appended_in_branch_and_returned(x, n):
    out = []
    if n != 1:
        for i in range(int(n)):
            out.append(x * i)
    return out, len(out)


@program(counts, "loop append inductor")
def grown_by_cat(x, n):
    y = x[None] * 1
    for i in range(int(n)):
        y = torch.cat([y, (x * i)[None]])
    return y.sum(0)


@program(counts, "loop append")
def grown_by_cat_twice(x, n):
    y, wide, left = x[None] * 1, x[:, None] * 1, int(n)
    while left > 0:
        y = torch.cat((y, (x * left)[None]))
        left -= 1
        y = torch.cat([y, (x + left)[None], (x - left)[None]], dim=0)
        wide = torch.cat([wide, (x + left)[:, None]], -1)
    return y, wide


@program(counts, "loop append", grad=False)
def grown_by_cat_and_read(x, n):
    y = x[None] * 1
    for _ in range(int(n)):
        y = torch.cat([y, y[-1:] * 2])
    return y


@program(counts, "loop append", grad=False)
def grown_by_cat_under_two_names(x, n):
    y = before = x[None] * 1
    for i in range(int(n)):
        before = y
        y = torch.cat([y, (x * i)[None]])
    return y, before


@program(counts, "loop append", grad=False)
def grown_by_cat_and_changed(x, n):
    start = x * 1
    y = start
    for i in range(int(n)):
        y = torch.cat([y, x * i])
    y.add_(1)
    return y, start
@program(counts, "loop state")
def inserted_in_front(x, n):
    out = [x]
    if x[0] < n:
        out.append(x * 2)
    out.insert(0, x - 1)
    for i in range(int(n)):
        out.append(x * i)
    out.insert(1, x - 2)
    return out


@program(counts, "loop append")
def augmented_assignment_in_loop(x, n):
    out, total = [], [x]
    for i in range(int(n)):
        out += [x * i, x + i]
        if x[0] > i:
            total += (x,)
    return out, sum(total)


@program(counts, "loop append")
def augmented_assignment_in_nested_loops(x, n):
    out = [x]
    for i in range(int(n)):
        row = []
        for j in range(int(n) - i):
            row += [x * j]
            if len(row) > 2:
                row.pop()
        out += row
    return torch.stack(out)


@program(counts, "loop append")
def augmented_assignment_until(x, n):
    out, turn = [x + 1], 0
    while True:
        turn += 1
        if turn > 2 or x.sum() > 20:
            break
        out += [x * 2]
        for _ in range(int(n) - 1):
            if len(out) > 1:
                out.pop()
    return out


@program(counts, "loop append")
def augmented_dict_in_loop(x, n):
    last = {"x": x}
    for i in range(int(n)):
        last |= {"x": x * i}
    return last["x"]


@program(counts, "loop append")
def list_of_a_length_of_the_data(x, n):
    best, seen = [-1] * int(n), (int(n) + 1) * [False]
    for i in range(int(n)):
        if x[i % 3] > 1:
            best[i] = i
            seen[i + 1] = True
    return best, seen, len([0] * (int(n) - 2)), torch.stack([x] + [x * 2] * int(n))


@program(counts, "loop", grad=False)
def lists_of_lengths_and_sizes_returned(x, n):
    parts, flags = [], []
    for i in range(int(n)):
        parts.append(x[: i + 1] * 2)
        if x[i] > 1:
            flags.append(i)
    return {"parts": parts, "flags": flags}, x.sum()


@program(lambda: [(t(3.0, 4.0),), (t(0.0, 0.0),), (t(0.5, 0.0),)], "loop append")
def stacked_or_nothing(x):
    norms = []
    while x.norm() > 0.1:
        x = x * 0.5
        norms.append(x.norm())
    return torch.stack(norms) if norms else torch.zeros(0)


@program(lambda: [(t(2.0, 3.0),), (t(-2.0, 3.0),), (t(1.0, 2.0),)], "loop", grad=False)
def changed_and_inserted(x):
    items, row, turn = [x], x * 2, 0
    while turn < x[0]:
        turn += 1
        row[0] = turn
        items.insert(0, row)
    return items, row


@program(lambda: [(t(2.0, 3.0),), (t(-2.0, 3.0),), (t(1.0, 2.0),)], "loop", grad=False)
def inserted_and_changed(x):
    items, row, turn = [x], x * 2, 0
    while turn < x[0]:
        turn += 1
        items.insert(0, row)
        items[-1] = x
        row[0] = turn
    return items, row


@program(lambda: [(t(2.0, 3.0),), (t(-2.0, 3.0),), (t(1.0, 2.0),)], "loop", grad=False)
def new_one_inserted_and_changed(x):
    items, turn = [x], 0
    while turn < x[0]:
        turn += 1
        row = x + turn
        items.insert(0, row)
        row[0] = turn
    return torch.stack(items)
