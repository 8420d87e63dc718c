"""What Python users write around a branch: patterns, walrus, returns, dataclasses, context managers, generators."""

import collections
import contextlib
import dataclasses
import functools
import math
import typing

import torch
from torch import nn

from .program import factory, pairs, program, s, signs, t, three


# 1 match with guards, capture patterns, or-patterns

@program(three, "branch")
def match_tuple_guard(x):
    match (x.sum().item() > 0, x.abs().max() > 1):
        case (True, b) if b:
            return x * 2
        case (True, _):
            return x + 1
        case _:
            return x - 1


@program(three, "branch")
def match_value_of_data(x):
    n = int(x.sum())
    match n:
        case 6 | 7:
            return x * 2
        case -6:
            return x * 3
        case k if k > 100:
            return x
        case k:
            return x + k


@program(pairs, "branch")
def match_dict(x, y):
    cfg = {"mode": "a", "x": x}
    match cfg:
        case {"mode": "a", "x": v} if v.sum() > 0:
            out = v + y
        case {"mode": "a", **rest}:
            out = rest["x"] - y
    return out

# 2 walrus

@program(three, "branch")
def walrus_chain(x):
    if (m := x.mean()) > 1 and (d := x.max() - m) > 0.5:
        return x * d
    return x + m


@program(three, "branch")
def walrus_in_condexp(x):
    y = (a := x * 2) if x.sum() > 1 else (a := x * 3)
    return y + a


@program(three, "branch")
def walrus_elif(x):
    if (m := x.max()) > 2.5:
        y = m
    elif (m := x.min()) < -2:
        y = m * 10
    else:
        y = m * 100
    return y, m * 1

# 3 chained comparisons

@program(three, "branch")
def chained_mixed(x):
    if 0 < x[0] <= x[1] < x.sum() < 100:
        return x * 2
    return x


@program(three, "branch python_out")
def chained_value(x):
    r = -10 < x.sum() < 3
    return x, bool(r), 1 < 2 < x[0].item()

# 4 early returns nested 4 deep

def _products():
    xs = [(1.0, 2.0, 3.0), (0.2, 3.0, 4.0), (-1.0, -2.0, -3.0)]
    ys = [(0.5, -0.25, 4.0), (0.05, 1.0, 2.0), (-1.0, 2.0, -5.0), (-1.0, -2.0, -3.0)]
    return [(t(*x), t(*y)) for x in xs for y in ys]


@program(_products, "branch")
def nested_returns(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            if x[0] > 0.5:
                if y[0] > 0.1:
                    return x + y
                z = x * y
            else:
                return x
            return z * 2
        elif y[1] > 0:
            return y
    else:
        if y.sum() > 0:
            return -x
    return x - y


@program(lambda: [*three(), (t(200.0, 2.0, 3.0),)], "branch")
def return_none_on_path(x):
    if x.sum() > 1:
        if x[0] > 100:
            return
        return x
    if x.sum() < 0:
        return None
    return x * 2

# 5 dataclasses, namedtuples joined
@dataclasses.dataclass
class State:
    h: torch.Tensor
    c: typing.Optional[torch.Tensor] = None
    step: int = 0
    tag: str = "init"

    def advance(self, x):
        if x.sum() > 0:
            return dataclasses.replace(self, h=self.h + x, step=self.step + 1, tag="up")
        return State(self.h - x, c=x, step=self.step + 2, tag="down")


@program(signs, "branch python_out")
def dataclass_method(x):
    st = State(x * 0)
    st = st.advance(x)
    st = st.advance(x * 2)
    return st.h, st.c, st.step, st.tag

@dataclasses.dataclass(frozen=True)
class Frozen:
    a: torch.Tensor
    b: float


@program(signs, "branch python_out")
def frozen_dataclass(x):
    f = Frozen(x, 1.0) if x.sum() > 0 else Frozen(x * 2, 2.0)
    return f.a * f.b, f.b


class NT(typing.NamedTuple):
    loss: torch.Tensor
    name: str = "n"


@program(signs, "branch python_out")
def namedtuple_typing(x):
    if x.sum() > 0:
        r = NT(x.sum(), "pos")
    else:
        r = NT(x.sum() * 2)
    a, b = r
    return r, a + 1, b, r._replace(name="z")

Pair = collections.namedtuple("Pair", "first second")


@program(signs, "branch python_out")
def namedtuple_nested(x):
    p = Pair(x, [x, {"k": x * 2}]) if x.sum() > 0 else Pair(x + 1, [x * 3, {"k": x}])
    return p, p.second[1]["k"] + p.first

# 6 properties, decorators, contextmanagers

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.lin = nn.Linear(3, 3)
        self.calls = 0

    @property
    def gain(self):
        return 2.0 if self.calls % 2 else 0.5

    @functools.cached_property
    def fixed(self):
        return 3.0

    @staticmethod
    def clip(v):
        return v.clamp(max=1.0) if v.max() > 1 else v

    @classmethod
    def make(cls, v):
        return v * 2 if v.sum() > 0 else v

    def forward(self, x):
        self.calls += 1
        h = self.lin(x) * self.gain * self.fixed
        return self.clip(self.make(h))


@factory(lambda: [*signs(), (t(0.01, 0.02, 0.03),), (t(-0.1, 0.2, -0.3),)], "branch state")
def module_with_properties():
    return Model()


def twice(fn):
    @functools.wraps(fn)
    def inner(x, *a, **k):
        y = fn(x, *a, **k)
        if y.sum() > 5:
            return y
        return fn(y, *a, **k)
    return inner

@twice
def decorated_step(x, *, scale=2.0):
    return x * scale if x.sum() > 0 else x - scale


@program(three, "branch")
def decorated(x):
    return decorated_step(x) + decorated_step(x, scale=3.0)


def scaled(k):
    def deco(fn):
        def inner(x):
            return fn(x) * k if x[0] > 0 else fn(x)
        return inner
    return deco

@scaled(2)
@scaled(3)
def doubly(x):
    if x.sum() > 1:
        return x
    return x + 1


@program(three, "branch")
def stacked_decorators(x):
    return doubly(x)

@contextlib.contextmanager
def shifted(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    yield y


@program(signs, "branch")
def generator_contextmanager(x):
    with shifted(x) as y:
        if y[0] > 0:
            z = y * 2
        else:
            z = y
    return z


class Ctx:
    def __init__(self, x): self.x = x
    def __enter__(self): return self.x * 2 if self.x.sum() > 0 else self.x
    def __exit__(self, *a): return False


@program(signs, "branch")
def class_contextmanager(x):
    with Ctx(x) as y, torch.no_grad():
        k = 2.0 if y.sum() > 0 else 3.0
    return x * k

@torch.no_grad()
def frozen_scale(x):
    if x.sum() > 0:
        return x.mean()
    return x.abs().mean()


@program(signs, "branch")
def no_grad_decorated(x):
    return x * frozen_scale(x)

# 7 closures with nonlocal

@program(three, "branch")
def nonlocal_counter(x):
    n = 0
    acc = x
    def bump(v):
        nonlocal n, acc
        if v.sum() > 0:
            n += 1
            acc = acc + v
        else:
            n += 10
    bump(x)
    bump(x - 1)
    return acc * n


@program(three, "branch")
def closure_factory(x):
    def make(k):
        def f(v):
            return v * k if v.sum() > 0 else v + k
        return f
    fs = [make(i) for i in range(3)]
    return sum(f(x) for f in fs)


@program(three, "branch")
def lambda_default(x):
    f = lambda v, k=(2.0 if x.sum() > 0 else 3.0): v * k
    return f(x) + f(x, 1.0)

# 8 unpacking, del, augmented

@program(signs, "branch")
def star_unpack(x):
    if x.sum() > 0:
        a, *b, c = x, x + 1, x + 2, x + 3
    else:
        a, *b, c = x, x * 2, x * 3, x * 4
    return a + b[0] * b[1] - c


@program(signs, "branch")
def del_in_branch(x):
    y = x * 2
    z = x
    if x.sum() > 0:
        del y
        z = x + 1
    else:
        z = y
        del y
    return z


@program(three, "branch", grad=False)
def aug_attr_and_item(x):
    d = {"a": x, "n": 1}
    l = [x, x]
    if x.sum() > 1:
        d["a"] = d["a"] + 1
        l[0] += 1
        d["n"] += 5
    return d["a"] * d["n"] + l[0]


@program(three, "branch")
def swap_under_condition(x):
    a, b = x, x * 2
    if a.sum() > 1:
        a, b = b, a
    return a - b, b

# 9 predicates

@program(pairs, "branch")
def torch_equal_branch(x, y):
    if torch.equal(x.sign(), y.sign()):
        return x
    elif torch.allclose(x, -x.abs()):
        return y
    return x + y


@program(lambda: [(t(1.0, 2.0), None), (t(1.0, 2.0), t(0.0, 1.0)), (t(1.0, 2.0), t(1.0, 1.0))], "branch", grad=False)
def mixture(x, mask):
    if mask is not None and (mask == 0).any():
        x = x * mask
    elif mask is None or not mask.any():
        x = x + 1
    return x


@program(three, "branch")
def any_of_generator(x):
    if any(v > 2 for v in x):
        return x * 2
    if all(v.item() < 0 for v in x):
        return x * 3
    return x


@program(lambda: [(t(1.0, 2.0), s(k)) for k in (0, 1, 2)], "branch")
def in_tuple_and_dict(x, k):
    kk = int(k)
    if kk in (0, 5):
        return x
    if kk in {1: "a"}:
        return x * 2
    return x * 3


@program(three, "branch")
def isfinite_min_max(x):
    lo, hi = min(x[0], x[1]), max(x[0].item(), x[1].item())
    if math.isfinite(hi) and lo < 0.5:
        return x * hi
    return x + lo


@program(three, "branch")
def float_of_bool(x):
    w = float(x.sum() > 0)
    n = int(x.max() > 1)
    return x * w + n

@contextlib.contextmanager
def around(x, log):
    k = 2.0 if x.sum() > 0 else 3.0
    log.append("in")
    try:
        yield x * k, k
    finally:
        if k == 2.0:
            log.append("up")
        else:
            log.append("down")


@program(signs, "branch python_out")
def contextmanager_with_finally(x):
    log = []
    with around(x, log) as (y, k):
        z = y + k
    return z


def rows_of(x):
    y = x * 2 if x.sum() > 0 else x
    yield y
    if y.sum() > 3:
        z = y + 1
    else:
        z = y - 1
    yield z


@program(three, "branch")
def generator_with_branches(x):
    total = x * 0
    for r in rows_of(x):
        total = total + r
    a, b = rows_of(x + 1)
    return total * a + b


@program(three, "branch")
def generator_sent(x):
    def g(v):
        while True:
            w = yield v
            if w is None:
                return
            v = v + w if w.sum() > 0 else v - w
    it = g(x)
    a = next(it)
    b = it.send(x)
    c = it.send(b)
    return a + b * c


@program(signs, "branch")
def table_in_order_of_its_keys(x):
    table = {"scale": x * 2, "add": x + 1}
    for name, value in sorted(table.items()):
        x = x * 3 + value if name == "add" else x - value
    if x.sum() > 0:
        for _, value in sorted([("b", x), ("a", x * 2)], reverse=True):
            x = x * 2 + value
    return x


@program(signs, "branch", grad=False)
def resized_as_it_is(x):
    y = torch.zeros(3)
    if x.sum() > 0:
        y.resize_as_(x).copy_(x)
    return y
