"""One of a container's items, by an index or a key that comes out of tensors."""

import torch
import torch.nn.functional as F
from torch import nn

from .program import counts, factory, ints, program, rand, s, t


def places():
    """The greatest entry at 2, 0 and 1."""
    return [(t(0.0, 1.0, 5.0),), (t(0.0, -7.0, -1.0),), (t(1.0, 9.0, 5.0),)]


class Heads(nn.Module):
    def __init__(self, forward):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))
        self.named = nn.ModuleDict({str(i): nn.Linear(3, 3) for i in range(2)})
        self.scales = nn.ParameterList(nn.Parameter(torch.full((3,), float(i + 1))) for i in range(3))
        self.head0, self.head1 = nn.Linear(3, 3), nn.Linear(3, 3)
        self.forward_of = forward

    def forward(self, *args):
        return self.forward_of(self, *args)


@factory(places, "branch inductor")
def module_by_tensor():
    return Heads(lambda self, x: self.layers[x.argmax()](x))


@factory(places, "branch")
def module_by_negative_number():
    return Heads(lambda self, x: self.layers[-1 - int(x.argmax())](x))


@factory(places, "branch")
def parameter_by_number():
    return Heads(lambda self, x: self.scales[int(x.argmax())] * x)


@factory(places, "branch raises", grad=False)
def module_by_string():
    return Heads(lambda self, x: self.named[str(int(x.argmax()))](x))


@factory(places, "branch")
def module_by_f_string_if_there():
    def forward(self, x):
        key = f"{x.argmax().item() * 2}"
        if key in self.named:
            return self.named[key](x)
        return x * 2

    return Heads(forward)


@factory(places, "branch")
def attribute_by_name():
    return Heads(lambda self, x: getattr(self, f"head{int(x.argmax() > 0)}")(x))


@factory(places, "branch")
def attribute_by_name_or_default():
    def forward(self, x):
        name = f"head{int(x.argmax())}"
        head = getattr(self, name, None)
        if hasattr(self, name):
            x = x + 1
        return x if head is None else head(x)

    return Heads(forward)


@factory(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (2, 0, 1)], "loop")
def modules_in_a_loop():
    def forward(self, x, n):
        for i in range(int(n)):
            x = self.named[str(i)](self.layers[i](x))
        return x

    return Heads(forward)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.gate = nn.Linear(4, 3, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 4)) for _ in range(3))

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.gate(x), dim=1), 2, dim=-1)
        mask = F.one_hot(chosen, num_classes=3).permute(2, 1, 0)
        out = torch.zeros_like(x)
        for expert in (mask.sum(dim=(-1, -2)) > 0).nonzero():
            slot, token = torch.where(mask[expert].squeeze(0))
            out.index_add_(0, token, self.experts[expert](x[token]) * weights[token, slot, None])
        return out


@factory(lambda: [(rand(5, 4),), (rand(5, 4)[:1].expand(5, 4).clone(),)], "loop")
def experts_that_were_hit():
    return Experts()


@program(places, "branch raises", grad=False)
def entry_by_tuple(x):
    table = {(0, 1): x, (1, 0): x + 1, (2, 1): x * 3}
    return table[int(x.argmax()), int(x.argmin())]


@program(places, "branch")
def get_by_tuple(x):
    table = {(0, 1): x * 2, (1, 0): x + 1}
    return table.get((int(x.argmax()), int(x.argmin())), x * 9), table.get((int(x.argmax()), 7))


@program(places, "branch")
def get_by_number(x):
    table = {0: x * 2, 1: x + 1, "2": x}
    return table.get(int(x.argmax()), x * 9), table.get(str(x.argmax().item()))


@program(places, "branch")
def key_of_two_numbers(x):
    a, b = int(x.argmax()), int(x.argmin())
    table = {"0_1": x * 2, "1_0": x + 1, "20": x * 3, "0": x}
    y = table[f"{a}_{b}"] if f"{a}_{b}" in table else x
    return y + table.get(f"{a}{b}", x)


@program(counts, "loop state")
def counted_by_key(x, n):
    seen = {0: 0, 1: 0, 2: 0}
    for i in range(3):
        seen[(i + int(n)) % 3] += i
    return seen, x * seen[1]


@program(places, "state")
def item_stored(x):
    items = [x, x + 1, x * 2]
    items[int(x.argmax())] = x * 5
    items[-1 - x.argmin()] = x - 5
    return items


@program(places, "state raises", grad=False)
def item_stored_out_of_range(x):
    items = [x, x + 1]
    items[x.argmax()] = x * 5
    return items


@program(lambda: [(ints(1, 0, 2), [10, 20, 30]), (ints(2, 2, 0), [10, 20, 30])], "state", grad=False)
def callers_list_stored(order, totals):
    for i in range(3):
        totals[int(order[i])] += i
    return order + 1


@program(places, "state", grad=False)
def new_key_of_the_data(x):
    table = {0: x}
    table[int(x.argmax())] = x * 5
    return table
