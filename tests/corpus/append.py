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
