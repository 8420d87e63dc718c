"""Python values that are one constant or another: strings, names, keys, dimensions."""

import torch
from torch import nn

from .program import factory, program, s, signs, t, three


@program(signs, "branch python_out")
def one_part(x):
    mode = "up" if x.sum() > 0 else "down"
    return x, f"mode: {mode}"


@program(three, "branch python_out")
def two_parts(x):
    mode = "up" if x.sum() > 0 else "down"
    size = "large" if x.abs().max() > 1 else "small"
    return x, f"<{mode}|{size!r:>10}>{mode}"


@program(signs, "branch python_out")
def with_number(x):
    mode = "up" if x.sum() > 0 else "down"
    return x, f"{mode}: {x.sum().item():.2f} {x.shape[0]}"


@program(signs, "branch python_out")
def number_only(x):
    k = 3 if x.sum() > 0 else 4
    return x, f"k={k} {k:03d}"


@program(signs, "branch python_out")
def percent(x):
    mode = "up" if x.sum() > 0 else "down"
    return x, "%s-%s" % (mode, "a"), "{}/{m}".format(mode, m=mode), mode + "!", mode.upper(), "-".join([mode, "b"])


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.head_up = nn.Linear(3, 2)
        self.head_down = nn.Linear(3, 2)
        self.scales = {"scale_up": 2.0, "scale_down": 3.0}

    def forward(self, x):
        mode = "up" if x.sum() > 0 else "down"
        y = getattr(self, f"head_{mode}")(x)
        return y * self.scales[f"scale_{mode}"]


@factory(signs, "branch")
def attribute_by_name():
    return Heads()


@program(signs, "branch python_out")
def compared(x):
    mode = "up" if x.sum() > 0 else "down"
    name = f"go {mode}"
    if name == "go up":
        return x * 2, len(name)
    return x, len(name)


@program(signs, "branch python_out")
def none_or(x):
    best = x.max().item() if x.sum() > 0 else None
    return x, f"best: {best}"


@program(signs, "branch raises")
def in_message(x):
    mode = "up" if x.sum() > 0 else "down"
    if x.sum() < 0:
        raise ValueError(f"cannot go {mode}")
    return x


@program(signs, "branch python_out")
def lookups(x):
    mode = "up" if x.sum() > 0 else "down"
    table = {"up": 2.0}
    rows = ["down", "up"]
    return x * table.get(mode, 3.0), rows.index(mode), ("up", "x").count(mode), mode in table, mode.startswith("u"), "upper".startswith(mode), mode in rows, "p" in mode


class Bag:
    pass


@program(signs, "branch python_out")
def attributes_by_name(x):
    bag = Bag()
    bag.up = 1
    mode = "up" if x.sum() > 0 else "down"
    return x, hasattr(bag, mode), getattr(bag, mode, None)


@program(signs, "branch python_out")
def key_chosen(x):
    key = 0 if x.sum() > 0 else 1
    scales = {0: 2.0, 1: 4.0}
    pair = (x, x + 1)
    return pair[key] * scales[key]


@program(signs, "branch python_out")
def stored(x):
    mode = "up" if x.sum() > 0 else "down"
    rows = ["a"]
    rows.append(mode)
    d = {"m": mode}
    d.update(k=mode)
    return x, rows, d


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (1, 5, 2, 7)], "branch python_out raises")
def entry_of_data(x, n):
    table = {1: x, 2: x * 2, 5: x * 3, "a": 4}
    return table[int(n)] + 1


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (1, 5)], "branch")
def no_number_among_keys(x, n):
    table = {"a": 1.0, "b": 2.0}
    key = "a" if n > 2 else "b"
    return x * table[key]


@program(signs, "branch")
def alpha(x):
    return torch.add(x, x, alpha=2 if x.sum() > 0 else 3) + x.add(x, alpha=1.5 if x.sum() > 0 else 0.5)


@program(lambda: [(t(1.0, 2.0, 3.0, 4.0).view(2, 2),), (-t(1.0, 2.0, 3.0, 4.0).view(2, 2),)], "branch")
def dimension(x):
    k = 0 if x.sum() > 0 else 1
    return x.sum(k), x.softmax(dim=k), torch.cat([x, x], dim=k), x.transpose(k, 1), torch.stack([x, x], k), x.mean(dim=-1 if x.sum() > 0 else 0, keepdim=bool(x[0, 0] > 0))


@program(lambda: [(t(1.0, 2.0, 3.0, 4.0).view(2, 2),), (-t(1.0, 2.0, 3.0, 4.0).view(2, 2),)], "branch")
def keepdim(x):
    return x.sum(dim=1, keepdim=True if x.sum() > 0 else False)
