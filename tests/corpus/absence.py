"""Attributes, entries of dicts and members of sets that only some paths have."""

from torch import nn

from .program import counts, factory, program, signs, t


class Box:
    flavor = None

    def __init__(self):
        self.n = 0


def with_box():
    return [(t(1.0, 2.0), Box()), (t(-1.0, -2.0), Box()), (t(3.0, -2.0), Box())]


def with_dict():
    return [(t(1.0, 2.0), {"p": t(1.0)}), (t(-1.0, -2.0), {"p": t(1.0)}), (t(3.0, -2.0), {"p": t(1.0)})]


def with_list():
    return [(t(1.0, 2.0), [1]), (t(-1.0, -2.0), [1]), (t(3.0, -2.0), [1])]


def with_set():
    return [(t(1.0, 2.0), {"a"}), (t(-1.0, -2.0), {"a"})]


@program(with_box, "state", grad=False)
def attribute_asked_for(x, box):
    if x.sum() > 0:
        box.extra = x * 2
    if hasattr(box, "extra"):
        x = x + box.extra
    return x, getattr(box, "extra", None), hasattr(box, "other")


@program(with_box, "state raises", grad=False)
def attribute_read(x, box):
    if x.sum() > 0:
        box.extra = x * 2
    return box.extra


@program(with_box, "state", grad=False)
def attribute_deleted(x, box):
    if x.sum() > 0:
        del box.n
    elif hasattr(box, "n"):
        box.n += 1
    return getattr(box, "n", 7) * x


@program(with_box, "state", grad=False)
def attribute_bound_and_deleted(x, box):
    if x.sum() > 0:
        box.extra = 1
    if x[0] > 2 and hasattr(box, "extra"):
        del box.extra
    return x


@program(with_box, "state", grad=False)
def attribute_of_class_hidden(x, box):
    if x.sum() > 0:
        box.flavor = x * 2
    return x if box.flavor is None else box.flavor


@program(lambda: [(t(float(n), 2.0), Box()) for n in (2, 0, 1)], "state loop", grad=False)
def attribute_first_bound_in_loop(x, box):
    for i in range(int(x[0])):
        box.last = x * i
    return x, hasattr(box, "last")


@program(lambda: [(t(float(n), 2.0), Box()) for n in (2, 0, 1)], "state loop", grad=False)
def attribute_deleted_in_loop(x, box):
    for _ in range(int(x[0])):
        if hasattr(box, "n"):
            del box.n
    return x


class Cached(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            self.cache = x * 2
        if not hasattr(self, "cache"):
            return x
        return self.cache + 1


@factory(lambda: [(t(-1.0, -2.0),), (t(1.0, 2.0),), (t(-3.0, -2.0),)], "state", grad=False, min_graphs=2)
def module_cache():
    return Cached()


@program(with_dict, "state", grad=False)
def entry_added_and_read(x, table):
    if x.sum() > 0:
        table["q"] = x * 2
    if "q" in table:
        x = x + table["q"][0]
    return x * len(table), table.get("q")


@program(signs, "state")
def entries_gone_through(x):
    table = {"p": x}
    if x.sum() > 0:
        table["q"] = x * 2
    total = 0
    for value in table.values():
        total = total + value.sum()
    names = [key for key in table]
    return table, total, list(table), names, dict(table)


@program(signs, "state raises", grad=False)
def entry_read(x):
    table = {"p": x}
    if x.sum() > 0:
        table["q"] = x * 2
    return table["q"]


@program(with_dict, "state", grad=False)
def entry_popped(x, table):
    if x.sum() > 0:
        table.pop("p")
    else:
        table["r"] = x
    return table.pop("p", x)


@program(lambda: [(t(1.0, 2.0),), (t(-1.0, -2.0),), (t(3.0, -2.0),), (t(-1.0, 1.0),)], "state")
def entries_of_nested_branches(x):
    table = {}
    if x[0] > 0:
        table["a"] = x
        if x[1] > 0:
            table["b"] = x + 1
    elif x[1] < 0:
        table["c"] = x
    if table:
        x = x + 1
    return table, x, bool(table)


@program(signs, "state")
def entry_set_by_default(x):
    table = {}
    if x.sum() > 0:
        table.setdefault("a", x)
    table.setdefault("a", x * 2)
    return table


@program(with_dict, "state", grad=False)
def callers_dict_cleared(x, table):
    if x.sum() > 0:
        table.clear()
    table.update(s=x)
    return {**table}


@program(counts, "state loop", grad=False)
def entry_first_bound_in_loop(x, n):
    table = {"p": x}
    for i in range(int(n)):
        table["last"] = x * i
        table["p"] = table["p"] + 1
    return table, table.get("last")


@program(with_list, "state", grad=False)
def callers_list_grown(x, items):
    if x.sum() > 0:
        items.insert(0, x)
        items.append(5)
    else:
        items.pop()
    return x, len(items)


@program(with_set, "state", grad=False)
def callers_set_changed(x, names):
    if x.sum() > 0:
        names.add("z")
    else:
        names.discard("a")
    return "z" in names, x * len(names)


@program(counts, "state loop inductor", grad=False)
def set_in_loop(x, n):
    names = {"a"}
    for i in range(int(n)):
        if i > 1:
            names.discard("a")
        names.add("b")
    return x * len(names), "a" in names, names


@program(signs, "state")
def what_never_was(x):
    table = {"a": x}
    if x.sum() > 0:
        table["b"] = x
    other = {"q": x}
    other.update(table)
    return table.pop("zz", None), table.pop("b", x * 3), table, table.get("nope", 4), other


@program(signs, "state", grad=False)
def members_come_and_go(x):
    names, letters = {"a"}, set()
    if x.sum() > 0:
        names.add("z")
        letters.add("b")
    names.discard("z")
    letters.add("b")
    return names, letters, len(letters)
