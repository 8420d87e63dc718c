"""else on loops."""

import torch

from .loop_exits import ten, walks
from .program import counts, program, t


@program(ten, "loop branch")
def static_for_else(x):
    for v in x:
        if v < 0:
            result = x * 0
            break
    else:
        result = x * 2
    return result


@program(walks, "loop")
def dynamic_for_else(x, n):
    for _ in range(int(n)):
        if x.max() > 5:
            break
        x = x * 2
    else:
        x = x + 100
    return x


@program(walks, "loop")
def while_else(x, n):
    i = 0
    while i < n:
        if x.max() > 5:
            break
        x = x * 2
        i += 1
    else:
        x = x + 100
    return x, i


@program(walks, "loop")
def else_with_return(x, n):
    for _ in range(int(n)):
        if x.max() > 5:
            break
        x = x * 2
    else:
        return x
    return x - 100


@program(walks, "loop")
def else_after_continue(x, n):
    for i in range(int(n)):
        if i % 2:
            continue
        if x.max() > 5:
            break
        x = x * 2
    else:
        x = x + 100
    return x


@program(walks, "loop")
def nested_else(x, n):
    for i in range(int(n)):
        for j in range(3):
            if x.max() > 5 + i:
                break
            x = x + j
        else:
            x = x * 2
            continue
        break
    else:
        x = x - 100
    return x


@program(counts, "loop")
def else_without_break(x, n):
    for _ in range(int(n)):
        x = x * 2
    else:
        x = x + 1
    return x


@program(lambda: [(t(4.0),), (t(7.0),), (t(2.0),), (t(9.0),)], "loop", grad=False)
def prime(n):
    k = 2
    while k * k <= n:
        if n % k == 0:
            answer = torch.zeros(())
            break
        k += 1
    else:
        answer = torch.ones(())
    return answer, k
