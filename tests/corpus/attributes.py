"""Attributes and containers changed in branches and loops."""

import collections
import dataclasses

import torch
from torch import nn

from .program import counts, counts, factory, flags, pairs, program, rand, s, signs, t


def twice():
    return signs() + signs()


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.positive = 0
        self.last = None

    def forward(self, x):
        self.step += 1
        if x.sum() > 0:
            self.positive += 1
            y = x * 2
        else:
            y = x
        return y


@factory(twice, "state", grad=False)
def python_counter():
    return Counter()


class Remember(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(3)

    def forward(self, x):
        if x.sum() > 0:
            self.cache = x * 2
        return x + self.cache


@factory(twice, "state", grad=False)
def tensor_attribute():
    return Remember()


class LazyInit(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("initialized", torch.tensor(0))
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        if self.initialized.item() == 0:
            self.scale.copy_(x.abs().detach())
            self.initialized.fill_(1)
        return x / self.scale


@factory(twice, "state", grad=False)
def first_call_initialization():
    return LazyInit()


class ReassignedBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("running", torch.zeros(3))

    def forward(self, x):
        if x.sum() > 0:
            self.running = 0.9 * self.running + 0.1 * x.detach()
        return x - self.running


@factory(twice, "state inductor", grad=False)
def buffer_reassigned():
    return ReassignedBuffer()


class TableOfAType(nn.Module):
    """As CTRL of transformers keeps its table of positions."""

    def __init__(self):
        super().__init__()
        self.table = nn.Buffer(torch.arange(3.0), persistent=False)
        self.rows = nn.Buffer(torch.ones(3))

    def forward(self, x):
        self.table = self.table.to(x.dtype)
        self.rows = self.rows.contiguous()
        if x.sum() > 0:
            x = x + self.table
        return x * self.rows, self.table.persistent, self.rows.persistent, "table" in self.state_dict()


@factory(twice, "state", grad=False)
def buffer_of_a_type():
    return TableOfAType()


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Remember()
        self.info = {"hits": 0, "last": torch.zeros(3)}
        self.history = []

    def forward(self, x):
        if x.sum() > 0:
            self.inner.cache = x + 1
            self.info["hits"] += 1
            self.info["last"] = x
        return x + self.info["last"] + self.inner.cache


@factory(twice, "state", grad=False)
def nested_fields():
    return Nested()


class NoneThenTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = None

    def forward(self, x):
        if self.cache is None or (x - self.cache).abs().max() > 3:
            self.cache = x
        return x + self.cache


@factory(lambda: [(t(1.0, 2.0),), (t(1.5, 2.5),), (t(9.0, 9.0),), (t(9.5, 9.0),)], "state", grad=False)
def none_attribute_filled():
    return NoneThenTensor()


class KvCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 2))
        self.register_buffer("length", torch.tensor(0))

    def forward(self, k):
        n = int(self.length)
        if n + k.shape[0] > 8:
            self.keys.zero_()
            n = 0
        self.keys[n : n + k.shape[0]] = k
        self.length.fill_(n + k.shape[0])
        return self.keys.sum(0)


@factory(lambda: [(rand(3, 2, seed=i),) for i in range(4)], "state", grad=False)
def kv_cache_with_length():
    return KvCache()


class ModeSwitch(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = "idle"
        self.scale = 1.0

    def forward(self, x):
        if x.sum() > 0:
            self.mode = "up"
            self.scale = 2.0
        return x * self.scale


@factory(twice, "state", grad=False)
def string_and_float_attributes():
    return ModeSwitch()


class Meter:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def update(self, v):
        self.total = self.total + v.item()
        self.count += 1

    def __call__(self, x):
        if x.sum() > 0:
            self.update(x.sum())
        return x * 2


@factory(twice, "state", grad=False)
def plain_object():
    return Meter()


@program(signs, "state")
def object_created_in_branch(x):
    class Box:
        pass

    if x.sum() > 0:
        box = Box()
        box.value = x * 2
        box.name = "up"
    else:
        box = Box()
        box.value = x
        box.name = "down"
    return box.value, box.name


@program(signs, "state")
def object_changed_in_branch(x):
    class Box:
        def __init__(self, v):
            self.value = v

    box = Box(x)
    if x.sum() > 0:
        box.value = box.value * 2
        box.extra = x.sum()
    return box.value


@program(lambda: [(t(1.0, 2.0), []), (t(-1.0, -2.0), [])], "state", grad=False)
def append_to_argument(x, log):
    if x.sum() > 0:
        log.append(x * 2)
    return x


@program(lambda: [(t(1.0, 2.0), ["a"]), (t(-1.0, -2.0), ["a"])], "state", grad=False)
def append_string_to_argument(x, log):
    if x.sum() > 0:
        log.append("positive")
    else:
        log.append("negative")
    return x + 1


@program(lambda: [(t(1.0, 2.0), [1, 2, 3]), (t(-1.0, -2.0), [1, 2, 3])], "state", grad=False)
def pop_and_insert(x, items):
    if x.sum() > 0:
        last = items.pop()
        items.insert(0, last)
    else:
        items.extend([7, 8])
        del items[0]
    return x * len(items)


@program(lambda: [(t(1.0, 2.0), [t(0.0), t(1.0)]), (t(-1.0, -2.0), [t(0.0), t(1.0)])], "state", grad=False)
def list_item_and_slice_assignment(x, items):
    if x.sum() > 0:
        items[0] = x
    else:
        items[0:2] = [x, x + 1]
    return items[0] + items[1]


@program(lambda: [(t(1.0, 2.0),), (t(-1.0, -2.0),)], "state", grad=False)
def own_list_changed_on_one_side(x):
    items = [1, 2]
    rows = [x, x + 1]
    if x.sum() > 0:
        items[0] = 5
        items.reverse()
        rows[1] = x * 2
    return x * items[0], items, rows


@program(lambda: [(t(1.0, 2.0), {"n": 0}), (t(-1.0, -2.0), {"n": 0})], "state", grad=False)
def dict_updates(x, d):
    if x.sum() > 0:
        d["n"] = d["n"] + 1
        d["v"] = x
    else:
        d.update(n=5, v=x * 2)
    return d["v"]


@program(lambda: [(t(1.0, 2.0), {"n": 0}), (t(-1.0, -2.0), {"n": 0})], "state", grad=False)
def dict_key_added_on_one_side(x, d):
    if x.sum() > 0:
        d["v"] = x
    return x * 2


@program(signs, "state")
def setdefault_and_get(x):
    d = {}
    if x.sum() > 0:
        d.setdefault("a", x)
    else:
        d.setdefault("a", x * 2)
    d.setdefault("a", x * 100)
    return d["a"] + d.get("b", 1.0)


@program(signs, "state")
def set_updates(x):
    names = {"a"}
    if x.sum() > 0:
        names.add("b")
    else:
        names.add("c")
    return x * len(names), "b" in names


@program(signs, "state")
def deque_(x):
    window = collections.deque([x, x + 1], maxlen=2)
    if x.sum() > 0:
        window.append(x * 2)
    else:
        window.appendleft(x * 3)
    return window[0] + 10 * window[1]


@dataclasses.dataclass
class Stats:
    mean: torch.Tensor
    count: int = 0


@program(lambda: [(t(1.0, 2.0), Stats(torch.zeros(2))), (t(-1.0, -2.0), Stats(torch.zeros(2)))], "state", grad=False)
def dataclass_argument_updated(x, stats):
    if x.sum() > 0:
        stats.mean = stats.mean + x
        stats.count += 1
    return x - stats.mean


@program(signs, "state")
def dataclasses_replace(x):
    stats = Stats(x)
    if x.sum() > 0:
        stats = dataclasses.replace(stats, mean=x * 2, count=3)
    return stats.mean * (stats.count + 1)


CALLS = 0


def _calls():
    return CALLS


def _reset_calls():
    global CALLS
    CALLS = 0
    return signs() + signs()


@program(_reset_calls, "state", grad=False, watch=_calls)
def global_counter(x):
    global CALLS
    if x.sum() > 0:
        CALLS += 1
    return x * 2


TABLE = {"last": None}


def _table():
    return TABLE


def _reset_table():
    TABLE["last"] = None
    return signs()


@program(_reset_table, "state", grad=False, watch=_table)
def global_dict(x):
    if x.sum() > 0:
        TABLE["last"] = x * 2
    return x + 1


@program(signs, "state")
def nonlocal_in_branch(x):
    seen = 0
    best = x

    def visit(v):
        nonlocal seen, best
        if v.sum() > 0:
            seen += 1
            best = v

    visit(x)
    visit(x * 2)
    visit(-x)
    return best, seen


@program(pairs, "state", grad=False)
def nested_two_deep(x, y):
    log = {"a": 0, "b": 0}
    if x.sum() > 0:
        log["a"] += 1
        if y.sum() > 0:
            log["b"] += 1
            x = x + y
    return x, log


@program(counts, "state loop", grad=False)
def counter_attribute_in_loop(x, n):
    class Box:
        def __init__(self):
            self.steps = 0
            self.total = torch.zeros(3)

    box = Box()
    for i in range(int(n)):
        box.steps += 1
        box.total = box.total + x * i
    return box.total, box.steps


@factory(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (2, 0, 3)], "state loop", grad=False)
def module_state_in_loop():
    class Walk(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps = 0
            self.position = torch.zeros(3)

        def forward(self, x, n):
            for _ in range(int(n)):
                self.steps += 1
                self.position = self.position + x
            return self.position * 1

    return Walk()


@program(counts, "state loop", grad=False)
def dict_entry_in_loop(x, n):
    d = {"v": x, "n": 0}
    for _ in range(int(n)):
        d["v"] = d["v"] * 2
        d["n"] += 1
    return d


@program(flags, "state", grad=False)
def setattr_and_delattr(x, flag):
    class Box:
        pass

    box = Box()
    box.a = x
    if flag:
        setattr(box, "b", x * 2)
        del box.a
        return box.b
    return box.a


class Meters(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.table = {"hits": 0, "rows": [3, 4]}
        self.meter = Meter()
        self.decay = 1.0

    def forward(self, x):
        self.step += 1
        self.table["rows"][0] += 1
        self.decay *= 0.5
        self.meter.total += x.max().item()
        if x.sum() > 0:
            self.table["hits"] += 2
            self.meter.count += self.step
            x = x * self.decay
        return x + self.table["rows"][1], f"step {self.step}, decay {self.decay:.3f}"


@factory(twice, "state inductor", grad=False)
def counters_in_many_places():
    return Meters()


@factory(twice, "state", grad=False)
def counter_in_closure():
    calls = 0
    positive = 0

    def count(x):
        nonlocal calls, positive
        calls += 1
        if x.sum() > 0:
            positive += calls
        return x * positive, calls

    return count


class Warmup(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.scale = 8.0

    def forward(self, x):
        self.step += 1
        if self.step > 100 or self.scale > 6:
            self.scale /= 2
        if not torch.isfinite(x * self.scale).all():
            self.scale = max(self.scale / 4, 0.5)
        return x * self.scale


@factory(lambda: [(t(1.0, 2.0),), (t(float("inf"), 2.0),), (t(3.0, 4.0),), (t(3.0, 4.0),)], "state", grad=False)
def step_and_scale_steer():
    return Warmup()


class Box:
    def __init__(self, value=None):
        self.value = value


@program(signs, "state")
def own_object_made_in_branch(x):
    if x.sum() > 0:
        box = Box(x * 2)
        box.name = "up"
    else:
        box = Box(x)
        box.name = "down"
    return box.value, box.name


@program(signs, "state")
def own_object_changed_in_branch(x):
    box = Box(x)
    if x.sum() > 0:
        box.value = box.value * 2
    other = box
    return other.value


@program(signs, "state")
def own_object_gains_an_attribute(x):
    box = Box(x)
    if x.sum() > 0:
        box.extra = x.sum()
    return box.extra * 2 if hasattr(box, "extra") else box.value, vars(box).keys() == {"value"}


@program(signs, "state")
def own_object_loses_an_attribute(x):
    box = Box(x)
    if x.sum() > 0:
        del box.value
    else:
        setattr(box, "value", x * 3)
    return getattr(box, "value", x * 5)


@program(counts, "state loop")
def own_object_in_loop(x, n):
    box = Box(0)
    for i in range(int(n)):
        box.value += i
        x = x + box.value
    return x, box.value


@program(lambda: [(t(1.0, 2.0), Box(1)), (t(-1.0, -2.0), Box(1))], "state", grad=False)
def attribute_added_to_argument(x, box):
    if x.sum() > 0:
        box.extra = x * 2
    return x


class Slot:
    def __init__(self):
        self.keys = None
        self.filled = False

    def fill(self, keys):
        if not self.filled:
            self.keys = keys[:0]
            self.shape = keys.shape
            self.filled = True
        self.keys = torch.cat([self.keys, keys])


@program(pairs, "state", grad=False)
def attribute_of_one_side(x, y):
    slot = Slot()
    for value in (x, y):
        if value.sum() > 0:
            slot.fill(value)
    return slot


@program(signs, "state raises", grad=False)
def attribute_read_where_absent(x):
    slot = Slot()
    if x.sum() > 0:
        slot.fill(x)
    return slot.keys * slot.shape[0] if slot.filled else slot.shape


class Memory(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            self.last = x * 2
        return x + 1


@factory(lambda: [(-v,) for (v,) in twice()], "state", grad=False)
def attribute_of_module_on_one_side():
    return Memory()


class Offset(nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.scale = 3, 0.5

    def forward(self, x):
        y = x * 2
        y += self.offset
        if y.sum() > 0:
            y *= self.scale
        return y


@factory(lambda: [(v * 4,) for (v,) in signs()], "state")
def attribute_added_in_place():
    return Offset()


class Bag:
    pass


@program(lambda: [(t(v), Bag()) for v in (1.0, -1.0, 9.0)], "state", grad=False)
def order_of_new_attributes(x, box):
    if x.sum() > 0:
        box.p = x * 2
        if x.sum() > 5:
            box.q = 3
    box.r = x
    box.s = 4
    return x


class LateCache(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            self.cache = x * 2
        if not hasattr(self, "count"):
            self.count = torch.zeros(())
        self.count = self.count + 1
        self.late = x
        return x + self.cache if hasattr(self, "cache") else x


@factory(twice, "state", grad=False)
def attributes_behind_a_cache_of_one_side():
    return LateCache()


class Totals(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        if x.sum() > 0:
            self.count.data.add_(1)
        self.total.data.mul_(0.5).add_(x)
        return self.total / (self.count + 1)


@factory(twice, "state", grad=False)
def buffers_changed_by_their_data():
    return Totals()


class Trips(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x, n):
        for i in range(int(n)):
            self.total.data.add_(x)
            if i > 0:
                self.total.data.mul_(0.5)
        return self.total * 1


@factory(counts, "state loop", grad=False)
def buffer_changed_by_its_data_in_a_loop():
    return Trips()


Held = collections.namedtuple("Held", "value number")


class Pair(tuple):
    def __new__(cls, a, b, tag="plain"):
        self = super().__new__(cls, (a, b))
        self.tag = tag
        return self


class Tally:
    calls = 0
    last = None


class FinerTally(Tally):
    pass


def _tallies():
    Tally.calls, Tally.last = 0, None
    if "calls" in vars(FinerTally):
        del FinerTally.calls


@factory(twice, "state", grad=False, watch=lambda: (Tally.calls, Tally.last))
def class_attribute_on_one_side():
    _tallies()

    def count(x):
        if x.sum() < 0:
            Tally.calls += 1
            Tally.last = "negative"
        return x * Tally.calls

    return count


@factory(twice, "state", grad=False, watch=lambda: vars(FinerTally).get("calls"))
def inherited_class_attribute_on_one_side():
    _tallies()

    def count(x):
        if x.sum() < 0:
            FinerTally.calls += 1
        return x * FinerTally.calls

    return count


@program(counts, "state")
def namedtuple_replaced(x, n):
    held = Held(x, 0)
    if n > 1:
        held = held._replace(value=held.value * 2)
    for _ in range(int(n)):
        if held.value.sum() < 20:
            held = held._replace(value=held.value * 2, number=held.number + 1)
        else:
            held = held._replace(number=held.number + 100)
    return held.value, held.number


@program(counts, "state")
def own_kind_of_tuple(x, n):
    pair = Pair(x, 1)
    if n > 1:
        pair = Pair(x * 2, 2, "double")
    elif n > 0:
        pair = Pair(*pair[:1], pair[1] + 5)
    return pair[0], pair[1], pair.tag, len(pair)
