"""Branches in code as it is organized: calls, classes, modules, containers that are joined."""

import functools
import operator

import torch
import torch.nn.functional as F
from torch import nn

from .program import factory, matrices, pairs, program, s, signs, t, three, vectors


# call conventions

def pos_only(a, b, /, c=3, *args, d, e=5, **kw):
    if a.sum() > 0:
        return a * b + c + sum(args) + d + e + kw.get("z", 0)
    return a - b


@program(signs, "branch")
def signatures(x):
    return pos_only(x, x + 1, d=2) + pos_only(x, x, 1, 2, 3, d=4, e=6, z=7)


class Base(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x


class Child(Base):
    def forward(self, x):
        y = super().forward(x)
        if y.mean() > 1:
            return super(Child, self).forward(y) + __class__.bias()
        return y
    @staticmethod
    def bias():
        return 1.0


@factory(three, "branch")
def super_and_class():
    return Child()


class CallableObj:
    scale = 2.0
    def __call__(self, x, k=1):
        return x * self.scale if x.sum() > 0 else x * k


@factory(signs, "branch")
def callable_object():
    return CallableObj()


@factory(signs, "branch")
def partial_object():
    def f(k, x, *, b):
        if x.sum() > 0:
            return x * k + b
        return x
    return functools.partial(f, 3.0, b=1.0)


@program(three, "branch")
def map_filter_reduce(x):
    f = lambda v: v * 2 if v.sum() > 0 else v
    ys = list(map(f, [x, x - 1]))
    return functools.reduce(operator.add, ys)


@program(three, "branch")
def sorted_by_key(x):
    # a comparison of tensors steers sorting
    return torch.stack(sorted([x[0], x[1], x[2]], key=lambda v: -v.item() if False else 0))

# joins

@program(signs, "branch python_out")
def nested_structures(x):
    if x.sum() > 0:
        r = {"a": (x, [x + 1, None]), "b": 1.5, "c": "up"}
    else:
        r = {"a": (x * 2, [x, None]), "b": 2.5, "c": "down"}
    return r


@program(signs, "branch python_out")
def different_lengths(x):
    if x.sum() > 0:
        r = (x, x + 1)
    else:
        r = (x, x + 1, x + 2)
    return r


@program(signs, "branch python_out")
def different_keys(x):
    out = {"x": x}
    if x.sum() > 0:
        out["extra"] = x * 2
    return out


@program(signs, "branch")
def dtype_differs(x):
    y = x.double() if x.sum() > 0 else x
    return y + 1


@program(signs, "branch")
def size_differs(x):
    y = torch.cat([x, x]) if x.sum() > 0 else x[:1]
    return (y * 2).sum(), y


@program(matrices, "branch")
def layout_differs(x):
    y = x.t().contiguous().t() if x.sum() > 0 else x
    return y * 2


@program(signs, "branch python_out")
def none_tensor_number(x):
    if x.sum() > 5:
        r = None
    elif x.sum() > 0:
        r = 3
    else:
        r = x
    return r


@program(three, "branch python_out")
def bool_int_float(x):
    if x.sum() > 5:
        v = True
    elif x.sum() > 0:
        v = 2
    else:
        v = 2.5
    return v, x * v


@program(signs, "branch")
def view_and_mutate(x):
    y = x.clone()
    v = y[1:] if x.sum() > 0 else y[:2]
    v.add_(10)
    return y


@program(signs, "branch")
def pass_through_mutated_later(x):
    y = x * 1
    z = y if x.sum() > 0 else y * 2
    z.mul_(3)
    return y, z


@program(signs, "branch state", grad=False)
def argument_mutated(x):
    if x.sum() > 0:
        x.add_(1)
    else:
        x[0] = 5
    return x * 2


@program(signs, "branch python_out")
def enums_dtypes_devices(x):
    dt = torch.float64 if x.sum() > 0 else torch.int32
    return x.to(dt), dt, x.device


@program(signs, "branch")
def function_chosen(x):
    act = F.relu if x.sum() > 0 else F.gelu
    mod = {True: torch.sin, False: torch.cos}[bool(x[0] > 0)]
    return act(x) + mod(x)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.heads = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.named = nn.ModuleDict({"p": nn.Linear(3, 3), "n": nn.Linear(3, 3)})
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        head = self.a if x.sum() > 0 else self.b
        y = head(x)
        i = 0 if y.mean() > 0 else 1
        y = self.heads[i](y)
        y = self.named["p" if x[0] > 0 else "n"](y)
        if y.sum() > 0:
            self.count += 1
        return y * (self.count + 1)


@factory(lambda: [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, -3.0),), (t(1.0, 2.0, 3.0),)], "branch state")
def module_chosen():
    return TwoHeads()


@factory(lambda: [(t(1.0, 2.0, 3.0), s(0)), (t(1.0, 2.0, 3.0), s(1))], "branch")
def module_by_data_index():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.experts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        def forward(self, x, i):
            return self.experts[int(i)](x)
    return M()


class Train(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.lin = nn.Linear(3, 3)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        y = self.lin(x)
        if self.training and y.sum() > 0:
            y = self.drop(y)
        elif not self.training or y.sum() > -1:
            y = y * 2
        return y


@factory(lambda: [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, -3.0),)], "branch")
def training_flag():
    return Train()


@program(vectors, "branch", sizes=vectors)
def sizes_dynamic(x):
    n = x.shape[0]
    if x.sum() > 0:
        y = x.view(1, n).expand(2, n).sum(0)
    else:
        y = x * n
    return y / n


@program(signs, "branch raises")
def asserts_and_raises(x):
    assert x.numel() == 3
    if x.sum() < 0:
        raise ValueError(f"bad {x.shape}")
    return x


@program(three, "branch random", grad=False)
def random_in_branch(x):
    if x.sum() > 1:
        y = x + torch.rand(3)
    elif x.sum() > 0:
        y = F.dropout(x, 0.5)
    else:
        y = torch.randn_like(x)
    return y * torch.rand(())


@program(three, "branch")
def dropout_grad(x):
    if x.sum() > 0:
        y = F.dropout(x * 2, 0.5)
    else:
        y = x
    return y + F.dropout(x, 0.3)


@program(three, "branch")
def requires_grad_one_side(x):
    if x.sum() > 0:
        y = x.detach() * 2
        k = 1
    else:
        y = x * 3
        k = 2
    return y, k, y.sum() * k


@program(three, "branch")
def try_finally(x):
    out = []
    try:
        if x.sum() > 0:
            return x * 2
        y = x + 1
    finally:
        out.append(1)
    return y * len(out)


@program(three, "branch")
def for_with_branch_and_else(x):
    for k in (1, 2, 3):
        if x.sum() > k * 3:
            x = x - k
        else:
            x = x + k
    else:
        x = x * 2
    return x


@program(three, "branch")
def comprehension_condexp(x):
    return torch.stack([v * 2 if v > 0 else v - 1 for v in x]) + sum([1 if v > 1 else 2 for v in x])


@program(pairs, "branch")
def and_or_values(x, y):
    a = x.sum() > 0 and y.sum() > 0
    b = x.sum() > 0 or y
    c = None or (x if y.sum() > 0 else y)
    return b if isinstance(b, torch.Tensor) and b.dim() else c, c + a


@program(three, "branch", grad=False)
def complex_dtype(x):
    z = torch.complex(x, x * 2) if x.sum() > 0 else torch.complex(x, -x)
    return z * 2, z.abs()


@program(three, "branch")
def global_function_alias(x):
    f = helper_alias
    return f(x)


def helper(x):
    return x * 2 if x.sum() > 0 else x
helper_alias = helper


@program(three, "branch python_out")
def item_returned(x):
    v = x.sum().item()
    if v > 1:
        return v
    return x.max().item() if v > 0 else -1.0


@program(three, "branch")
def inner_class_state(x):
    class Acc:
        total = 0
    acc = Acc()
    if x.sum() > 0:
        acc.total = x.sum()
    else:
        acc.total = x.sum() * 2
    return x * acc.total


@program(signs, "branch python_out")
def type_and_isinstance(x):
    v = x if x.sum() > 0 else 3
    if isinstance(v, torch.Tensor):
        r = "tensor"
    else:
        r = "number"
    return r, v is None, type(x)


@program(three, "branch python_out")
def string_match(x):
    mode = "big" if x.sum() > 1 else ("small" if x.sum() > 0 else "neg")
    match mode:
        case "big":
            return x * 2
        case "small":
            return x
    return -x


@program(signs, "branch")
def ternary_default_arg(x, scale=None):
    scale = scale or (2.0 if x.sum() > 0 else 4.0)
    return x * scale
