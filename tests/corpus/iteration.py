"""Loops over known objects that change what they go through, and over iterators that the data may stop."""

import collections

import torch

from .program import program, pairs, three


@program(three, "state loop")
def later_item_replaced(x):
    items = [x, x * 2, x * 3]
    for c in items:
        if c.sum() > 10:
            break
        items[2] = items[2] + c
    return items, c


@program(three, "state loop")
def later_item_replaced_under_enumerate(x):
    items = [x, x * 2, x * 3]
    for i, c in enumerate(items):
        if i + 1 < len(items) and c.sum() > 1:
            items[i + 1] = items[i + 1] + c
    return items


@program(three, "state loop")
def later_item_replaced_under_zip(x):
    items = [x, x * 2, x * 3]
    for c, most in zip(items, [1, 2, 3]):
        items[2] = items[2] + c
        if c.sum() > 10 * most:
            break
    return items, most


@program(three, "state loop")
def later_item_replaced_under_reversed(x):
    items = [x, x * 2, x * 3]
    for c in reversed(items):
        items[0] = items[0] + c
        if c.sum() > 30:
            break
    return items, c


@program(three, "state loop")
def later_entry_replaced(x):
    table = {"a": x, "b": x + 1}
    total = x * 0
    for value in table.values():
        total = total + value
        if value.sum() > 5:
            break
        table["b"] = value * 2
    return table, total


@program(three, "state loop")
def list_made_longer(x):
    items = [x, x * 2]
    for k, c in enumerate(items):
        if k < 1:
            items.append(c + 1)
        if c.sum() > 10:
            break
    return items, c


@program(three, "state loop")
def list_made_longer_for_good(x):
    items = [x]
    if x.sum() > 50:
        for c in items:
            items += [c]
    return items


@program(three, "state loop")
def list_made_longer_by_the_data(x):
    queue = [x]
    for c in queue:
        if c.sum() > 1 and len(queue) < 4:
            queue.append(c * 0.5)
    return len(queue)


@program(three, "state loop raises")
def dict_made_longer(x):
    table = {"a": x, "b": x + 1}
    for key in table:
        if table[key].sum() > 5:
            table["c"] = x
    return table


@program(three, "state loop raises")
def dict_made_longer_before_an_exit(x):
    table = {"a": x, "b": x + 1}
    for key in table:
        if table[key].sum() > 5:
            break
        table["c"] = x
    return table


@program(three, "state loop")
def dict_made_shorter(x):
    table = {"a": x, "b": x + 1}
    try:
        for key, value in table.items():
            if value.sum() > 5:
                table.pop(key)
    except RuntimeError as error:
        return x, str(error)
    return x, table


@program(three, "state loop raises")
def key_exchanged(x):
    table = {"a": x, "b": x + 1}
    n = 0
    for _ in table:
        if x.sum() > 5:
            del table["b"]
            table["c"] = x
        n += 1
    return table, n


@program(three, "state loop")
def dict_of_some_entries_updated(x):
    table = {"a": x, "b": x + 1}
    if x.sum() > 0:
        table["c"] = x
    for key, value in table.items():
        table[key] = value * 2
    for key in table:
        table[key] = table[key] + 2
    return table


@program(three, "state loop raises")
def dict_of_some_entries_made_longer(x):
    table = {"a": x, "b": x + 1}
    if x.sum() > 0:
        table["c"] = x
    n = 0
    for _ in table:
        if x.sum() > 5:
            table["d"] = x
        n += 1
    return table, n


@program(three, "state loop")
def deque_made_longer_before_an_exit(x):
    queue = collections.deque([x, x + 1])
    try:
        for c in queue:
            queue.append(x)
            if c.sum() > 5:
                break
    except RuntimeError as error:
        return x, str(error)
    return x, len(queue)


@program(three, "state loop")
def items_made_by_map(x):
    def doubled(v):
        print("made")
        return v * 2

    for c in map(doubled, [x, x + 1, x + 2]):
        if c.sum() > 5:
            break
    return c


@program(three, "state loop")
def items_made_with_an_effect(x):
    def times(k):
        print("made", k)
        return x * k

    for c in (times(k) for k in range(4)):
        if c.sum() > 5:
            break
    return c


@program(three, "state loop")
def iterator_used_behind_the_loop(x):
    numbers = iter([x, x * 2, x * 3])
    for c in numbers:
        if c.sum() > 5:
            break
    return c, list(numbers)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


@program(three, "state loop")
def iterator_of_a_class(x):
    numbers, total = Countdown(4), x * 0
    for k in numbers:
        total = total + x * k
        if total.sum() > 10:
            break
    return total, numbers.n


@program(pairs, "state loop", grad=False)
def rows_named_outside_of_a_change(a, b):
    """Only the whole tensor is changed in the branch; its rows, which nobody uses there, have the same memory."""
    first, *rest = a
    for _ in range(int(b.abs().max())):
        total = first + rest[0]
        if total > 2:
            a[2] = b.sum()
        else:
            a.mul_(0.5)
    return a, torch.stack(rest)
