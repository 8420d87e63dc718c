"""Lists that are read at any place, shortened and changed in the loops that append to them."""

import torch

from .program import counts, program, s, t


@program(counts, "loop append")
def any_item_by_counter(x, n):
    out = [x]
    for i in range(1, int(n) + 1):
        out.append(out[i // 2] * 1.5)
    return torch.stack(out), out[0]


@program(counts, "loop append")
def all_items_stacked(x, n):
    history = [x]
    for _ in range(int(n)):
        so_far = torch.stack(history)
        weights = torch.softmax(so_far @ x, 0)
        x = (weights[:, None] * so_far).sum(0) * 0.9
        history.append(x)
    return torch.stack(history)


@program(counts, "loop append")
def all_items_gone_through(x, n):
    out = [x]
    for _ in range(int(n)):
        total = x * 0
        for v in out:
            total = total + v
        out.append(total * 0.5)
    return torch.stack(out)


@program(counts, "loop append")
def slices_from_the_front(x, n):
    out = [x, x + 1]
    for i in range(int(n)):
        out.append(torch.stack(out[:2]).sum(0) * i + torch.stack(out[1:]).sum(0) * 0.1)
    return torch.stack(out)


@program(counts, "loop append")
def numbers_of_a_recurrence(x, n):
    numbers = [1, 1]
    for i in range(int(n)):
        numbers.append(numbers[i] + numbers[i + 1])
    return x * numbers[-1], numbers


@program(counts, "loop append")
def read_where_appended_under_a_test(x, n):
    out = [x]
    for i in range(int(n)):
        if i != 1:
            out.append(out[i // 2] * 1.1 + i)
    return torch.stack(out)


@program(counts, "loop append raises", grad=False)
def read_out_of_range(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(out[3 * i])
    return torch.stack(out)


@program(lambda: [(t(1.0, 2.0, 3.0),), (t(9.0, 40.0, 1.0),), (t(0.1, 0.2, 0.3),)], "loop append")
def read_in_a_loop_without_bound(x):
    out = [x]
    while out[-1].sum() < 40:
        out.append(out[len(out) // 2] * 1.3 + 1)
    return torch.stack(out)


@program(counts, "loop append")
def grows_up_to_a_length(x, n):
    out = [x]
    while len(out) < n:
        out.append(out[0] + out[len(out) - 1])
    return torch.stack(out)


@program(lambda: [(t(1.0, 2.0), s(k)) for k in (3, 0)], "loop append", grad=False)
def more_items_than_there_is_room(x, n):
    out, k = [0], 0
    while k < int(n) * 1500:
        out.append(out[k // 2] + 1)
        k += 1
    return x, out[-1], len(out)


@program(counts, "loop append")
def appended_in_both_loops(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(x + i)
        for j in range(int(n)):
            out.append(x * i + j)
    return torch.stack(out)


@program(counts, "loop append")
def appended_in_the_third_loop(x, n):
    out = []
    for i in range(int(n)):
        for j in range(2):
            for k in range(i):
                if (i + k) % 2 == 0:
                    out.append(x * i + j * k)
    return torch.stack(out).sum(0) if out else x


@program(counts, "loop append")
def read_in_the_inner_loop(x, n):
    a, b = [x], [1.0]
    for i in range(int(n)):
        b.append(b[-1] * 0.5)
        for j in range(i):
            a.append(a[j] * b[i])
    return torch.stack(a), b


@program(counts, "loop append")
def appended_in_an_inner_while(x, n):
    out = [x]
    for i in range(int(n)):
        y = x * 1
        while y.sum() < 10 * i:
            y = y * 1.5
            out.append(y)
        out.append(out[i] + 1)
    return torch.stack(out)


@program(counts, "loop append")
def stack_of_numbers(x, n):
    stack, total = [int(n)], x * 0
    while stack:
        k = stack.pop()
        total = total + k * x
        if k > 1:
            stack.append(k - 1)
            if k % 2 == 0:
                stack.append(k // 2)
    return total


@program(counts, "loop append")
def queue_of_numbers(x, n):
    queue, seen = [int(n)], []
    while len(queue) > 0:
        k = queue.pop(0)
        seen.append(k)
        if k > 2:
            queue.append(k // 2)
            queue.append(k - 2)
    return x, seen


@program(counts, "loop append", grad=False)
def breadth_first(x, n):
    edges = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    queue, order = [int(n) % 4], []
    seen = torch.zeros(4, dtype=torch.bool)
    while queue:
        u = queue.pop(0)
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in range(4):
            if edges[u, v] > 0:
                queue.append(v)
    return order, seen


@program(counts, "loop append")
def sliding_window(x, n):
    window = [x, x * 2, x * 3]
    for _ in range(int(n)):
        window.append(torch.stack(window[-3:]).mean(0))
        window.pop(0)
    return torch.stack(window)


@program(counts, "loop append")
def inserted_in_front_on_each_trip(x, n):
    out = [x]
    for i in range(int(n)):
        out.insert(0, x * i)
    return torch.stack(out)


@program(counts, "loop append")
def inserted_and_taken_in_the_middle(x, n):
    out = [0, 1, 2, 3]
    for i in range(int(n)):
        out.insert(i // 2, i + 10)
        if i % 2 == 1:
            out.pop(i // 2 + 1)
    return x, out


@program(counts, "loop append")
def set_in_the_loop(x, n):
    out = [x, x + 1]
    for i in range(int(n)):
        out.append(x * i)
        out[i // 2] = out[i] * 0.5
    return torch.stack(out)


@program(counts, "loop append")
def set_behind_the_loop(x, n):
    out = []
    for i in range(int(n)):
        out.append(x * i)
    if n > 1:
        out[0] = x - 1
        out[-1] = x - 2
    return out


@program(counts, "loop append")
def cleared_on_some_trips(x, n):
    out = [x]
    for i in range(int(n)):
        out.append(out[i // 3] * 0.5 if len(out) > i // 3 else x + i)
        if i % 2 == 1:
            out.clear()
    return torch.stack(out) if out else x


@program(counts, "loop append")
def shortened_in_a_branch(x, n):
    out = [x, x + 1]
    for i in range(int(n)):
        if i % 3 == 2:
            x = x + out.pop()
        else:
            out.append(x * i)
    return torch.stack(out) + x


@program(counts, "loop append")
def sorted_behind_the_loop(x, n):
    out = [5, 1]
    for i in range(int(n)):
        out.append((i * 3) % 7)
    out.sort()
    return x, out


@program(counts, "loop append", grad=False)
def item_changed_in_place(x, n):
    out = [x * 1]
    for i in range(int(n)):
        out.append(x * i)
        out[i // 2].add_(1)
    return torch.stack(out)


@program(counts, "loop append")
def pairs_of_numbers(x, n):
    pairs = []
    for i in range(int(n)):
        for j in range(i + 1, int(n)):
            if (i + j) % 2 == 1:
                pairs.append((i, j))
    return x, pairs


@program(lambda: [(torch.ones(2, 3).long(),), (torch.tensor([[1, 1, 0], [0, 1, 1]]),), (torch.zeros(2, 3).long(),)], "loop append", grad=False)
def flood_fill(image):
    labels, current = torch.zeros_like(image), 0
    for h in range(image.shape[0]):
        if image[h, 0] == 0 or labels[h, 0] > 0:
            continue
        current += 1
        stack = [(h, 0)]
        while len(stack):
            r, c = stack.pop()
            if labels[r, c] > 0:
                continue
            labels[r, c] = current
            for dr, dc in ((1, 0), (0, 1)):
                if r + dr < 2 and c + dc < 3 and image[r + dr, c + dc] != 0:
                    stack.append((r + dr, c + dc))
    return labels, current


def _signals():
    return [(t(0, 1, 1, 0, 1, 1, 1, 0, 1),), (t(1, 0, 0, 1, 1, 0, 0, 0, 0),), (t(*[0] * 9),)]


@program(_signals, "loop append", grad=False)
def longest_segment(signal):
    segments, start = [], -1
    for i in range(signal.shape[0]):
        if signal[i] > 0 and start < 0:
            start = i
        if not signal[i] > 0 and start >= 0:
            segments.append((start, i))
            start = -1
    if not segments:
        return None, 0
    first, end = max(segments, key=lambda segment: segment[1] - segment[0])
    return signal[first:end].sum(), len(segments)


@program(counts, "loop append", grad=False)
def least_by_a_key(x, n):
    asked, found = 0, []

    def distance(value):
        nonlocal asked
        asked += 1
        return abs(value - 2)

    for i in range(int(n)):
        found.append(3 * i)
    return (min(found, key=distance), asked) if found else (x, asked)


def _switched():
    return [(t(1.0, 2.0), t(0.0, 1.0, 0.0), n) for n in (s(2), s(0), s(1))] + [(t(0.0, 0.0), t(1.0, 0.0), s(2))]


@program(_switched, "nested-loop append branch")
def last_of_two_loops(x, rows, n):
    """What a branch asks of how many items one loop has appended says nothing of how many there are elsewhere."""
    items, last = [x], x
    for row in rows:
        for i in range(int(n)):
            if row + x.max() > 0:
                items += [x * row + i]
            else:
                last = last + items[-1]
    return last, len(items)


@program(lambda: [(s(v), s(n)) for v in (1, -1) for n in (3, 0)], "loop append branch", grad=False)
def popped_perhaps(x, n):
    """The side that leaves the list alone has nothing in the place of what is left of it."""
    items = [1]
    for i in range(int(n)):
        items.append(i)
    if x > 0:
        items.pop()
    return len(items)


def _rows_and_mask():
    rows = t([1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0])
    return [(rows, torch.tensor(m)) for m in ([True, False, True, True], [False] * 4, [True] * 4)]


@program(_rows_and_mask, "loop append")
def list_as_index(x, mask):
    places = torch.where(mask)[0].tolist()
    y = x[None, places].reshape(-1, 2) * 2
    return y.sum(0) + x[[k for k in range(4) if mask[k]]].sum(0)


@program(_rows_and_mask, "loop append", grad=False)
def stored_at_a_list(x, mask):
    y = x.clone()
    y[torch.where(mask)[0].tolist()] = 0
    return y


@program(_rows_and_mask, "loop append raises")
def rows_by_name(x, mask):
    a, b, c = x[mask]
    return a + b * c


@program(_rows_and_mask, "loop append", grad=False)
def items_by_name(x, mask):
    places = [k for k in range(4) if mask[k]]
    if len(places) == 3:
        a, b, c = places
        return a * 100 + b * 10 + c
    return -1


@program(_rows_and_mask, "loop append", grad=False)
def found_from_a_place_on(x, mask):
    ones = mask.long().tolist()
    first = ones.index(1) if 1 in ones else 0
    if sum(ones) > 1:
        return first, ones.index(1, first + 1), ones.index(1, -3), ones.index(1, 0, 4)
    return first, first, first, first


@program(_rows_and_mask, "loop append", grad=False)
def set_and_dict_of_places(x, mask):
    places = torch.where(mask)[0].tolist()
    odd = {k % 2 for k in places}
    squares = {k: k * k for k in places if k}
    return len(odd), 1 in odd, sum(squares.values())


@program(counts, "loop append", grad=False)
def nothing_of_each_part(x, n):
    """As attention over images keeps its maps, where it makes none."""
    outs, maps = [x[:2] * 2], []
    for i in range(int(n)):
        outs.append(x[i : i + 2] * i)
        maps.append(None)
    if len(maps) == 0:
        return torch.cat(outs), True
    return torch.cat(outs), maps[0] is None and all(part is None for part in maps)


@program(counts, "loop append", grad=False)
def the_same_of_each(x, n):
    names, pairs = [], []
    for i in range(int(n)):
        names.append("row")
        pairs.append((None, "even" if i % 2 == 0 else "odd"))
    names.append("end")
    found = sum(1 for first, second in pairs if first is None and second == "even")
    return x * found, names, pairs, all(pair[0] is None for pair in pairs)


@program(counts, "loop append", grad=False)
def as_often_as_tensors_say(x, n):
    """As Qwen3-ASR of transformers makes the lengths of its windows."""
    lengths = [0]
    for count in torch.stack([n, n * 2 + 1]).reshape(2).long():
        lengths += [2] * (count // 2)
        rest = count % 2
        if rest != 0:
            lengths += [rest]
    return torch.tensor(lengths).cumsum(0), x * len(lengths), len(torch.ones(2, dtype=torch.long)[0] * [3, 4])
