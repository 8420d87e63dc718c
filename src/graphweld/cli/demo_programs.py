"""The programs that `graphweld demo` runs: plain eager PyTorch, each written as a person writes it."""

import torch


def branch_on_item(x):
    """(a) A branch on a Python number taken out of a tensor."""
    if x.sum().item() > 0:
        return x + 1
    else:
        return x - 1


def branch_on_tensor(x):
    """(b) The same branch on the tensor itself."""
    if x.sum() > 0:
        return x + 1
    else:
        return x - 1


def count_from_tensor(x):
    """(c) A loop whose number of rounds comes out of a tensor."""
    n = int(x.sum().item())
    for i in range(n):
        x = x + i
    return x


def stop_at_negative(x):
    """(d) A loop that stops where a tensor says so."""
    for i in range(10):
        if x[i].item() < 0:
            break
        x = x + i
    return x


def stack_of_three(x):
    """(e) A list filled in a loop of fixed length."""
    ys = []
    for i in [1, 2, 3]:
        ys.append(x + i)
    return torch.stack(ys)
