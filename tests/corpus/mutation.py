"""In-place tensor work in branches and loops."""

from collections import deque

import torch
from torch import nn

from .program import bools, counts, factory, flags, ints, pairs, program, rand, s, signs, t


@program(signs, "state", grad=False)
def add_to_input(x):
    if x.sum() > 0:
        x.add_(1)
    return x * 2


@program(signs, "state", grad=False)
def add_to_input_returns_none(x):
    if x.sum() > 0:
        x.add_(1)


@program(signs, "state", grad=False)
def augmented_assignment_to_input(x):
    if x.sum() > 0:
        x += 1
    else:
        x *= 2
    return x


@program(signs, "state")
def mutate_intermediate(x):
    y = x * 2
    if x.sum() > 0:
        y.mul_(3)
    return y


@program(signs, "state")
def mutate_clone_inside(x):
    if x.sum() > 0:
        y = x.clone()
        y[0] = 0
        y.add_(1)
    else:
        y = x * 2
    return y


@program(signs, "state", grad=False)
def item_assignment(x):
    if x.sum() > 0:
        x[0] = 10.0
    return x


@program(signs, "state", grad=False)
def slice_assignment(x):
    if x.sum() > 0:
        x[1:] = x[:2] * 2
    else:
        x[:1] += 5
    return x.clone()


@program(signs, "state", grad=False)
def mask_assignment(x):
    if x.sum() > 0:
        x[x > 1] = 0.0
    return x + 1


@program(signs, "state")
def mask_assignment_to_intermediate(x):
    y = x * 1
    if (y > 1).any():
        y[y > 1] = 1
    return y / 2


@program(signs, "state", grad=False)
def index_tensor_assignment(x):
    i = torch.tensor([0, 2])
    if x.sum() > 0:
        x[i] = torch.tensor([7.0, 8.0])
    return x


@program(pairs, "state", grad=False)
def copy_between_inputs(x, y):
    if x.sum() > 0:
        x.copy_(y)
    return x + y


@program(pairs, "state", grad=False)
def out_argument(x, y):
    if x.sum() > 0:
        torch.add(x, y, out=y)
    return y * 2


@program(signs, "state", grad=False)
def two_names_of_one_tensor(x):
    y = x
    if x.sum() > 0:
        y.add_(1)
    return x, y


@program(lambda: [(x := t(1.0, 2.0), x), (y := t(-1.0, -2.0), y)], "state alias", grad=False)
def one_tensor_given_twice(x, y):
    if x.sum() > 0:
        x.add_(1)
    return x + y


@program(signs, "state alias", grad=False)
def mutate_through_view(x):
    v = x[1:]
    if x.sum() > 0:
        v.zero_()
    return x + 1


@program(signs, "state alias", grad=False)
def mutate_base_read_view(x):
    v = x[1:]
    if x.sum() > 0:
        x.mul_(10)
    return v + 1


@program(signs, "state alias")
def view_of_intermediate(x):
    y = x * 2
    v = y.view(3, 1)
    if x.sum() > 0:
        v.add_(1)
    return y


@program(signs, "state", grad=False)
def mutate_then_return_early(x):
    if x.sum() > 0:
        x.add_(100)
        return x.sum()
    return x.mean()


@program(pairs, "state", grad=False)
def nested_mutation(x, y):
    if x.sum() > 0:
        x.add_(1)
        if y.sum() > 0:
            y.mul_(2)
            x.sub_(y)
    return x + y


@program(signs, "state", grad=False)
def no_grad_update(x):
    w = x.clone()
    with torch.no_grad():
        if w.sum() > 0:
            w -= 0.1 * w
    return w


@program(lambda: [([t(1.0), t(2.0)],), ([t(-1.0), t(2.0)],)], "state", grad=False)
def mutate_list_elements(xs):
    if xs[0] > 0:
        for v in xs:
            v.add_(1)
    return xs[0] + xs[1]


@program(lambda: [({"w": t(1.0, 2.0)},), ({"w": t(-1.0, -2.0)},)], "state", grad=False)
def mutate_dict_entry(params):
    if params["w"].sum() > 0:
        params["w"].mul_(0.5)
    return params["w"].sum()


class BufferUpdate(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        if x.sum() > 0:
            self.mean.mul_(0.9).add_(x.detach(), alpha=0.1)
            self.count.add_(1)
        return x - self.mean


@factory(lambda: signs() + signs(), "state inductor", grad=False)
def buffer_in_place():
    return BufferUpdate()


@factory(lambda: signs() + signs(), "state")
def buffer_in_place_with_gradient():
    return BufferUpdate()


class ParameterClamp(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 5.0, 9.0]))

    def forward(self, x):
        with torch.no_grad():
            if self.weight.norm() > 3:
                self.weight.mul_(0.5)
        return x * self.weight


@factory(lambda: signs() + signs(), "state", grad=False)
def parameter_clamped_under_no_grad():
    return ParameterClamp()


@program(counts, "state loop", grad=False)
def input_changed_in_loop(x, n):
    for i in range(int(n)):
        x.add_(i + 1)
    return x.sum()


@program(counts, "state loop", grad=False)
def elements_set_in_loop(x, n):
    for i in range(int(n)):
        x[i] = x[i] * 2 + i
    return x


@program(counts, "state loop")
def intermediate_changed_in_loop(x, n):
    y = x * 1
    for i in range(int(n)):
        y.mul_(2)
        y[0] += i
    return y


@program(counts, "state loop", grad=False)
def changed_in_branch_in_loop(x, n):
    for i in range(int(n)):
        if x.max() < 5:
            x.add_(2)
    return x


@factory(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (2, 0, 3)], "state loop", grad=False)
def buffer_changed_in_loop():
    class Loop(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x, n):
            for i in range(int(n)):
                self.total += x * i
            return self.total + x

    return Loop()


@program(lambda: [(rand(3, 3, seed=1), s(True)), (rand(3, 3, seed=1), s(False))], "state", grad=False)
def fill_diagonal(x, flag):
    if flag:
        x.fill_diagonal_(0.0)
    return x.sum()


@program(lambda: [(t(1.0, 2.0, 3.0), bools(True, False, True)), (t(1.0, 2.0, 3.0), bools(False, False, False))], "state", grad=False)
def masked_scale(x, mask):
    if mask.any():
        x[mask] *= 2
    return x


@program(lambda: [(t(1.0, 2.0, 3.0), ints(0, 0)), (t(1.0, 2.0, 3.0), ints(1, 2))], "state", grad=False)
def scatter_in_branch(x, i):
    if i.sum() > 0:
        x.scatter_(0, i, 5.0)
    else:
        x.index_add_(0, i, torch.ones(2))
    return x


@program(flags, "state", grad=False)
def resize_free_swap_of_contents(x, flag):
    y = x * 10
    if flag:
        tmp = x.clone()
        x.copy_(y)
        y.copy_(tmp)
    return x, y


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, -3.0),)], "state raises")
def needed_value_overwritten(x):
    # autograd needs the old value: an error, kept
    y = x * 1
    z = y.exp()
    if x.sum() > 0:
        z.add_(1)
    else:
        z.mul_(2)
    torch.autograd.grad((z * 1).sum(), y)
    return z


@program(counts, "state loop inductor", grad=False)
def argument_rebound_and_changed_in_loop(x, n):
    y = x
    for i in range(int(n)):
        y = y  # noqa: PLW0127
        y.add_(i + 1)
    return y + 1


@program(counts, "state loop", grad=False)
def argument_left_behind_in_loop(x, n):
    y = x
    for i in range(int(n)):
        y.add_(i + 1)
        y[0] *= 2
        if y.sum() > 12:
            y = y * 0.5
    return y, x.sum()


@program(counts, "state loop")
def intermediate_left_behind_in_loop(x, n):
    y = x * 2
    z = y
    for _ in range(int(n)):
        y.mul_(3)
        y = y + 1
    return y * 1, z * 2


@program(counts, "state loop alias", grad=False)
def two_carries_of_one_tensor(x, n):
    y = z = x.clone()
    for i in range(int(n)):
        y.add_(1)
        z = z * i
    return y, z


@program(counts, "state loop alias", grad=False)
def alias_made_in_loop(x, n):
    y, z = x.clone(), x.clone()
    for _ in range(int(n)):
        y.add_(1)
        z = y
    return y, z


@program(counts, "state loop alias", grad=False)
def carry_becomes_an_argument(x, n):
    y = x * 2
    for _ in range(int(n)):
        y.add_(1)
        y = x
    return y


@program(counts, "state loop alias append", grad=False)
def appended_then_changed(x, n):
    out, y = [], x.clone()
    for _ in range(int(n)):
        out.append(y)
        y.add_(1)
    return out


@program(counts, "state loop", grad=False)
def read_twice_around_a_branch(x, n):
    a = int(n) * x
    if x.sum() > 3 * n:
        a = a + int(n)
    for _ in range(int(n)):
        a = a + 1
    return a * int(n)


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, -3.0),)], "state alias", grad=False)
def view_at_a_position_then_base_changed(x):
    y, z = x * 1, x
    if x.sum() > 0:
        z = y[int(x[0]) :]
    y.add_(1)
    return z * 1


@program(signs, "state alias", grad=False)
def two_names_made_in_branch(x):
    if x.sum() > 0:
        a = b = torch.cumsum(x, 0)
    else:
        a, b = x * 2, x * 3
    a.add_(1)
    return a * 1, b * 1


@program(signs, "state alias", grad=False)
def base_and_view_made_in_branch(x):
    d = {}
    if x.sum() > 0:
        d["a"] = torch.cumsum(x, 0)
        d["b"] = d["a"][1:]
    else:
        d["a"], d["b"] = x, x[1:]
    d["a"].add_(1)
    return d["a"] * 1, d["b"] * 1, x * 1


@program(signs, "state alias", grad=False)
def swapped_then_changed_in_branch(x):
    a, c = x, x * 1
    if a.sum() > 0:
        a, c = c, a
    if x.max() > 1:
        a[1:] += 1
        a = a + a
    return a * 1, c * 1


def grids():
    """A matrix whose sum is positive or negative, and a count."""
    return [
        (t(1.0, 2.0, 3.0, 4.0).view(2, 2), s(2)),
        (t(-1.0, -2.0, 3.0, -4.0).view(2, 2), s(0)),
        (t(1.0, -2.0, -3.0, 4.5).view(2, 2), s(1)),
    ]


@program(grids, "state", grad=False)
def view_and_base(x, n):
    first = x[0]
    if x.sum() > 0:
        x[0] = first * 2
        x[1] += first
    return x, first


@program(grids, "state", grad=False)
def two_views_on_two_sides(x, n):
    first, second = x[0], x[1]
    if x.sum() > 0:
        first.mul_(3)
        second.add_(first)
    else:
        second.zero_()
    return x.sum(), first, second


@program(grids, "state")
def transposed_and_base(x, n):
    x = x * 1
    turned = x.t()
    if x.sum() > 0:
        turned[0] += 1
        x.mul_(2)
        y = turned.sum()
    else:
        y = turned.min()
    return x, y


@program(grids, "state", grad=False)
def view_and_base_in_loop(x, n):
    first = x[0]
    for _ in range(int(n)):
        x[1] += first
        first.mul_(2)
    return x, first


@program(grids, "state", grad=False)
def view_by_number_and_base(x, n):
    row = x[int(n) % 2]
    if row.sum() > 0:
        x.mul_(2)
        row.add_(1)
    return x


@program(grids, "state", grad=False)
def view_and_base_in_loop_in_branch(x, n):
    flat = x.view(-1)
    if x.sum() > 0:
        for _ in range(int(n)):
            flat += 1
            x[0, 0] = flat[3]
    return x, flat


@program(grids, "state", grad=False)
def detached_and_base(x, n):
    held = x.detach()
    if x.sum() > 0:
        held.add_(1)
        x.mul_(2)
    return x, held


@program(counts, "loop state", grad=False)
def entry_at_two_positions_of_the_data(x, n):
    table, i = torch.zeros(4, 4), int(n)
    kind = 2 if x[0] < n else 3
    table[i, i // 2] = kind
    for k in range(i):
        table[k, i - k] = k
        table[k, k // 2] = x[k] * i
    return table


@program(lambda: [(rand(3, 4), ints(*n)) for n in ((1, 2, 0, 3), (0, -1, 2, 2), (1, 5, 0, 0))], "state raises")
def entries_at_tuples_of_positions(x, at):
    rows, columns = zip(*at.view(2, 2), strict=True)
    y = x.clone()
    y[rows, columns] = -1.0
    return y, x[rows, :], x[rows, columns].sum()


@program(counts, "branch loop state", grad=False)
def rows_and_columns_at_positions_of_the_data(x, n):
    table, i = torch.zeros(4, 4), int(n)
    if x[0] < n:
        table[:, i] = x[0]
        table[i].add_(1)
    else:
        table[-1 - i, 1:] += 2
    for k in range(i):
        row = table[k]
        row[k:].mul_(2).sub_(x[k])
    return table


@program(lambda: [(t(1.0, 2.0), t(3.0, 4.0)), (t(-1.0, -2.0), t(3.0, 4.0)), (t(-1.0, -9.0), t(3.0, 4.0))], "state loop")
def other_name_from_loop_in_branch(x, y):
    a, b = x * 1, y * 1
    if a.sum() < 0:
        steps = 0
        while steps < 3 and (a > -5).all():
            steps += 1
            b = a
    b[1:] += 2
    return a, b


@program(counts, "state loop")
def changed_and_swapped(x, n):
    a, b = x * 1, x + 1
    kept = {"a": a}
    for _ in range(int(n)):
        b.mul_(2)
        a, b = b, a
    return a, b, kept


@program(signs, "state")
def deque_longer_on_one_side(x):
    queue = deque([x])
    if x.sum() > 0:
        queue.append(x * 2)
    return list(queue)


@program(signs, "state")
def deque_shorter_on_one_side(x):
    queue = deque([x, x * 2])
    if x.sum() > 0:
        queue.popleft()
    return queue[0]


@program(signs, "state")
def deque_rotated_on_one_side(x):
    queue = deque([x, x * 2], maxlen=2)
    if x.sum() > 0:
        queue.append(x * 3)
    return list(queue)


@program(signs, "state loop", grad=False)
def argument_changed_and_returned(x):
    steps = 0
    while True:
        steps += 1
        if x.mean() >= 0:
            break
        x.add_(1)
        return x
    return x


@program(signs, "state loop")
def changed_and_kept_under_a_key(x):
    a, steps, table = x * 1, 0, {}
    while steps < 2 and x.max() > -2:
        steps += 1
        a.add_(x)
        table.setdefault("first", a)
    return a, table


@program(signs, "state loop")
def changed_and_kept_on_the_first_trip(x):
    a, steps, first = x * 1, 0, None
    while steps < 2 and x.max() > -2:
        steps += 1
        a.add_(x)
        if first is None:
            first = a
    return a, first


@program(signs, "state loop", grad=False)
def identity_of_carries(x):
    a = b = x * 1
    steps = 0
    while steps < 3 and a.max() < 2:
        steps += 1
        if a is b:
            a = a + 1
        else:
            a, b = b, a
    return a, b


@program(signs, "state loop", grad=False)
def changed_while_kept_elsewhere(x):
    y, first, steps = x * 1, None, 0
    while steps < 3 and x.max() > -2:
        steps += 1
        y.add_(1)
        if first is None:
            first = y
        if steps > 1:
            y = y * 2
    return y, first


@program(signs, "state loop", grad=False)
def changed_and_kept_in_a_branch(x):
    a, steps, table = x * 1, 0, {}
    while steps < 2 and x.max() > -9:
        steps += 1
        if x.sum() > 0:
            a.add_(x)
            table.setdefault("first", a)
    return a, table


@program(counts, "loop state")
def table_read_where_written(x, n):
    table = torch.full((5, 2), 9.0)
    table[0, 0] = x[1] * 0
    for i in range(1, int(n) + 1):
        cost = x[0].abs() * i
        if table[i - 1, 1] < table[i, 0] + 1 and table[i - 1, 0] < 5:
            table[i, 1] = cost + table[i - 1, 1]
        else:
            table[i, 1] = cost - table[i, 0]
            table[i, 0] = cost
    return table


# ------------------------------------------------------------------ views of one tensor or another
@program(signs, "state")
def view_of_either_changed(x):
    y = x * 1
    z = y if x.sum() > 0 else y * 2
    row = z[1:]
    row.add_(1)
    return y, z, row


@program(signs, "state")
def either_changed_behind_a_view(x):
    y = x * 1
    z = y if x.sum() > 0 else y * 2
    row, flat = z[1:], z.view(-1)
    z[1] = 7.0
    if x[0] > 0:
        z.mul_(2)
    return y, row, flat * 1


@program(signs, "state", grad=False)
def view_of_an_input_or_not(x):
    z = x if x.sum() > 0 else x * 2
    first, *rest = z.unbind(0)
    first.add_(1)
    z.T.mul_(2)
    return z, first, rest


@factory(lambda: [(t(1.0, 2.0, 3.0),), (t(1.0, float("inf"), 3.0),), (t(0.5, 0.5, 0.5),)], "state")
def parameter_stepped_under_no_grad():
    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.scale = nn.Parameter(torch.ones(3)), 8.0

        def forward(self, g):
            g = g / self.scale
            if not torch.isfinite(g).all():
                self.scale /= 2
                return self.w * 1
            with torch.no_grad():
                self.w -= 0.1 * g
            return self.w * 2

    return Step()


@program(signs, "state", grad=False)
def rows_of_either_while_it_changes(x):
    y = x * 1
    z = y if x.sum() > 0 else y * 2
    found = []
    for row in z:
        found.append(row * 2)
        z.add_(0.5)
    first, *_ = z
    z.mul_(2)
    return found, first * 1, y


@program(signs, "state loop", grad=False)
def rows_of_either_in_a_loop(x):
    y = x * 1
    z = y if x.sum() > 0 else y * 2
    last, k = z[0] * 1, 0
    while k < x[0]:
        for i, row in enumerate(z):
            last = row * 2
            if i > k:
                break
            z.add_(0.5)
        k += 1
    return last, y


@program(signs, "state loop", grad=False)
def identity_with_what_was_before(x):
    y = x * 1
    before = y
    for _ in range(int(x[0].abs())):
        if y is before:
            y = y + 1
        else:
            y = y * 2
    return y


@program(lambda: [(t(1.0, 2.0),), (t(-1.0, 3.0),), (t(-2.0, -3.0),)], "state", grad=False)
def two_names_of_one_from_a_branch_in_a_branch(x):
    first, second, third = x * 1, x * 2, x * 3
    if x.max() > 0:
        first = x + 1 if x[0] > 0 else third
        second = first
    second[1] = 9
    return first, second


@program(lambda: [(t(1.0, 2.0, 3.0), ints(*i)) for i in ((0, 2), (2, 1), (-1, 0), (0, 0))], "state mutation", grad=False)
def item_at_a_position(x, i):
    y = x.clone()
    y[i[0]] = 7
    if i.sum() > 1:
        y[i[-1]] = y[0] * 2
    return y
