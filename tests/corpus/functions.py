"""Every kind of function the trace can reach."""

import contextlib
import dataclasses
import functools
import pickle
from collections.abc import Callable

import torch
from torch import nn

from .program import call, factory, pairs, program, signs, t, three


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        with torch.no_grad():
            self.linear.weight.copy_(torch.eye(3) + 0.1)
            self.linear.bias.fill_(0.05)

    def forward(self, x):
        h = self.linear(x)
        if h.sum() > 0:
            return h * 2
        return h - 1


@factory(signs, "branch inductor")
def module_forward():
    return Gate()


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.ModuleList([Gate(), Gate()])
        self.final = nn.Sequential(Gate(), nn.Tanh())

    def forward(self, x):
        for gate in self.gates:
            x = gate(x)
        return self.final(x)


@factory(signs, "branch")
def nested_modules():
    return Outer()


class Base(nn.Module):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0, 0.5]))

    def forward(self, x):
        return self.activate(x * self.weight)

    def activate(self, x):
        if x.sum() > 0:
            return x * self.scale
        return x


class Derived(Base):
    scale = 3.0

    def activate(self, x):
        if x.max() > 2:
            return super().activate(x) + 1
        return super().activate(x - 1)


@factory(signs, "branch")
def super_call():
    return Derived()


class DunderClass(Base):
    def activate(self, x):
        if x.sum() > 0:
            return x * __class__.scale
        return x * type(self).__mro__[1].scale


@factory(signs, "branch")
def dunder_class_cell():
    return DunderClass()


class Methods:
    def __init__(self, k):
        self.k = k

    def method(self, x):
        if x.sum() > 0:
            return x * self.k
        return x + self.k

    @staticmethod
    def static(x):
        if x.sum() > 0:
            return x * 5
        return x + 5

    @classmethod
    def klass(cls, x):
        if x.sum() > 0:
            return x * len(cls.__name__)
        return x

    @property
    def doubled(self):
        return self.k * 2

    def __call__(self, x):
        if x.sum() > 0:
            return self.method(x)
        return self.static(x)

    def __getitem__(self, x):
        return x + 1 if x.sum() > 0 else x

    def __add__(self, x):
        if x.sum() > 0:
            return x + self.k
        return x


@factory(signs, "branch")
def bound_method():
    return Methods(3.0).method


@factory(signs, "branch")
def static_method():
    return Methods.static


@factory(signs, "branch")
def class_method():
    return Methods.klass


@factory(signs, "branch")
def callable_object():
    return Methods(3.0)


@program(signs, "branch")
def methods_called(x):
    m = Methods(4.0)
    return m.method(x) + m.static(x) + Methods.klass(x) + m(x) * m.doubled


@program(signs, "branch")
def operator_methods(x):
    m = Methods(4.0)
    return m[x] * (m + x)


class TensorHolder:
    def __init__(self, value):
        self.value = value

    @property
    def safe(self):
        if self.value.sum() > 0:
            return self.value
        return -self.value

    @functools.cached_property
    def unused(self):
        return 1


@program(signs, "branch")
def property_with_branch(x):
    return TensorHolder(x).safe + 1


@program(signs, "branch")
def constructor_with_branch(x):
    class Local:
        def __init__(self, v):
            if v.sum() > 0:
                self.v = v * 2
            else:
                self.v = v - 2

    return Local(x).v


def leaky(x, slope=0.1):
    if x.sum() > 0:
        return x
    return x * slope


@program(signs, "branch")
def helper(x):
    return leaky(x) + leaky(x, 0.5) + leaky(x, slope=0.25)


@program(signs, "branch")
def helper_recursion_static(x):
    def repeat(v, n):
        if n == 0:
            return v
        if v.sum() > 0:
            v = v - 1
        else:
            v = v + 2
        return repeat(v, n - 1)

    return repeat(x, 3)


def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) + 1

    return wrapper


@logged
def decorated_helper(x, k=2.0):
    if x.sum() > 0:
        return x * k
    return x - k


@program(signs, "branch")
def decorated(x):
    return decorated_helper(x) + decorated_helper(x, k=3.0)


def repeated(times):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(x):
            for _ in range(times):
                x = fn(x)
            return x

        return wrapper

    return decorate


@program(signs, "branch")
@repeated(3)
def decorator_with_arguments(x):
    if x.sum() > 0:
        return x - 1
    return x + 1.5


def branching_decorator(fn):
    @functools.wraps(fn)
    def wrapper(x):
        if x.sum() > 0:
            return fn(x)
        return fn(-x)

    return wrapper


@program(signs, "branch")
@branching_decorator
def decorator_with_branch(x):
    return x * 2 + 1


@torch.no_grad()
def no_grad_helper(x):
    if x.sum() > 0:
        return x * 2
    return x


@program(signs, "branch")
def no_grad_decorated(x):
    return no_grad_helper(x) * x


@program(signs, "branch")
@torch.no_grad()
def no_grad_decorated_entry(x):
    if x.sum() > 0:
        return x * 2
    return x + 1


@program(signs, "branch", grad=False)
@torch.inference_mode()
def inference_mode_entry(x):
    if x.sum() > 0:
        return x * 2
    return x + 1


@contextlib.contextmanager
def scaled_context(k):
    yield k * 2


@program(signs, "branch")
def contextmanager_based(x):
    with scaled_context(2.0) as k:
        if x.sum() > 0:
            y = x * k
        else:
            y = x / k
    return y


class Ctx:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, *exc):
        self.log.append("out")
        return False


@program(signs, "branch", grad=False)
def user_context_manager(x):
    log = []
    with Ctx(log):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x
    return y, log


@program(lambda: [call(t(1.0, 2.0)), call(t(-1.0, -2.0)), call(t(1.0, 2.0), k=3.0), call(t(-1.0, -2.0), k=3.0)], "branch")
def keyword_only(x, *, k=2.0, bias: float = 0.5):
    if x.sum() > 0:
        return x * k + bias
    return x - k


@program(lambda: [(t(1.0, 2.0), 3.0), (t(-1.0, -2.0), 3.0)], "branch")
def positional_only(x, k, /, bias=1.0):
    if x.sum() > 0:
        return x * k + bias
    return x - k


@program(lambda: [call(t(1.0), t(2.0), t(3.0), a=2.0, b=3.0), call(t(-1.0), t(-2.0), t(-3.0), a=2.0, b=3.0)], "branch")
def var_arguments(first, *rest, **options):
    total = first
    for r in rest:
        total = total + r
    if total.sum() > 0:
        return total * options["a"]
    return total - options.get("b", 0.0)


@program(signs, "branch")
def default_evaluated_once(x, cache=(1.0, 2.0)):
    if x.sum() > 0:
        return x * cache[0]
    return x * cache[1]


@program(signs, "branch")
def mutable_default_read(x, table={"up": 2.0, "down": 0.5}):  # noqa: B006
    if x.sum() > 0:
        return x * table["up"]
    return x * table["down"]


@program(signs, "branch")
def annotations(x: "torch.Tensor", k: float | int = 2) -> "Callable[..., torch.Tensor] | torch.Tensor":
    y: "SomeUndefinedType" = x  # noqa: F821
    if x.sum() > 0:
        return y * k
    return y


@dataclasses.dataclass
class Box:
    low: torch.Tensor
    high: torch.Tensor
    label: str = "box"

    def size(self):
        if (self.high > self.low).all():
            return self.high - self.low
        return torch.zeros_like(self.low)

    @property
    def center(self):
        return (self.low + self.high) / 2

    @classmethod
    def around(cls, x):
        if x.sum() > 0:
            return cls(x - 1, x + 1)
        return cls(x, x * 2)


@program(signs, "branch")
def dataclass_methods(x):
    box = Box(x, x * 2)
    return box.size() + box.center


@program(lambda: [(Box(t(1.0, 2.0), t(2.0, 3.0)),), (Box(t(1.0, 2.0), t(2.0, 0.0)),)], "branch", grad=False)
def dataclass_argument(box):
    if (box.high > box.low).all():
        return box.high - box.low
    return box.low * 0


@program(signs, "branch")
def functools_partial(x):
    f = functools.partial(leaky, slope=0.3)
    return f(x)


@factory(signs, "branch")
def partial_entry():
    return functools.partial(leaky, slope=0.3)


@program(signs, "branch")
def map_and_lambda(x):
    a, b = map(lambda v: v * 2 if v.sum() > 0 else v, (x, -x))
    return a - b


@program(signs, "branch")
def functools_reduce(x):
    return functools.reduce(lambda a, v: a + v if v > 0 else a - 2 * v, x.unbind(0), torch.zeros(()))


@program(signs, "branch")
def getattr_dispatch(x):
    name = "method"
    return getattr(Methods(2.0), name)(x)


class WithHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.gate.register_forward_hook(self.after)

    @staticmethod
    def after(module, args, output):
        if output.sum() > 1:
            return output / output.sum()
        return output

    def forward(self, x):
        return self.gate(x) + 1


@factory(signs, "branch")
def forward_hook():
    return WithHooks()


class GateFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)


@program(signs, "branch")
def autograd_function_in_branch(x):
    if x.sum() > 0:
        return GateFunction.apply(x - 1.5)
    return GateFunction.apply(x + 1.5) * 2


@program(signs, "branch")
def autograd_function_of_branch(x):
    y = x
    if x.sum() > 0:
        y = x - 1.5
    return GateFunction.apply(y) * 2


class Sub(torch.nn.Module):
    def __init__(self, training_scale):
        super().__init__()
        self.training_scale = training_scale

    def forward(self, x):
        if self.training and x.sum() > 0:
            return x * self.training_scale
        return x


@factory(signs, "branch")
def training_flag_on():
    return Sub(3.0)


@factory(signs, "branch")
def training_flag_off():
    return Sub(3.0).eval()


@program(pairs, "branch")
def helper_called_four_times(x, y):
    def pick(a, b):
        return a if a.sum() > b.sum() else b

    return pick(pick(x, y), pick(-x, -y))


@program(three, "branch")
def tuple_returning_helper(x):
    def split(v):
        if v.sum() > 1:
            return v[:1], v[1:]
        return v[1:2], v[:2]

    head, tail = split(x)
    return head * 2, tail - 1


@program(signs, "branch")
def builtin_named_method_on_list(x):
    values = [x, x + 1]
    values.reverse()
    if x.sum() > 0:
        return values[0]
    return values[1] * 2


class Meta(type):
    def make(cls, x):
        if x.sum() > 0:
            return x + 1
        return x


class WithMeta(metaclass=Meta):
    pass


@program(signs, "branch")
def metaclass_method(x):
    return WithMeta.make(x) * 2


class Slots:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k

    def apply(self, x):
        if x.sum() > 0:
            return x * self.k
        return x


@program(signs, "branch")
def slots_object(x):
    return Slots(2.0).apply(x)


@functools.lru_cache(maxsize=None)
def cached_scale(n):
    return n * 2.0


@program(signs, "branch")
def lru_cached_helper_in_branch(x):
    if x.sum() > 0:
        return x * cached_scale(3)
    return x * cached_scale(4)


exec_namespace: dict = {"torch": torch}
exec(  # a function without retrievable source
    "def no_source(x):\n    if x.sum() > 0:\n        return x + 1\n    return x - 1\n",
    exec_namespace,
)


@factory(signs, "branch nosource")
def without_source():
    return exec_namespace["no_source"]


@program(signs, "branch nosource")
def helper_without_source(x):
    return exec_namespace["no_source"](x) * 2


@program(signs, "branch nosource", min_graphs=1)
def helper_without_source_nor_site(x):
    f = eval("lambda v: v * 3")
    if x.sum() > 0:
        return f(x)
    return x


def _cached(cache, x, **kwargs):
    key = pickle.dumps(kwargs)
    if key not in cache:
        cache[key] = x * kwargs.get("scale", 2)
    return cache[key]


@program(signs, "branch")
def cache_with_pickled_keys(x):
    cache = {}
    y = _cached(cache, x, scale=3) + _cached(cache, x)
    if y.sum() > 0:
        y = y + _cached(cache, x, scale=3)
    return y, len(cache)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a * 3


@program(signs, "branch")
def function_given_one_tensor_twice(x):
    if x.sum() > 0:
        return Product.apply(x, x)
    return Product.apply(x * 2, x)
