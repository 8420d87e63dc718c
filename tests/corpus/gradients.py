"""Training through branches."""

import torch
import torch.nn.functional as F
from torch import nn

from .program import counts, factory, pairs, program, rand, signs, t, three


class Dropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0, 0.5]))

    def forward(self, x):
        h = x * self.weight
        if h.sum() > 0:
            h = F.dropout(h, 0.5, training=self.training)
        return h * 2


@factory(lambda: [(t(*range(1, 65)).view(-1, 1).expand(64, 3).contiguous() / 64,), (-t(*range(1, 65)).view(-1, 1).expand(64, 3).contiguous(),)], "branch random inductor")
def dropout_in_branch():
    return Dropout()


class DropoutBothSides(nn.Module):
    def __init__(self):
        super().__init__()
        self.light, self.heavy = nn.Dropout(0.2), nn.Dropout(0.8)
        self.weight = nn.Parameter(torch.ones(64))

    def forward(self, x):
        h = x * self.weight
        if x.sum() > 0:
            return self.heavy(h)
        return self.light(h) + self.light(h)


@factory(lambda: [(torch.ones(64),), (-torch.ones(64),)], "branch random")
def dropout_on_both_sides():
    return DropoutBothSides()


@program(lambda: [(torch.ones(64),), (-torch.ones(64),)], "branch random")
def random_noise_multiplies(x):
    if x.sum() > 0:
        return x * torch.rand(64)
    return x * torch.bernoulli(torch.full((64,), 0.5))


@program(signs, "branch differs")
def requires_grad_differs(x):
    if x.sum() > 0:
        return x * 2
    return torch.zeros(3)


@program(signs, "branch differs")
def detached_on_one_side(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x.detach() * 3
    return y * x


@program(signs, "branch")
def int_beside_float(x):
    if x.sum() > 0:
        return x * 2, (x > 1).sum()
    return x * 3, (x < 1).sum()


@program(signs, "branch python_out")
def python_int_beside_differentiable(x):
    if x.sum() > 0:
        return x * 2, 7
    return x * 3, 8


@program(signs, "branch")
def argmax_beside_values(x):
    if x.sum() > 0:
        values, index = x.max(0)
    else:
        values, index = x.min(0)
    return values * 2, index


@program(pairs, "branch")
def input_used_on_one_side(x, y):
    if x.sum() > 0:
        return x * y
    return x * 2


@program(pairs, "branch")
def second_input_only(x, y):
    if x.sum() > 0:
        return y * 2
    return y * 3


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        if x.sum() > 0:
            return self.a(x)
        return self.b(x)


@factory(signs, "branch")
def parameters_of_one_side():
    return Experts()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 3)
        self.b.weight = self.a.weight

    def forward(self, x):
        h = self.a(x)
        if h.sum() > 0:
            h = self.b(h)
        return h


@factory(signs, "branch")
def tied_parameters():
    return Tied()


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.b.requires_grad_(False)

    def forward(self, x):
        if x.sum() > 0:
            return self.a(x)
        return self.b(x)


@factory(signs, "branch differs")
def frozen_parameters_on_one_side():
    return Frozen()


@program(lambda: [*three(), (t(2.0, 2.0, 2.0),)], "branch inductor")
def nested_gradient(x):
    y = x * x
    if y.sum() > 1:
        z = torch.sin(y)
        if z.sum() > 0:
            z = z * x
        else:
            z = z / (x.abs() + 1)
    else:
        z = torch.exp(y)
    return (z * y).sum()


@program(signs, "branch inductor")
def gradient_through_captured_intermediate(x):
    h = torch.tanh(x)
    g = h * 2
    if x.sum() > 0:
        y = g * h
    else:
        y = g
    return y + h


@program(signs, "branch")
def gradient_through_item(x):
    # .item() cuts the gradient
    scale = x.sum().item()
    if scale > 0:
        return x * scale
    return x - scale


@program(signs, "branch")
def loss_scalar(x):
    target = torch.tensor([0.5, 0.5, 0.5])
    loss = F.mse_loss(x, target)
    if loss > 4:
        loss = loss.sqrt()
    return loss


class BatchNormInBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        if x.mean() > 0:
            return self.norm(x)
        return x * 2


@factory(lambda: [(rand(8, 3, seed=1).abs(),), (-rand(8, 3, seed=1).abs(),), (rand(8, 3, seed=2).abs(),)], "branch state")
def batch_norm_in_branch():
    return BatchNormInBranch()


@factory(lambda: [(rand(8, 3, seed=1).abs(),), (-rand(8, 3, seed=1).abs(),)], "branch")
def batch_norm_in_branch_eval():
    return BatchNormInBranch().eval()


@program(signs, "branch")
def gradient_of_views(x):
    if x.sum() > 0:
        y = x[1:] * 2
    else:
        y = x[:2] * 3
    return y.view(2, 1)


@program(signs, "branch")
def embedding_lookup(x):
    table = torch.stack([x, x * 2, x * 3])
    if x.sum() > 0:
        i = torch.tensor([0, 2])
    else:
        i = torch.tensor([1, 1])
    return F.embedding(i, table)


@program(signs, "branch")
def autograd_grad_inside(x):
    with torch.enable_grad():
        v = x.detach().requires_grad_(True)
        y = (v * v).sum()
        (g,) = torch.autograd.grad(y, v)
    if g.sum() > 0:
        return x - 0.1 * g
    return x + 0.1 * g


@program(signs, "branch")
def no_grad_region_in_branch(x):
    if x.sum() > 0:
        with torch.no_grad():
            scale = x.norm()
        return x / scale
    return x * 2


@program(signs, "branch differs")
def leaf_returned_on_one_side(x):
    if x.sum() > 0:
        return x
    return x.detach()


@program(signs, "branch")
def select_with_infinite_gradient_untaken(x):
    # sqrt'(0) is infinite: a select would turn the gradient into NaN
    z = x - x.min()
    if x.sum() > 0:
        return z * 2
    return (z + 1).sqrt()


@program(lambda: [(t(0.0, 0.0),), (t(3.0, 4.0),)], "branch inductor")
def norm_with_zero_guard(x):
    if (x == 0).all():
        return x * 2
    return x / (x * x).sum().sqrt()


def turned(y):
    """Its gradient depends on y, of which autograd saves a mask only: y may be changed later."""
    return torch.where(y > 3, y * 2, y * -1)


@program(signs, "branch inductor")
def operand_changed_behind_branch(x):
    y = x * 2
    z = torch.linalg.norm(x) * turned(y) if x.sum() > 0 else turned(y) + 1
    y.add_(1)
    return z + y


@program(counts, "branch loop")
def operand_changed_behind_loop(x, n):
    y, z = x * 2, x
    for _ in range(int(n)):
        z = z + turned(y)
    y.mul_(3)
    return z + y


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(1.0, 0.5, 1.5),), (t(-1.0, -2.0, -3.0),)], "branch")
def operand_changed_in_region(x):
    z = x
    if x.sum() > 0:
        y = x * 2
        if x.max() > 2:
            z = turned(y) + x.exp()
        y.add_(1)
        z = z + y
    return z


class _Put(torch.autograd.Function):
    """Writes a row without that the table's version counts it, as `torchdiffeq` does."""

    @staticmethod
    def forward(ctx, table, row, at):
        ctx.at = at
        table.data[at] = row
        return table

    @staticmethod
    def backward(ctx, grad):
        return grad, grad[ctx.at], None


@program(counts, "loop")
def rows_put_past_the_version(x, n):
    for _ in range(int(n)):
        table = torch.zeros(2, 3)
        table = _Put.apply(table, x * 2, 0)
        table = _Put.apply(table, table[0] + x, 1)
        x = table.sum(0) * 0.5
    return x * 1



@program(lambda: [(t(1.1, 0.9),), (t(1.5, 1.7),), (t(3.0, 9.0),)], "loop branch state inductor")
def changed_in_a_branch_in_a_loop(x):
    """The backward of the branch takes what entered it, and not what the loop has made of that behind it."""
    y, step = x * 1, 0
    while step < 2 and y.sum() < 99:
        step += 1
        if y.sum() < 5:
            y.mul_(y * 1)
    return y


@program(lambda: [(t(1.1, 0.9),), (t(1.5, 1.7),), (t(6.0, 7.0),)], "loop branch state")
def two_changed_in_a_loop_with_an_exit(x):
    y, factor, step = x * 1, x * 1, 0
    while step < 2:
        step += 1
        if (y > 5).all():
            break
        for row in factor:
            factor = factor * row
            y.mul_(factor)
    return y


@program(lambda: [(t(0.5, 0.2),), (t(-0.5, 0.2),)], "branch inductor")
def two_results_added(x):
    if x.sum() > 0:
        a, b = x.exp(), x.sin()
    else:
        a, b = x.cos(), x.tan()
    return a + b


@program(lambda: [(t([0.5, 0.2], [1.0, 2.0]),), (t([-0.5, 0.2], [1.0, -2.0]),)], "branch inductor")
def results_stacked(m):
    if m[0, 0] + m[1, 1] > 0:
        rows = [m[0] / 4, m[1]]
    else:
        rows = [m[1], m[0]]
    return torch.stack(rows)
