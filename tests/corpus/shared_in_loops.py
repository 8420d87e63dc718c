"""One tensor, list or object under two names, one of which a loop changes or hands on."""

import torch

from .program import counts, program


@program(counts, "loop state", grad=False)
def augmented_assignment_to_an_input(x, n):
    y = x
    for _ in range(int(n)):
        y += 1
    return y * 2


@program(counts, "loop state")
def second_name_of_a_changed_tensor(x, n):
    y = x * 1
    z = y
    for _ in range(int(n)):
        y += 1
    return y, z


@program(counts, "loop state")
def changed_then_replaced(x, n):
    y = x * 1
    for _ in range(int(n)):
        y.mul_(2)
        y = y + 1
    return y


@program(counts, "loop state append", grad=False)
def appended_then_changed(x, n):
    out = []
    for _ in range(int(n)):
        out.append(x)
        x += 1
    return torch.stack(out) if out else x


@program(counts, "loop state append")
def appended_buffer(x, n):
    out, total = [], torch.zeros(3)
    for _ in range(int(n)):
        total.add_(x)
        out.append(total)
    return out, total


@program(counts, "loop state append")
def changed_in_the_same_trip(x, n):
    out = [x]
    for i in range(int(n)):
        y = x * i
        out.append(y)
        y.add_(1)
    return torch.stack(out)


@program(counts, "loop state append", grad=False)
def changed_behind_the_loop(x, n):
    out = [x * 2]
    for _ in range(int(n)):
        out.append(x)
    x.add_(10)
    return torch.stack(out)


@program(counts, "loop state append")
def item_changed_behind_the_loop(x, n):
    out = [x * 1]
    for _ in range(int(n)):
        out.append(out[-1] * 2)
    out[-1].add_(1)
    return torch.stack(out)


@program(counts, "loop state")
def two_carries_of_one_tensor(x, n):
    y, z = x * 1, x * 2
    for _ in range(int(n)):
        y = y + 1
        z = y
    y.add_(1)
    return y, z


@program(counts, "loop state", grad=False)
def carry_takes_an_input(x, n):
    y = x * 1
    for _ in range(int(n)):
        y = x
    x.add_(1)
    return y * 1


@program(counts, "loop state")
def swapped_then_changed(x, n):
    a, b = x * 1, x * 2
    for _ in range(int(n)):
        a, b = b, a
    a.add_(1)
    return a, b


@program(counts, "loop state append")
def two_names_of_a_growing_list(x, n):
    out = [x]
    other = out
    for _ in range(int(n)):
        out.append(x)
        other.append(x + 1)
    return len(out), other is out, torch.stack(other)


@program(counts, "loop state append")
def two_names_of_a_replaced_list(x, n):
    a = [x]
    b = a
    for i in range(int(n)):
        a = [x * i]
        b = a
    b.append(x)
    return len(a), len(b)


@program(counts, "loop state append")
def list_before_and_behind(x, n):
    a = [x]
    before = a
    for i in range(int(n)):
        a = [x * i]
    a.append(x)
    return len(a), len(before)


@program(counts, "loop state", grad=False)
def exchanged_and_kept(x, n):
    b, c = x + 1, x + 2
    for _ in range(int(n)):
        c, b = b, c
        c = b
    c.add_(0.5)
    return b, c


@program(counts, "loop state", grad=False)
def first_bound_in_the_loop_then_changed(x, n):
    y = x * 1
    z = None
    for _ in range(int(n)):
        z = y
    y.sub_(3)
    return z


@program(counts, "loop state", grad=False)
def pair_of_the_loop_then_changed(x, n):
    y, z, k = x * 1, (x, 0), 0
    while k < n:
        z = (y, k)
        k += 1
    y.sub_(3)
    return z


@program(counts, "loop state append", grad=False)
def longer_list_then_changed(x, n):
    y, out = x * 1, []
    for _ in range(int(n)):
        out = out + [y]
    y.sub_(3)
    return out


@program(counts, "loop state", grad=False)
def one_of_two_tensors_changed_under_another_name(x, n):
    y = x * 1
    c = y if n > 1 else y * 2
    table = {"p": c}
    for _ in range(int(n)):
        c[1:] += 2
        c = table["p"] * 1.0
    return c


@program(counts, "loop", grad=False)
def one_of_two_carries_behind_the_loop(x, n):
    a, b = x * 1, x * 2
    for i in range(int(n)):
        a = a + i
        if a.sum() > 8:
            b = a
    return a is b


@program(counts, "loop branch state", grad=False)
def either_of_two_changed_and_carried(x, n):
    """`z` is the same tensor as `y`, whichever that is, and the loop has it twice."""
    y = x * 1
    if n > 1:
        y = (x - 1).abs()
    z = y
    for _ in range(int(n)):
        z = z
        y.sub_(1)
        x = z.view(-1)
    return x * 2
