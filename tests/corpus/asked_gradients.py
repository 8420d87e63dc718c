"""Gradients that a program asks for itself, where tensor values decide."""

import torch

from .program import program, t


def _steps():
    """Three vectors that take both sides and no, one and more trips, and weights."""
    return [(t(*x), t(1.0, 1.3)) for x in ((0.5, 2.0), (0.5, 0.2), (-0.5, 0.2))]


@program(_steps, "branch inductor")
def of_a_local_in_branch(x, w):
    if x.sum() > 0:
        with torch.enable_grad():
            y = x.detach().requires_grad_(True)
            (g,) = torch.autograd.grad((y * y * w.detach()).sum(), (y,))
        return g
    return x * 2


@program(_steps, "branch")
def under_no_grad(x, w):
    with torch.no_grad():
        if x.sum() > 0:
            with torch.enable_grad():
                y = x.detach().requires_grad_(True)
                v = w.detach().requires_grad_(True)
                z = y * y * v if y.max() > 1 else y * v
                g, h = torch.autograd.grad(z.sum(), (y, v), allow_unused=True)
            return g + h
        return x * 2


@program(lambda: [*_steps(), (t(0.8, 0.7), t(1.0, 1.3))], "loop inductor")
def descent(x, w):
    v = w.detach().requires_grad_(True)
    with torch.no_grad():
        while x.sum() > 1:
            with torch.enable_grad():
                y = x.detach().requires_grad_(True)
                z = y * y * v if y.max() > 1 else y * v
                g, h = torch.autograd.grad(z.sum(), (y, v), allow_unused=True)
                g = torch.zeros_like(x) if g is None else g
                h = torch.zeros_like(x) if h is None else h
            x = x - 0.1 * (g + h).abs()
    return x


@program(_steps, "loop")
def through_a_loop(x, w):
    y = x.detach().requires_grad_()
    z = y
    while z.sum() < 10 and z.sum() > 0:
        z = z * y + z * 2
    (g,) = torch.autograd.grad(z.sum(), (y,), allow_unused=True)
    return g if g is not None else y.detach() * w


@program(_steps, "branch")
def through_a_branch(x, w):
    y, v = x.detach().requires_grad_(), w.detach().requires_grad_()
    z = y * v if x.sum() > 0 else v - y * 2
    g, h = torch.autograd.grad(z.sum(), (y, v), allow_unused=True)
    return g + h


@program(_steps, "loop")
def backward_through_a_loop(x, w):
    p = w.detach().clone().requires_grad_()
    z = x.detach() * p
    while z.sum() < 10 and z.sum() > 0:
        z = z * p + z * 2
    z.sum().backward()
    return p.grad


@program(_steps, "branch")
def backward_in_a_branch(x, w):
    p = w.detach().clone().requires_grad_()
    if x.sum() < 1:
        (x.detach() * p).sum().backward()
        return p.grad
    return p.detach()


class Penalty(torch.autograd.Function):
    """Numbers of the data in a forward, and a loop in a backward that asks for gradients."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        steps = int(x.abs().sum().clamp(max=3))
        return x * w * steps

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        with torch.no_grad():
            total = torch.zeros_like(x)
            while total.sum() < 3:
                with torch.enable_grad():
                    y = x.detach().requires_grad_()
                    (g,) = torch.autograd.grad((y * y * w.detach()).sum(), y)
                total = total + g.abs() + 0.5
            w = w.clone()
        return grad * total, grad * w


@program(_steps, "branch")
def function_that_asks(x, w):
    return Penalty.apply(x * 2, w) + x


# Whether there is a gradient at all is up to the data.


@program(_steps, "loop")
def none_without_a_trip(x, w):
    y, v = x.detach().requires_grad_(), w.detach().requires_grad_()
    z = y
    while z.sum() < 10 and z.sum() > 0:
        z = z * y * v + z * 2
    g, h = torch.autograd.grad(z.sum(), (y, v), allow_unused=True)
    return g if h is None else g + h


@program(_steps, "branch")
def none_on_one_side(x, w):
    y, v = x.detach().requires_grad_(), w.detach().requires_grad_()
    z = y * v if x.sum() > 0 else y * 2
    g, h = torch.autograd.grad(z.sum(), (y, v), allow_unused=True)
    return g if h is None else g + h


# What a region does not know is how its operands were made.


@program(_steps, "branch")
def through_what_was_made_outside(x, w):
    v = w.detach().requires_grad_()
    y = v * 3
    if x.sum() > 0:
        (g,) = torch.autograd.grad((y * x.detach()).sum(), (v,), allow_unused=True)
        return x if g is None else g
    return x * 2


@program(_steps, "loop")
def through_earlier_trips(x, w):
    v = w.detach().requires_grad_()
    a, x = v, x.detach()
    while x.sum() > 0:
        a = a * v
        (g,) = torch.autograd.grad((a * x).sum(), (v,), allow_unused=True)
        x = x - 1 - g.abs()
    return x


@program(_steps, "branch raises")
def raises_under_no_grad(x, w):
    with torch.no_grad():
        scale = w * 2
        if x.max() > 1:
            raise ValueError("too large")
    return x * scale
