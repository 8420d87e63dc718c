"""Loops in loops in branches in loops."""

import torch

from .program import counts, ints, program, rand, s, signs, t


def grids():
    return [(t(v, 2 * v), s(a), s(b)) for a, b in ((2, 3), (0, 3), (3, 0), (1, 1), (4, 9)) for v in (1.0, 6.0)]


@program(grids, "loop inductor")
def for_in_for(x, n, m):
    for i in range(int(n)):
        for j in range(int(m)):
            x = x + i * j
        x = x * 1.5
    return x


@program(grids, "loop")
def inner_bound_depends_on_outer(x, n, m):
    for i in range(int(n)):
        for _ in range(i + int(m)):
            x = x + i
    return x


@program(grids, "loop")
def while_in_for(x, n, m):
    for i in range(int(n)):
        k = int(m)
        while k > i:
            x = x * 1.1
            k -= 1
    return x


@program(grids, "loop")
def for_in_while(x, n, m):
    while x.max() < 10 and n > 0:
        for i in range(int(m)):
            x = x + i
        n = n - 1
    return x


@program(grids, "loop")
def branch_in_loop(x, n, m):
    for i in range(int(n)):
        if x.sum() > m:
            x = x - i
        else:
            x = x * 2
    return x


@program(grids, "loop")
def loop_in_branch(x, n, m):
    if n > m:
        for i in range(int(n)):
            x = x + i
    else:
        while x.sum() < 10:
            x = x * 2
    return x


@program(grids, "loop")
def loop_in_branch_in_loop(x, n, m):
    for i in range(int(n)):
        if x.max() < 4:
            for j in range(int(m)):
                x = x + j
        else:
            x = x / 2
    return x


@program(grids, "loop")
def depth_three(x, n, m):
    count = 0
    for i in range(int(n)):
        for j in range(int(m)):
            while x.max() > 3:
                x = x / 2
                count += 1
            x = x + i + j
    return x, count


@program(lambda: [(t(v, 2 * v), s(k)) for k in (0, 1, 2) for v in (1.0, -1.0)], "loop")
def depth_five(x, n):
    for a in range(int(n)):
        if x.sum() > a:
            for b in range(int(n)):
                while x.max() < 5:
                    if b > 0:
                        x = x + 2
                    else:
                        x = x + 1
                x = x - b
        else:
            x = x + 1
    return x


@program(grids, "loop")
def shared_names(x, n, m):
    i = 5
    total = x
    for i in range(int(n)):
        for k in range(int(m)):
            total = total + i
            i = i + k
        total = total * 2 + i
    return total, i


@program(lambda: [(rand(3, 3, seed=1), ints(2, 3)), (rand(3, 3, seed=1), ints(0, 0)), (rand(3, 3, seed=1), ints(3, 1))], "loop")
def matrix_walk(m, size):
    rows, cols = size.tolist()
    total = torch.zeros(())
    for i in range(rows):
        for j in range(cols):
            if m[i, j] > 0:
                total = total + m[i, j]
            else:
                total = total * 0.5
    return total


@program(signs, "loop branch")
def static_in_static_with_break(x):
    for i in range(3):
        for j in range(3):
            if x[i] + j < 0:
                break
            x = x + 0.1 * j
        else:
            x = x * 0.9
    return x


@program(counts, "loop")
def two_loops_in_sequence(x, n):
    for i in range(int(n)):
        x = x + i
    while x.sum() > 3:
        x = x / 2
    for _ in range(int(n)):
        x = x - 1
    return x


@program(counts, "loop")
def loop_through_helpers(x, n):
    def inner(v):
        while v.sum() > 3:
            v = v / 2
        return v

    for i in range(int(n)):
        x = inner(x + i)
    return x


@program(lambda: [(t(1.0, 9.0, 4.0),), (t(3.0, 2.0, 1.0),), (t(1.0, 2.0, 3.0),)], "loop", grad=False)
def bubble_sort(x):
    x = x.clone()
    swapped = True
    while swapped:
        swapped = False
        for i in range(2):
            if x[i] > x[i + 1]:
                a, b = x[i].clone(), x[i + 1].clone()
                x[i] = b
                x[i + 1] = a
                swapped = True
    return x


def recursion_inputs():
    return [(t(v), s(n)) for v, n in ((1.0, 3), (1.0, 0), (8.0, 2))]


@program(recursion_inputs, "loop recursion")
def tail_recursion(x, n):
    def go(v, k):
        if k <= 0:
            return v
        return go(v * 2, k - 1)

    return go(x, n)


@program(recursion_inputs, "loop recursion")
def linear_recursion(x, n):
    def go(v, k):
        if k <= 0:
            return v
        return v + go(v * 2, k - 1)

    return go(x, n)
