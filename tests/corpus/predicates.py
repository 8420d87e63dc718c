"""What a test may be made of."""

import math

import torch

from .program import bools, call, factory, ints, pairs, program, s, signs, t, three


@program(signs, "branch")
def item_of_sum(x):
    if x.sum().item() > 0:
        return x + 1
    return x - 1


@program(signs, "branch")
def item_stored(x):
    total = x.sum().item()
    if total > 0:
        return x * total
    return x - total


@program(signs, "branch inductor")
def int_of_sum(x):
    n = int(x.sum())
    if n > 0:
        return x * n
    return x - n


@program(signs, "branch")
def float_of_mean(x):
    m = float(x.mean())
    if m > 0.0:
        return x / m
    return x * m


@program(lambda: [(t(1.0, 2.0), s(True)), (t(1.0, 2.0), s(False))], "branch")
def bool_of_tensor(x, flag):
    if bool(flag):
        return x + 1
    return x - 1


@program(lambda: [(t(1.0, 2.0),), (t(0.0, 0.0),)], "branch")
def float_tensor_truth(x):
    # any number is a truth value
    if x.sum():
        return x / x.sum()
    return x


@program(lambda: [(t(1.0, 2.0), ints(2)), (t(1.0, 2.0), ints(0))], "branch")
def one_element_tensor_truth(x, n):
    if n:
        return x * n
    return x


@program(lambda: [(t(1.0, 2.0), torch.tensor([[1.0]])), (t(1.0, 2.0), torch.tensor([[-1.0]]))], "branch")
def one_element_matrix_comparison(x, m):
    if m > 0:
        return x + 1
    return x - 1


@program(signs, "branch")
def any_(x):
    if (x > 2).any():
        return x + 1
    return x - 1


@program(signs, "branch")
def all_(x):
    if (x > 0).all():
        return x + 1
    return x - 1


@program(signs, "branch")
def torch_any(x):
    if torch.any(x < 0):
        return x.abs()
    return x


@program(signs, "branch")
def all_item(x):
    if (x > 0).all().item():
        return x + 1
    return x - 1


@program(lambda: [(t(1.0, 2.0), t(1.0, 2.0)), (t(1.0, 2.0), t(1.0, 3.0))], "branch inductor")
def torch_equal(x, y):
    if torch.equal(x, y):
        return x
    return x - y


@program(lambda: [(t(1.0, 2.0), t(1.0, 2.0)), (t(1.0, 2.0), t(1.0, 3.0))], "branch")
def tensor_equal_method(x, y):
    if not x.equal(y):
        return x - y
    return x


@program(lambda: [(t(1.0, 2.0), t(1.0, 2.0 + 1e-7)), (t(1.0, 2.0), t(1.0, 3.0))], "branch")
def torch_allclose(x, y):
    if torch.allclose(x, y, atol=1e-3):
        return x
    return x - y


@program(lambda: [(t(1.0, 2.0), t(1.0, 2.0 + 1e-7)), (t(1.0, 2.0), t(1.0, 3.0))], "branch")
def isclose_all(x, y):
    if torch.isclose(x, y).all():
        return x * 2
    return x - y


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (1, 2, 7)], "branch", python=lambda: [(t(1.0, 2.0, 3.0), n) for n in (1, 2, 7)])
def in_tuple(x, n):
    if n in (1, 2):
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (1, 2, 7)], "branch", python=lambda: [(t(1.0, 2.0, 3.0), n) for n in (1, 2, 7)])
def not_in_list(x, n):
    if n not in [1, 2]:
        return x * 2
    return x


@program(lambda: [(ints(4, 5, 6),), (ints(4, 0, 6),)], "branch", grad=False)
def value_in_tensor(ids):
    if 0 in ids:
        return ids + 1
    return ids * 2


@program(lambda: [(ints(4, 5, 6), s(5)), (ints(4, 0, 6), s(5))], "branch", grad=False)
def tensor_in_tensor(ids, wanted):
    if wanted in ids:
        return ids + 1
    return ids * 2


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (1, 2, 7)], "branch", python=lambda: [(t(1.0, 2.0, 3.0), n) for n in (1, 2, 7)])
def item_in_set(x, n):
    k = int(n)
    if k in {1, 2}:
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (0, 2, 5)], "branch")
def item_in_range(x, n):
    if n.item() in range(3):
        return x * 2
    return x


@program(lambda: [(ints(3, 4),), (ints(4, 4),)], "branch", grad=False)
def modulo(ids):
    if ids.sum() % 2 == 0:
        return ids // 2
    return ids * 3 + 1


@program(signs, "branch")
def not_equal(x):
    if x.sum() != 6:
        return x + 1
    return x


@program(signs, "branch")
def number_on_the_left(x):
    if 0 < x.sum():
        return x + 1
    return x


@program(pairs, "branch")
def tensor_against_tensor(x, y):
    if x.sum() > y.sum():
        return x
    return y * 2


@program(signs, "branch")
def comparison_function(x):
    if torch.gt(x.sum(), 0):
        return x + 1
    return x


@program(signs, "branch")
def logical_function(x):
    if torch.logical_and(x.sum() > 0, x.max() > 2):
        return x + 1
    return x


@program(signs, "branch")
def is_true(x):
    flag = bool(x.sum() > 0)
    if flag is True:
        return x + 1
    return x


@program(signs, "branch")
def equals_true(x):
    if (x.sum() > 0) == True:  # noqa: E712
        return x + 1
    return x


@program(lambda: [(t(1.0, float("nan")),), (t(1.0, 2.0),), (t(1.0, float("inf")),)], "branch")
def math_isfinite(x):
    v = x.sum().item()
    if math.isnan(v):
        return torch.zeros_like(x)
    if math.isinf(v):
        return torch.ones_like(x)
    return x


@program(three, "branch")
def round_and_abs(x):
    v = x.sum().item()
    if abs(v) > 5 and round(v) == 6:
        return x * 2
    return x


@program(three, "branch")
def min_max_of_items(x):
    a, b = x[0].item(), x[1].item()
    if max(a, b) > 1.5:
        return x - min(a, b)
    return x + max(a, 0.0)


@program(lambda: [(t(1.0, 0.0, 2.0),), (t(0.0, 0.0, 0.0),)], "branch")
def nonzero_count(x):
    if torch.count_nonzero(x) > 1:
        return x / x.max()
    return x


@program(lambda: [(t(1.0, 0.0, 2.0),), (t(0.0, 0.0, 0.0),)], "branch")
def nonzero_numel(x):
    if x.nonzero().numel() == 0:
        return x + 1
    return x * 2


@program(lambda: [(t(1.0, 0.0, 2.0),), (t(0.0, 0.0, 0.0),)], "branch")
def masked_select_shape(x):
    kept = x[x > 0]
    if kept.shape[0] > 0:
        return x - kept.mean()
    return x


@program(lambda: [(t(1.0, 3.0, 2.0),), (t(5.0, 0.0, 0.0),)], "branch")
def argmax_item(x):
    if x.argmax().item() == 1:
        return x * 2
    return x


@program(lambda: [(t(1.0, 3.0, 2.0),), (t(5.0, 0.0, 0.0),)], "branch")
def indexed_by_item(x):
    i = x.argmax().item()
    if x[i] > 4:
        return x / x[i]
    return x + i


@program(lambda: [(t(1.0, 2.0), bools(True, False)), (t(1.0, 2.0), bools(False, False))], "branch")
def python_any_over_tensor(x, mask):
    if any(mask):
        return x * 2
    return x


@program(lambda: [(t(1.0, 2.0), bools(True, True)), (t(1.0, 2.0), bools(True, False))], "branch")
def mask_sum_against_size(x, mask):
    if mask.sum() == mask.numel():
        return x * 2
    return x * mask


@program(lambda: [(t(1.0, 2.0, 3.0),)], "branch raises", grad=False, min_graphs=0)
def several_elements(x):
    # Python's own error
    if x > 2:
        return x + 1
    return x


@program(lambda: [(t(1.0, 2.0, 3.0),)], "branch raises", grad=False, min_graphs=0)
def several_elements_item(x):
    if x.item() > 2:
        return x + 1
    return x


@program(lambda: [(torch.zeros(0),)], "branch raises", grad=False, min_graphs=0)
def no_element(x):
    if x:
        return x + 1
    return x


@program(lambda: [(t(1.0, 2.0), s(1 + 1j)), (t(1.0, 2.0), s(0j))], "branch", grad=False)
def complex_truth(x, z):
    if z:
        return x + 1
    return x


@program(lambda: [(t(1.0, 2.0), s(3, torch.uint8)), (t(1.0, 2.0), s(0, torch.uint8))], "branch")
def uint8_truth(x, n):
    if n:
        return x + n
    return x


@program(lambda: [(t(1.0, 2.0).double(),), (t(-1.0, -2.0).double(),)], "branch")
def double_precision(x):
    if x.sum() > 1e-12:
        return x + 1e-12
    return x - 1e-12


@program(lambda: [(t(1.0, 2.0).bfloat16(),), (t(-1.0, -2.0).bfloat16(),)], "branch")
def bfloat16_predicate(x):
    if x.sum() > 0.1:
        return x * 2
    return x


@program(lambda: [call(t(1.0, 2.0), threshold=s(0.5)), call(t(1.0, 2.0), threshold=s(50.0))], "branch", python=lambda: [call(t(1.0, 2.0), threshold=0.5), call(t(1.0, 2.0), threshold=50.0)])
def keyword_threshold(x, *, threshold):
    if x.sum() > threshold:
        return x * 2
    return x


@program(signs, "branch")
def tolist_element(x):
    values = x.tolist()
    if values[0] > 0:
        return x + values[1]
    return x - values[2]


@program(signs, "branch")
def sum_of_python_items(x):
    total = sum(v.item() for v in x)
    if total > 0:
        return x + 1
    return x - 1


@program(signs, "branch")
def is_nonzero(x):
    if torch.is_nonzero(x.sum() > 0):
        return x + 1
    return x - 1


@program(signs, "branch")
def dunder_bool(x):
    if (x.sum() > 0).__bool__():
        return x + 1
    return x - 1


@program(signs, "branch")
def method_of_predicate(x):
    if x.sum().gt(0).logical_not():
        return x + 1
    return x - 1


@program(lambda: [(t(1.0, 2.0), {"flag": s(True)}), (t(1.0, 2.0), {"flag": s(False)})], "branch")
def predicate_in_dict(x, options):
    if options["flag"]:
        return x + 1
    return x - 1


@program(lambda: [(t(1.0, 2.0), [s(1.0), s(2.0)]), (t(1.0, 2.0), [s(2.0), s(1.0)])], "branch")
def predicate_from_list(x, bounds):
    low, high = bounds
    if low < high:
        return x.clamp(low, high)
    return x


class Threshold(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("limit", torch.tensor(2.5))
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 0.5, 2.0]))

    def forward(self, x):
        h = x * self.weight
        if h.sum() > self.limit:
            return h
        return h - self.limit


@factory(signs, "branch")
def buffer_in_test():
    return Threshold()


class ParameterTest(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 0.5, 2.0]))
        self.gate = torch.nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        if (self.gate * x.sum()).sigmoid() > 0.5:
            return x * self.weight
        return x * self.gate


@factory(signs, "branch inductor")
def parameter_in_test():
    return ParameterTest()


def _flags():
    return [(t(1.0, 2.0), s(flag)) for flag in (True, False)]


@program(_flags, "branch")
def tested_and_then_changed(x, flag):
    out, kind = [x], "no"
    if flag:
        out.append(x + 1)
        kind = 1
    flag.logical_not_()
    return out, kind


@program(_flags, "branch")
def entry_tested_and_then_changed(x, flag):
    seen, found = flag.repeat(2), None
    if seen[0]:
        found = x * 2
    seen[0] = ~seen[0]
    return x if found is None else found


@program(_flags, "branch")
def bool_of_what_is_changed(x, flag):
    before = bool(flag)
    flag.logical_not_()
    return x if before else x * 3, before
