"""What a module keeps that is None, infinite or of another kind in the first call: one graph for all calls."""

import torch
from torch import nn

from .program import factory, t


def frames():
    return [(t(*v),) for v in ((1.0, 2.0), (1.5, 1.0), (-3.0, -1.0), (2.0, 2.0), (2.0, 2.0), (0.1, 0.1), (5.0, 5.0))]


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept, self.other, self.count = None, None, 0


@factory(frames, "state one_graph", grad=False)
def running_mean():
    class Mean(Module):
        def forward(self, x):
            mean = x.mean()
            if self.kept is None:
                self.kept = mean
            elif mean > 0:
                self.kept = 0.9 * self.kept + 0.1 * mean
            return x - self.kept

    return Mean()


@factory(frames, "state one_graph", grad=False)
def put_back_to_none():
    class Stream(Module):
        def forward(self, x):
            x = x if self.kept is None else self.kept * 0.5 + x
            self.kept = None if x.sum() > 4 else x * 1
            return x

    return Stream()


@factory(frames, "state one_graph", grad=False)
def two_that_are_filled_apart():
    class Two(Module):
        def forward(self, x):
            if x.sum() > 0:
                self.kept = x * 2
            else:
                self.other = x * 3
            if self.kept is not None and self.other is not None:
                return self.kept + self.other
            return x if self.kept is None else self.kept

    return Two()


@factory(frames, "state one_graph", grad=False)
def buffer_made_by_the_first_call():
    class Buffer(Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", None)

        def forward(self, x):
            if self.total is None:
                self.total = torch.zeros_like(x)
            if x.sum() > 0:
                self.total = self.total + x
            return self.total * 1

    return Buffer()


@factory(frames, "state one_graph", grad=False)
def cache_changed_in_place():
    class Cache(Module):
        def forward(self, x):
            if self.kept is None:
                self.kept = torch.zeros(3, 2)
            if x.sum() > 0:
                self.kept[0] += x
            self.kept[1] = x
            return self.kept.sum(0)

    return Cache()


@factory(frames, "state one_graph", grad=False)
def least_from_infinity():
    class Least(Module):
        def __init__(self):
            super().__init__()
            self.least = float("inf")

        def forward(self, x):
            size = x.abs().sum().item()
            if size < self.least:
                self.least, self.count = size, 0
            else:
                self.count += 1
            return x * self.least

    return Least()


@factory(frames, "state one_graph", grad=False)
def least_from_none():
    class Least(Module):
        def forward(self, x):
            size = x.abs().sum().item()
            if self.kept is None or size < self.kept:
                self.kept = size
                self.count += 1
            return x * self.kept

    return Least()


@factory(frames, "state one_graph", grad=False)
def one_tensor_in_two_places():
    class Steps(Module):
        def __init__(self):
            super().__init__()
            self.state = {"hidden": None, "previous": None}

        def forward(self, x):
            hidden = self.state["hidden"]
            if hidden is None:
                hidden = torch.zeros(2)
            hidden = torch.tanh(x + hidden)
            if self.state["previous"] is not None and (hidden - self.state["previous"]).abs().max() < 0.5:
                return hidden * 0
            self.state["hidden"] = hidden
            self.state["previous"] = hidden
            return hidden * 1

    return Steps()


@factory(frames, "state one_graph", grad=False)
def known_again():
    class Known(Module):
        def forward(self, x):
            is_new = self.kept is None or not torch.equal(x, self.kept)
            self.kept = x.clone()
            return x * 2 if is_new else x * 0

    return Known()


@factory(frames, "state", grad=False, min_graphs=2)
def no_other_test_of_tensors():
    class Lazy(Module):
        def forward(self, x):
            if self.kept is None:
                self.kept = torch.arange(2.0)
            return x + self.kept

    return Lazy()


@factory(lambda: frames()[:2] + [(t(1.0, 2.0, 3.0),), (t(-1.0, -2.0, 3.0),)], "state", grad=False)
def of_another_size_later():
    class Sized(Module):
        def forward(self, x):
            if self.kept is None or self.kept.shape != x.shape or (x - self.kept).abs().max() > 1:
                self.kept = x
            return x + self.kept

    return Sized()


@factory(lambda: [(x := t(1.0, 2.0),), (x,), (t(3.0, -9.0),), (x,)], "state", grad=False)
def argument_that_is_kept_and_changed():
    class Kept(Module):
        def forward(self, x):
            if self.kept is not None and self.kept.sum() > 0:
                self.kept.mul_(2)
            self.kept = x
            return x + 1

    return Kept()


@factory(lambda: [(x := t(1.0, 2.0),), (x,), (t(-3.0, -9.0),), (x,)], "state", grad=False)
def argument_that_is_kept_and_asked_for():
    class Kept(Module):
        def forward(self, x):
            is_same = self.kept is not None and self.kept is x
            self.kept = x if x.sum() > 0 else x * 2
            return x * 2 if is_same else x

    return Kept()


@factory(frames, "state one_graph")
def with_a_gradient_for_the_argument():
    class Gate(Module):
        def forward(self, x):
            y = x * 2 if self.kept is None else x * self.kept
            if self.kept is None or x.sum() > 2:
                self.kept = x.detach() + 1
            return y

    return Gate()


@factory(frames, "state one_graph", grad=False)
def stopped_after_two_without_a_better_one():
    class Stop(Module):
        def __init__(self):
            super().__init__()
            self.stopped = False

        def forward(self, x):
            size = x.abs().sum()
            if self.kept is None or size < self.kept:
                self.kept, self.count = size, 0
            else:
                self.count += 1
            if self.count >= 2:
                self.stopped = True
            return x * 0 if self.stopped else x * 2

    return Stop()


@factory(frames, "state one_graph", grad=False)
def ring_of_rows():
    class Ring(Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rows", torch.zeros(3, 2))
            self.place, self.is_full = 0, False

        def forward(self, x):
            if x.sum() > 0:
                self.rows[self.place] = x
                self.place = (self.place + 1) % 3
                if self.place == 0:
                    self.is_full = True
            return self.rows.sum(0), self.is_full

    return Ring()


@factory(frames, "state one_graph", grad=False)
def drift_since_the_last_whole_step():
    """The first call tests no tensor, and the drift is an int, a float, or either."""

    class Skip(Module):
        def __init__(self):
            super().__init__()
            self.drift = 0

        def forward(self, x):
            if self.count in (0, 4):
                whole, self.drift = True, 0
            else:
                self.drift += ((x - self.kept).abs().mean() / self.kept.abs().mean()).item()
                whole = not self.drift < 0.6
                if whole:
                    self.drift = 0
            self.kept, self.count = x * 1, (self.count + 1) % 5
            if not whole:
                return x + self.other
            self.other = x * x - x
            return x * x

    return Skip()


@factory(frames, "state one_graph", grad=False)
def zero_and_then_a_tensor():
    class Total(Module):
        def forward(self, x):
            if x.sum() < 0:
                self.count = 0
            else:
                self.count = self.count + x.sum()
            return x + self.count

    return Total()


@factory(frames, "state one_graph", grad=False)
def false_and_then_a_count():
    class Streak(Module):
        def __init__(self):
            super().__init__()
            self.streak = False

        def forward(self, x):
            if x.sum() > 3:
                self.streak = False
            elif x.sum() < 0:
                self.streak = 3
            else:
                self.streak = self.streak + 1
            return x * self.streak, self.streak

    return Streak()


@factory(frames, "state one_graph", grad=False)
def best_in_several_kinds():
    class Best(Module):
        def forward(self, x):
            mean = x.mean().item()
            if self.kept is None or mean > self.kept:
                self.kept = mean
            elif mean < 0:
                self.kept = None
            else:
                self.kept = 1
            return x * 2, self.kept

    return Best()


@factory(frames, "state one_graph", grad=False)
def sum_begun_again():
    class Chunk(Module):
        def __init__(self):
            super().__init__()
            self.rows = 0

        def forward(self, x):
            if self.count == 0 or x.sum() < 0:
                self.rows, self.count = x * 1, 1
            else:
                self.rows, self.count = self.rows + x, self.count + 1
            return self.rows / self.count

    return Chunk()

