"""Calls inside branches: torch functions, modules, indexing, library code."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode

from .program import factory, ints, pairs, program, rand, s, signs, t, three


@program(signs, "branch")
def functional_calls(x):
    if x.sum() > 0:
        return F.softmax(x, dim=0)
    return F.gelu(x)


@program(signs, "branch")
def keyword_calls(x):
    if x.sum() > 0:
        return torch.sum(x, dim=0, keepdim=True)
    return torch.mean(x, dim=0, keepdim=True)


@program(signs, "branch")
def star_calls(x):
    args = (x, x)
    kwargs = {"alpha": 2}
    if x.sum() > 0:
        return torch.add(*args, **kwargs)
    return torch.sub(*args, **kwargs)


@program(lambda: [(rand(5, 4, seed=1).abs(), ints(0, 2)), (-rand(5, 4, seed=1).abs(), ints(0, 2))], "branch")
def gather_and_index(x, i):
    if x.mean() > 0:
        return x[i]
    return x.index_select(0, i) * 2


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.small = nn.Linear(4, 4)
        self.large = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        if x.abs().mean() > 1:
            return self.large(x)
        return self.small(x)


def _experts():
    return [(rand(2, 4, seed=3) * 3,), (rand(2, 4, seed=3) * 0.1,)]


@factory(_experts, "branch inductor")
def mixture_of_two_experts():
    return Two()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x, mask):
        if mask.all():
            return self.attention(x, x, x, need_weights=False)[0]
        return self.attention(x, x, x, key_padding_mask=~mask, need_weights=False)[0]


@factory(
    lambda: [
        (rand(2, 3, 4), torch.ones(2, 3, dtype=torch.bool)),
        (rand(2, 3, 4), torch.tensor([[True, True, False], [True, True, True]])),
    ],
    "branch",
)
def attention_with_optional_mask():
    return Attention().eval()


class EarlyExit(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.first = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
        self.second = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        logits = self.head(h)
        if logits.softmax(-1).max() > 0.7:
            return logits
        h = torch.tanh(self.second(h)) + h
        return self.head(h)


@factory(lambda: [(rand(1, 4, seed=k) * 5,) for k in range(2, 8)], "branch")
def early_exit_network():
    return EarlyExit()


class LayerNormOrNot(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(x) if x.std() > 0.5 else x


@factory(lambda: [(t(1.0, 2.0, 3.0),), (t(1.0, 1.1, 1.0),)], "branch")
def module_in_conditional_expression():
    return LayerNormOrNot()


@program(three, "branch")
def einsum_and_reshape(x):
    m = x.reshape(1, 3).expand(3, 3)
    if x.sum() > 1:
        y = torch.einsum("ij,jk->ik", m, m.T)
    else:
        y = m.reshape(9)[:9].view(3, 3) + 1
    return y.sum(0)


@program(pairs, "branch")
def where_inside(x, y):
    if x.sum() > 0:
        return torch.where(x > y, x, y)
    return torch.maximum(x, y) - 1


@program(signs, "branch")
def factory_functions(x):
    if x.sum() > 0:
        noise = torch.arange(3, dtype=x.dtype)
    else:
        noise = torch.full((3,), 7.0)
    return x + noise


@program(signs, "branch", grad=False)
def tensor_constant(x):
    if x.sum() > 0:
        y = x + torch.tensor([1.0, 2.0, 3.0])
    else:
        y = x - torch.tensor(5.0)
    return y


@program(signs, "branch")
def sorting(x):
    if x.sum() > 0:
        values, order = x.sort(descending=True)
    else:
        values, order = x.topk(3, largest=False)
    return values, order


@program(signs, "branch")
def item_inside_branch(x):
    if x.sum() > 0:
        k = x.max().item()
        y = x * k
    else:
        y = x
    return y


@program(lambda: [(t(1.0, 2.0, 3.0), s(2)), (t(-1.0, -2.0, -3.0), s(1))], "branch")
def size_inside_branch(x, n):
    if x.sum() > 0:
        y = x[: int(n)].sum()
    else:
        y = torch.zeros(int(n)).sum() + x[0]
    return y


@program(lambda: [(t(1.0, 2.0, 3.0), s(2)), (t(-1.0, -2.0, -3.0), s(1))], "branch")
def index_by_tensor_in_branch(x, i):
    if x.sum() > 0:
        return x[i]
    return x[i] * 2 + x[-1]


@program(signs, "branch")
def nonzero_inside_branch(x):
    if x.sum() > 0:
        return x[x > 1].sum()
    return x[x < -1].prod()


@program(signs, "branch")
def type_checks_inside(x):
    y = x if x.sum() > 0 else x * 2
    if isinstance(y, torch.Tensor) and y.dtype == torch.float32 and y.shape[0] == 3:
        return y + 1
    return y - 1


@program(signs, "branch")
def hasattr_and_getattr(x):
    if hasattr(x, "sum") and getattr(x, "sum")() > 0:
        return x + 1
    return x


@program(signs, "branch")
def numpy_free_math(x):
    n = x.numel()
    if x.sum() > 0:
        return x / n**0.5
    return x * (n // 2)


@program(lambda: [(rand(2, 3, 8, 8, seed=1).abs(),), (-rand(2, 3, 8, 8, seed=1).abs(),)], "branch")
def convolution(x):
    w = torch.ones(4, 3, 3, 3) * 0.1
    if x.mean() > 0:
        y = F.conv2d(x, w, padding=1)
    else:
        y = F.conv2d(x, w, padding=1).relu() + 1
    return F.avg_pool2d(y, 2)


@program(lambda: [(t(4.0, 1.0, 1.0, 3.0).view(2, 2),), (t(1.0, 2.0, 2.0, 4.0).view(2, 2),)], "branch")
def singular_matrix(m):
    if torch.linalg.det(m).abs() < 1e-6:
        return torch.zeros_like(m)
    return torch.linalg.inv(m)


@program(signs, "branch")
def checkpointed(x):
    from torch.utils.checkpoint import checkpoint

    def block(v):
        return torch.sin(v) * v

    if x.sum() > 0:
        return checkpoint(block, x, use_reentrant=False)
    return x * 2


@program(signs, "branch")
def vmap_inside_branch(x):
    if x.sum() > 0:
        return torch.func.vmap(lambda v: v * v + 1)(x)
    return x


class RowsTaken(TorchFunctionMode):
    """As the masks of transformers index, so that `torch.vmap` can."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.__getitem__ and isinstance(args[1], torch.Tensor):
            return args[0].index_select(0, args[1].reshape(1)).squeeze(0)
        return func(*args, **(kwargs or {}))


@program(lambda: [(t(*x), s(k)) for x, k in (((1, 2, 3, 4, 5, 6), 1), ((-1, -2, 3, -4, -5, -6), 4))], "branch state")
def rows_taken_in_vmap(x, k):
    places = torch.arange(6)
    with RowsTaken():
        near = torch.vmap(lambda q: x[q] + x[torch.div(q, 2, rounding_mode="trunc")].clamp(max=q))(places)
        y = x[k.long()] * 2
    return near + y if near.sum() > 0 else near - y
