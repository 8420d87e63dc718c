"""What the two sides may leave behind: aliases, dtypes, sizes, strides, None, Python values, containers."""

import collections
import dataclasses
import enum
import typing

import torch

from .program import flags, ints, levels, pairs, program, rand, s, signs, t, three, vectors


# ------------------------------------------------------------------ aliases
@program(signs, "branch alias inductor")
def pass_through_one_side(x):
    if x.sum() > 0:
        return x
    return x - 1


@program(signs, "branch alias")
def pass_through_both(x):
    if x.sum() > 0:
        return x
    else:
        return x


@program(pairs, "branch alias")
def pick_an_input(x, y):
    if x.sum() > y.sum():
        return x
    return y


@program(pairs, "branch alias")
def swap_inputs(x, y):
    if x.sum() > y.sum():
        x, y = y, x
    return x, y


@program(signs, "branch alias")
def same_tensor_twice(x):
    if x.sum() > 0:
        y = x + 1
        return y, y
    z = x - 1
    return z, z


@program(signs, "branch alias")
def same_tensor_twice_one_side(x):
    if x.sum() > 0:
        y = x + 1
        return y, y
    return x - 1, x - 2


@program(signs, "branch alias")
def view_of_input(x):
    if x.sum() > 0:
        return x[1:]
    return x[:2]


@program(signs, "branch alias")
def view_one_side(x):
    if x.sum() > 0:
        return x.view(3, 1)
    return (x - 1).view(3, 1)


@program(signs, "branch alias")
def detached_alias(x):
    if x.sum() > 0:
        return x.detach()
    return x.detach() * 2


@program(signs, "branch alias")
def two_views_of_one(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x * 3
    return y[:2], y[1:]


@program(signs, "branch alias")
def two_views_inside(x):
    if x.sum() > 0:
        y = x * 2
        a, b = y[:2], y[1:]
    else:
        a, b = x[:2] * 1, x[1:] * 1
    return a, b


@program(signs, "branch alias")
def intermediate_passes_through(x):
    y = x + 1
    if x.sum() > 0:
        z = y
    else:
        z = y * 2
    return y, z


@program(flags, "branch alias", grad=False)
def write_to_result_changes_input(x, flag):
    # the result is the caller's tensor on one side only
    if flag:
        y = x
    else:
        y = x.clone()
    y += 1
    return y


@program(lambda: [(rand(2, 3), s(True)), (rand(2, 3), s(False))], "branch alias")
def transpose_or_not(x, flag):
    y = x.T if flag else x.T.contiguous()
    return y + 1, y


# ------------------------------------------------------------------ dtypes
@program(signs, "branch")
def float_against_double(x):
    if x.sum() > 0:
        y = x.double()
    else:
        y = x.double() * 2
    return y


@program(signs, "branch differs")
def dtype_differs(x):
    if x.sum() > 0:
        return x.double()
    return x


@program(signs, "branch differs")
def dtype_differs_then_joined(x):
    if x.sum() > 0:
        y = x.double()
    else:
        y = x
    return (y * 2).float()


@program(signs, "branch differs")
def int_tensor_against_float_tensor(x):
    if x.sum() > 0:
        count = (x > 0).sum()
    else:
        count = torch.tensor(0.5)
    return x * count


@program(signs, "branch differs")
def bool_against_int(x):
    if x.sum() > 0:
        m = x > 2
    else:
        m = torch.zeros(3, dtype=torch.int64)
    return x * m


@program(signs, "branch")
def int_results(x):
    if x.sum() > 0:
        i = x.argmax()
    else:
        i = x.argmin()
    return i, x[i]


@program(signs, "branch")
def bool_results(x):
    if x.sum() > 0:
        mask = x > 1
    else:
        mask = x < -1
    return mask


@program(lambda: [(t(1.0, 2.0).half(),), (t(-1.0, -2.0).half(),)], "branch differs", grad=False)
def half_on_one_side(x):
    if x.sum() > 0:
        return x.float()
    return x


@program(signs, "branch")
def complex_result(x):
    if x.sum() > 0:
        return torch.complex(x, x + 1)
    return torch.complex(x, -x)


# ------------------------------------------------------------------ sizes and strides
@program(signs, "branch differs sizes")
def first_size_differs(x):
    if x.sum() > 0:
        return x[:2] * 2
    return x * 3


@program(signs, "branch differs sizes")
def first_size_differs_then_reduced(x):
    if x.sum() > 0:
        y = torch.cat([x, x])
    else:
        y = x
    return y.sum() + y.mean()


@program(lambda: [(rand(2, 3).abs(),), (-rand(2, 3).abs(),)], "branch differs sizes")
def last_size_differs(x):
    if x.sum() > 0:
        return torch.cat([x, x], dim=1)
    return x + 1


@program(lambda: [(rand(2, 3).abs(),), (-rand(2, 3).abs(),)], "branch differs sizes")
def both_sizes_differ(x):
    if x.sum() > 0:
        return torch.zeros(4, 5) + x.sum()
    return x + 1


@program(lambda: [(rand(2, 3).abs(),), (-rand(2, 3).abs(),)], "branch differs sizes")
def sizes_swapped(x):
    if x.sum() > 0:
        return x.T.contiguous()
    return x + 1


@program(signs, "branch differs sizes")
def rank_differs(x):
    if x.sum() > 0:
        return x.sum()
    return x * 2


@program(signs, "branch differs sizes")
def empty_on_one_side(x):
    if x.sum() > 0:
        return x[:0]
    return x + 1


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(1.0, -2.0, 3.0),), (t(-1.0, -2.0, -3.0),)], "branch differs sizes", grad=False)
def boolean_mask_or_all(x):
    keep = x > 0
    if keep.all():
        return x
    return x[keep]


@program(lambda: [(t(1.0, 2.0, 3.0), s(2)), (t(-1.0, -2.0, -3.0), s(1))], "branch sizes", grad=False)
def data_dependent_size(x, n):
    if x.sum() > 0:
        return torch.ones(int(n))
    return torch.zeros(int(n))


@program(lambda: [(rand(2, 3).abs(),), (-rand(2, 3).abs(),)], "branch differs")
def strides_differ(x):
    if x.sum() > 0:
        return (x * 2).T
    return torch.zeros(3, 2) + x.sum()


@program(lambda: [(rand(1, 2, 4, 4).abs(),), (-rand(1, 2, 4, 4).abs(),)], "branch differs")
def channels_last_on_one_side(x):
    if x.sum() > 0:
        return (x * 2).contiguous(memory_format=torch.channels_last)
    return x * 2


@program(signs, "branch differs")
def expanded_on_one_side(x):
    if x.sum() > 0:
        return x[:1].expand(3)
    return x * 2


@program(lambda: [(rand(2, 3).abs(),), (-rand(2, 3).abs(),)], "branch")
def same_strides_transposed(x):
    if x.sum() > 0:
        return (x * 2).T
    return (x - 1).T


# ------------------------------------------------------------------ None
@program(signs, "branch none")
def none_or_tensor_returned(x):
    if x.sum() > 0:
        return x * 2
    return None


@program(signs, "branch none")
def none_or_tensor_tested(x):
    extra = None
    if x.sum() > 0:
        extra = x * 2
    if extra is not None:
        return x + extra
    return x


@program(signs, "branch none")
def none_in_tuple(x):
    if x.sum() > 0:
        return x, None
    return x + 1, x


@program(signs, "branch none")
def none_both_sides(x):
    if x.sum() > 0:
        cache, y = None, x
    else:
        cache, y = None, x * 2
    return y, cache


@program(pairs, "branch none")
def none_from_helper(x, y):
    def find(v):
        if v.sum() > 0:
            return v * 2
        return None

    a, b = find(x), find(y)
    if a is None and b is None:
        return x - y
    if a is None:
        return b
    if b is None:
        return a
    return a + b


@program(signs, "branch none")
def none_or_default(x):
    bias = None
    if x.sum() > 0:
        bias = x
    y = x * 2
    y = y if bias is None else y + bias
    return y, bias


@program(signs, "branch none raises", grad=False)
def none_used_as_tensor(x):
    y = None
    if x.sum() > 0:
        y = x
    return y + 1


# ------------------------------------------------------------------ Python values
@program(signs, "branch python_out")
def python_int_returned(x):
    if x.sum() > 0:
        return 1
    return 2


@program(signs, "branch python_out inductor")
def python_int_beside_tensor(x):
    if x.sum() > 0:
        return x, 1
    return x * 2, 2


@program(signs, "branch python_out")
def python_float_returned(x):
    if x.sum() > 0:
        return x, 1.5
    return x, -0.1


@program(signs, "branch python_out")
def python_bool_returned(x):
    if x.sum() > 0:
        return True
    return False


@program(signs, "branch python_out")
def python_string_returned(x):
    if x.sum() > 0:
        return "positive", x + 1
    return "negative", x - 1


@program(three, "branch python_out")
def string_of_three(x):
    if x.sum() > 5:
        name = "large"
    elif x.sum() > 0:
        name = "small"
    else:
        name = "negative"
    return name, x * 2


@program(signs, "branch python_out")
def int_against_float_returned(x):
    if x.sum() > 0:
        return x, 1
    return x, 1.0


@program(signs, "branch python_out")
def bool_against_int_returned(x):
    if x.sum() > 0:
        return x, True
    return x, 1


@program(signs, "branch python_out")
def int_against_tensor_returned(x):
    if x.sum() > 0:
        return x, 1
    return x, x.sum()


@program(signs, "branch python_out")
def int_against_none_returned(x):
    if x.sum() > 0:
        return x, 3
    return x, None


@program(signs, "branch python_out")
def string_against_none(x):
    error = None
    if x.sum() < 0:
        error = "negative"
        x = -x
    return x, error


@program(signs, "branch python_out")
def item_returned(x):
    total = x.sum().item()
    if total > 0:
        return x, total
    return x, -total


@program(signs, "branch python_out")
def int_item_returned(x):
    n = int(x.sum())
    if n > 0:
        n = n + 1
    return x * 2, n


@program(signs, "branch python_out")
def int_arithmetic_after_branch(x):
    k = 1
    if x.sum() > 0:
        k = 2
    k = k * 10 + 3
    return x * k, k


@program(signs, "branch python_out")
def float_and_int_arithmetic(x):
    k = 1 if x.sum() > 0 else 0.5
    return x * (k + 1)


@program(signs, "branch python_out")
def int_division(x):
    n = 7 if x.sum() > 0 else 8
    return x * (n // 2), n % 3, n / 2


@program(signs, "branch python_out")
def index_from_branch(x):
    i = 0 if x.sum() > 0 else 2
    return x[i]


@program(signs, "branch python_out")
def slice_bound_from_branch(x):
    n = 1 if x.sum() > 0 else 2
    return x[:n].sum(), x[n]


@program(signs, "branch python_out")
def size_from_branch(x):
    n = 2 if x.sum() > 0 else 4
    return torch.ones(n)


@program(signs, "branch python_out")
def range_from_branch(x):
    n = 2 if x.sum() > 0 else 2
    for i in range(n):
        x = x + i
    return x


@program(signs, "branch python_out")
def dict_key_from_branch(x):
    table = {"up": 2.0, "down": 0.5}
    key = "up" if x.sum() > 0 else "down"
    return x * table[key]


@program(signs, "branch python_out")
def list_index_from_branch(x):
    table = [2.0, 0.5]
    return x * table[0 if x.sum() > 0 else 1]


@program(signs, "branch python_out")
def string_comparison_after(x):
    mode = "up" if x.sum() > 0 else "down"
    y = x + 1
    if mode == "up":
        return y * 2
    return y


@program(signs, "branch python_out")
def string_formatting_after(x):
    mode = "up" if x.sum() > 0 else "down"
    return x, f"mode: {mode}"


@program(signs, "branch python_out")
def dtype_object_from_branch(x):
    dtype = torch.float64 if x.sum() > 0 else torch.float32
    return x, dtype


class Side(enum.Enum):
    UP = 1
    DOWN = 2


@program(signs, "branch python_out")
def enum_from_branch(x):
    side = Side.UP if x.sum() > 0 else Side.DOWN
    return x, side


@program(signs, "branch python_out")
def same_python_value_both(x):
    if x.sum() > 0:
        name, y = "same", x + 1
    else:
        name, y = "same", x - 1
    return y, name


@program(levels, "branch python_out")
def large_int(x, level):
    n = 2**40 + 1 if level > 1 else 2**53 - 1
    return x, n


@program(signs, "branch python_out")
def precise_float(x):
    v = 0.1 + 0.2 if x.sum() > 0 else 1e-300
    return x, v


@program(signs, "branch python_out")
def nan_and_inf(x):
    v = float("inf") if x.sum() > 0 else float("nan")
    return x * 2, v


@program(signs, "branch python_out")
def number_into_tensor(x):
    k = 2 if x.sum() > 0 else 3
    return torch.tensor(k), torch.tensor([k, k + 1]), torch.full((2,), k)


@program(signs, "branch python_out")
def number_keeps_weak_promotion(x):
    # a Python float does not promote an int8 or a half tensor
    k = 2.0 if x.sum() > 0 else 3.0
    n = 2 if x.sum() > 0 else 3
    return x.half() * k, torch.ones(2, dtype=torch.int8) * n, torch.ones(2, dtype=torch.int8) * k


# ------------------------------------------------------------------ containers
@program(signs, "branch container")
def nested_tuples(x):
    if x.sum() > 0:
        return x, (x + 1, (x + 2,))
    return x * 2, (x - 1, (x - 2,))


@program(signs, "branch container")
def lists(x):
    if x.sum() > 0:
        out = [x, x + 1]
    else:
        out = [x - 1, x]
    return out


@program(signs, "branch container")
def list_built_before(x):
    out = [x]
    if x.sum() > 0:
        y = out[0] + 1
    else:
        y = out[0] - 1
    out.append(y)
    return out


@program(signs, "branch container")
def dicts(x):
    if x.sum() > 0:
        return {"a": x, "b": x + 1}
    return {"a": x - 1, "b": x}


@program(signs, "branch container differs")
def dict_key_order_differs(x):
    if x.sum() > 0:
        return {"a": x, "b": x + 1}
    return {"b": x - 1, "a": x}


@program(signs, "branch container differs")
def dict_keys_differ(x):
    if x.sum() > 0:
        return {"a": x}
    return {"b": x - 1}


@program(signs, "branch container differs")
def tuple_length_differs(x):
    if x.sum() > 0:
        return x, x + 1
    return (x,)


@program(signs, "branch container differs")
def list_against_tuple(x):
    if x.sum() > 0:
        return [x, x + 1]
    return (x, x - 1)


@program(signs, "branch container differs")
def tensor_against_tuple(x):
    if x.sum() > 0:
        return x
    return x, x + 1


@program(signs, "branch container")
def mixed_nest(x):
    if x.sum() > 0:
        state = {"h": (x, [x + 1, 2]), "name": "up", "n": 1}
    else:
        state = {"h": (x * 2, [x - 1, 3]), "name": "down", "n": 2}
    return state


Point = collections.namedtuple("Point", ["x", "y"])


class Typed(typing.NamedTuple):
    values: torch.Tensor
    count: int = 0


@program(signs, "branch container")
def namedtuples(x):
    if x.sum() > 0:
        p = Point(x, x + 1)
    else:
        p = Point(x - 1, y=x)
    return p.x + 2 * p.y, p


@program(signs, "branch container")
def typed_namedtuple(x):
    if x.sum() > 0:
        r = Typed(x * 2, 3)
    else:
        r = Typed(x)
    return r


@dataclasses.dataclass
class Result:
    value: torch.Tensor
    score: torch.Tensor
    label: str = "none"
    extra: typing.Optional[torch.Tensor] = None


@program(signs, "branch container")
def dataclass_both(x):
    if x.sum() > 0:
        r = Result(x, x.sum())
    else:
        r = Result(x * 2, x.mean())
    return r.value * r.score


@program(signs, "branch container")
def dataclass_returned(x):
    if x.sum() > 0:
        return Result(x, x.sum(), "up")
    return Result(x * 2, x.mean(), "down")


@program(signs, "branch container none")
def dataclass_with_optional(x):
    if x.sum() > 0:
        r = Result(x, x.sum(), extra=x + 1)
    else:
        r = Result(x, x.mean())
    return r.value if r.extra is None else r.value + r.extra


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: torch.Tensor
    b: float


@program(signs, "branch container")
def frozen_dataclass(x):
    f = Frozen(x, 2.0) if x.sum() > 0 else Frozen(x + 1, 0.5)
    return f.a * f.b


@program(signs, "branch container")
def ordered_dict(x):
    if x.sum() > 0:
        d = collections.OrderedDict(a=x, b=x + 1)
    else:
        d = collections.OrderedDict(a=x - 1, b=x)
    return d["a"] + 2 * d["b"]


@program(signs, "branch container")
def input_container_passes_through(x):
    box = {"v": x}
    out = box if x.sum() > 0 else {"v": x + 1}
    return out["v"] * 2


@program(lambda: [([t(1.0), t(2.0)],), ([t(-1.0), t(-2.0)],)], "branch container alias", grad=False)
def input_list_or_new(xs):
    if xs[0] > 0:
        return xs
    return [xs[1], xs[0]]


@program(signs, "branch container")
def zip_and_enumerate_results(x):
    if x.sum() > 0:
        parts = [x, x + 1, x + 2]
    else:
        parts = [x, x - 1, x - 2]
    total = torch.zeros_like(x)
    for i, p in enumerate(parts):
        total = total + i * p
    return total, len(parts)


@program(signs, "branch container")
def torch_size_from_branch(x):
    if x.sum() > 0:
        shape = x.shape
    else:
        shape = (x * 2).shape
    return torch.zeros(shape), shape


@program(vectors, "branch", sizes=vectors)
def size_used_in_branch(x):
    if x.sum() > 0:
        n = x.shape[0]
    else:
        n = x.shape[0] * 2
    return x * n, n


# ------------------------------------------------------------------ undefined names
@program(signs, "branch undefined")
def undefined_then_defined(x):
    if x.sum() > 0:
        y = x
    else:
        z = x * 2
    y = x + 1
    z = y * 2
    return y + z


@program(signs, "branch undefined raises", grad=False)
def undefined_tuple_element(x):
    if x.sum() > 0:
        a, b = x, x + 1
    else:
        a = x
    return a, b


@program(pairs, "branch undefined")
def undefined_never_read(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            w = x
        else:
            v = y
    return x + y


# ------------------------------------------------------------------ lazy sides
@program(lambda: [(t(4.0, 9.0),), (t(-4.0, 9.0),)], "branch lazy")
def square_root_only_where_valid(x):
    if (x >= 0).all():
        return x.sqrt()
    return x


@program(lambda: [(t(1.0, 2.0, 3.0), s(1)), (t(1.0, 2.0, 3.0), s(9))], "branch lazy")
def index_only_where_in_range(x, i):
    if i < 3:
        return x[i]
    return x[-1]


@program(lambda: [(ints(6, 4), s(2)), (ints(6, 4), s(0))], "branch lazy", grad=False)
def integer_division_by_zero_untaken(x, d):
    if d != 0:
        return x // d
    return x


@program(lambda: [(t(1.0, 2.0), ints(0, 1)), (t(1.0, 2.0), ints(0, 5))], "branch lazy")
def gather_only_where_in_range(x, i):
    if i.max() < 2:
        return x[i]
    return x


@program(lambda: [(t(2.0, 1.0, 1.0, 2.0).view(2, 2),), (t(1.0, 2.0, 2.0, 1.0).view(2, 2),)], "branch lazy")
def cholesky_only_where_positive(m):
    if torch.linalg.eigvalsh(m).min() > 0:
        return torch.linalg.cholesky(m)
    return m


@program(signs, "branch lazy random")
def random_on_one_side(x):
    if x.sum() > 0:
        x = x + torch.rand(3)
    return x + torch.rand(3)


@program(signs, "branch lazy random")
def random_on_both_sides(x):
    if x.sum() > 0:
        y = torch.randn(3)
    else:
        y = torch.rand(3) * torch.rand(())
    return x * y + torch.rand(())


@program(signs, "branch")
def strides_of_one_row(x):
    if x.sum() > 0:
        y = x.expand(2, 3).clone().unsqueeze(0).transpose(0, 1)
    else:
        y = torch.stack([x, x + 1]).unsqueeze(1)
    return y * 2


@program(signs, "branch")
def strides_of_one_row_on_one_side(x):
    y = None
    if x.sum() > 0:
        y = torch.stack([x, x + 1]).unsqueeze(0).transpose(0, 1)
    return x if y is None else y


@program(lambda: [(t(1.0, -1.0, 1.0),), (t(-1.0, -1.0, -1.0),), (t(-1.0, 1.0, -1.0),), (t(1.0, 1.0, 1.0),)], "branch")
def one_alternative_for_each_kind(x):
    best, where, word = None, -1, "none"
    for k in range(3):
        if x[k] > 0:
            best = x * k if best is None else best + x
            where, word = (k, k / 2), "some"
    return best, where, word
