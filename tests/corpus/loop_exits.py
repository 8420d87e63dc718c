"""break, continue, return from loops."""

import torch

from .program import counts, counts_python, ints, pairs, program, rand, s, signs, t


def ten():
    """Positive; the first, a middle and the last element negative."""
    out = []
    for k in (None, 0, 4, 9):
        x = torch.arange(1.0, 11.0)
        if k is not None:
            x[k] = -100.0
        out.append((x,))
    return out


@program(ten, "loop branch article inductor")
def article_d(x):
    for i in range(10):
        if x[i].item() < 0:
            break
        x = x + i
    return x


@program(ten, "loop branch")
def break_static(x):
    for i in range(10):
        if x[i] < 0:
            break
        x = x + i
    return x, i


@program(ten, "loop branch")
def continue_static(x):
    total = torch.zeros(())
    for v in x:
        if v < 0:
            continue
        total = total * 0.5 + v
    return total


@program(ten, "loop branch")
def return_static(x):
    for i in range(10):
        if x[i] < 0:
            return i
    return -1


@program(ten, "loop branch")
def return_tuple_static(x):
    for i, v in enumerate(x):
        if v < 0:
            return x * 2, i
        x = x + 1
    return x, None


def walks():
    return [(t(v, v + 1), s(n)) for v in (-1.5, 0.1, 0.7, 3.0, 20.0) for n in (0, 2, 9)]


@program(walks, "loop")
def break_in_dynamic_range(x, n):
    for i in range(int(n)):
        if x.max() > 5:
            break
        x = x * 2 + i
    return x


@program(walks, "loop")
def break_at_end_of_body(x, n):
    for i in range(int(n)):
        x = x * 2 + i
        if x.max() > 5:
            break
    return x


@program(walks, "loop")
def continue_in_dynamic_range(x, n):
    for i in range(int(n)):
        if i == 1:
            continue
        if x.max() > 5:
            continue
        x = x * 2 + i
    return x


@program(walks, "loop")
def return_in_dynamic_range(x, n):
    for i in range(int(n)):
        if x.max() > 5:
            return x, i
        x = x * 2 + i
    return x, -1


@program(walks, "loop")
def return_none_in_loop(x, n):
    for _ in range(int(n)):
        if x.max() > 5:
            return None
        x = x * 2
    return x


@program(walks, "loop")
def bare_return_at_end(x, n):
    for _ in range(int(n)):
        x = x * 2
        if x.max() > 5:
            return x


@program(walks, "loop")
def several_exits(x, n):
    for i in range(int(n)):
        if x.max() > 15:
            return x * 0
        if x.max() > 5:
            break
        if i == 1:
            continue
        x = x * 2 + i
    return x


@program(walks, "loop")
def exit_nested_in_branches(x, n):
    for i in range(int(n)):
        if x.max() > 1:
            if x.max() > 5:
                break
            x = x + 1
        else:
            x = x * 3
            if i > 0:
                continue
        x = x * 1.5
    return x


@program(walks, "loop")
def break_inner_only(x, n):
    count = 0
    for i in range(int(n)):
        for j in range(3):
            if x.max() > 5 + i:
                break
            x = x + j
            count += 1
    return x, count


@program(walks, "loop")
def return_from_inner(x, n):
    for i in range(int(n)):
        for j in range(3):
            x = x + 1
            if x.max() > 4:
                return x, i, j
    return x, -1, -1


@program(walks, "loop")
def continue_outer_by_flag(x, n):
    for i in range(int(n)):
        skip = False
        for j in range(2):
            if x.max() > 5:
                skip = True
                break
            x = x + j
        if skip:
            continue
        x = x * 2
    return x


@program(walks, "loop")
def while_with_break_and_continue(x, n):
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        if x.max() > 5:
            break
        x = x * 2
    return x, i


@program(ten, "loop branch random", grad=False)
def no_draw_after_exit(x):
    for i in range(3):
        x = x + torch.rand(10)
        if x[i] < 0:
            break
    return x + torch.rand(10)


@program(walks, "loop random", grad=False)
def no_draw_after_dynamic_exit(x, n):
    for _ in range(int(n)):
        if x.max() > 5:
            break
        x = x * 2 + torch.rand(2)
    return x + torch.rand(2)


@program(lambda: [(t(1.0, 2.0, -1.0, 5.0), s(9)), (t(1.0, 2.0, 3.0, -5.0), s(9)), (t(1.0, 2.0, 3.0, 4.0), s(2))], "loop")
def no_index_past_exit(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        if x[i] < 0:
            break
        total = total + x[i]
    return total


@program(lambda: [(ints(5, 3, 2, 7),), (ints(2, 2, 2, 2),), (ints(5, 5, 5, 5),)], "loop branch", grad=False)
def greedy_until_eos(ids):
    out = []
    for i in range(4):
        out.append(ids[i] * 2)
        if ids[i] == 2:
            break
    return torch.stack(out)


@program(lambda: [(rand(2, 5, seed=k),) for k in range(9)], "loop")
def decode_until_stop(logits):
    token = torch.zeros((), dtype=torch.int64)
    score = torch.zeros(())
    steps = 0
    while steps < 6:
        row = logits[token % 2] + score
        value, k = row.max(0)
        score = score + value.sigmoid()
        token = k
        steps += 1
        if token == 3:
            break
    return score, token, steps


@program(pairs, "loop branch")
def exit_from_static_zip(x, y):
    total = torch.zeros(())
    for a, b in zip(x, y):
        if a > b:
            break
        total = total + a * b
    return total


@program(signs, "loop branch")
def unrolled_with_different_bodies(x):
    for f in (torch.sin, torch.cos, torch.tanh):
        if x.sum() < -2:
            break
        x = f(x) - 1
    return x


@program(counts, "loop", python=counts_python)
def break_on_python_counter(x, n):
    for i in range(5):
        if i == n:
            break
        x = x + i
    return x


@program(walks, "loop")
def return_inside_with_in_loop(x, n):
    for _ in range(int(n)):
        with torch.no_grad():
            if x.max() > 5:
                return x
            x = x * 2
    return x - 1


class Step:
    def __init__(self, kept):
        self.kept = kept


@program(lambda: [(t(1.0, 2.0), s(n)) for n in (1, 4, 40)], "loop", grad=False)
def objects_of_the_last_trip(x, limit):
    step = None
    for _ in range(4):
        if step is not None:
            kept = [k + 1 for k in step.kept]
            x = torch.cat([x, kept[0] * 0.5])
            step = Step([*kept])
        else:
            step = Step([x * 2])
        if x.sum() > limit:
            break
    return x, step.kept
