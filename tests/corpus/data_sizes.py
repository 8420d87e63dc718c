"""Sizes that depend on data, inside regions."""

import torch
import torch.nn.functional as F

from .program import bools, counts, ints, program, rand, s, signs, t


def mixed():
    return [(t(1.0, -2.0, 3.0, -4.0),), (t(1.0, 2.0, 3.0, 4.0),), (t(-1.0, -2.0, -3.0, -4.0),)]


@program(mixed, "state data_sizes")
def mask_in_branch(x):
    if x.sum() > 0:
        y = x[x > 0]
        return y.sum() * 2
    return x.sum()


@program(mixed, "state data_sizes")
def empty_test(x):
    kept = x[x > 0]
    if kept.numel() == 0:
        return torch.zeros(())
    return kept.mean()


@program(mixed, "state data_sizes")
def length_test(x):
    kept = x[x > 0]
    if len(kept) > 2:
        return kept.sum()
    return x.sum()


@program(mixed, "state data_sizes", grad=False)
def nonzero_in_branch(x):
    if x[0] > 0:
        i = torch.nonzero(x > 0).squeeze(1)
        return x[i].sum()
    return x.sum()


@program(lambda: [(ints(1, 1, 2, 3),), (ints(5, 5, 5, 5),)], "state data_sizes", grad=False)
def unique_in_branch(ids):
    values = torch.unique(ids)
    if values.numel() == 1:
        return ids * 0
    return ids - values.max()


@program(lambda: [*mixed(), (t(1.0, -2.0, 0.5, -4.0),)], "state data_sizes")
def masked_select(x):
    y = torch.masked_select(x, x > 0)
    if y.numel() > 0 and y.max() > 2:
        return x / y.max()
    return x


@program(lambda: [(t(1.0, 2.0), ints(2, 0)), (t(1.0, 2.0), ints(0, 0)), (t(1.0, 2.0), ints(1, 3))], "state data_sizes")
def repeat_interleave(x, k):
    if k.sum() == 0:
        return x.sum()
    return torch.repeat_interleave(x, k).sum()


@program(lambda: [(t(1.0, 2.0, 3.0, 4.0), ints(1, 3)), (t(1.0, 2.0, 3.0, 4.0), ints(2, 2))], "state data_sizes")
def split_by_values(x, sizes):
    a, b = x.split(sizes.tolist())
    if a.sum() > 2:
        return a.sum() - b.sum()
    return b.sum()


@program(lambda: [(t(1.0, 2.0, 3.0), s(n)) for n in (0, 1, 3)], "state data_sizes")
def slice_with_tensor_bound(x, n):
    head = x[:n]
    if head.numel() > 0:
        return head.sum() * 2
    return x.sum()


@program(lambda: [(t(1.0, 2.0, 3.0), bools(True, False, True)), (t(1.0, 2.0, 3.0), bools(False, False, False))], "state data_sizes")
def mask_returned_only_on_one_side(x, mask):
    if mask.any():
        return x[mask]
    return x[:1]


@program(counts, "state loop data_sizes")
def mask_in_loop(x, n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + x[x > i].sum()
    return total


@program(signs, "state data_sizes", grad=False)
def where_single_argument(x):
    (i,) = torch.where(x > 0)
    if i.shape[0] == 0:
        return x
    return x + i.sum()


@program(lambda: [(t(1.0, -2.0, 3.0), s(n)) for n in (2, 3, 1)], "state data_sizes", grad=False)
def sizes_against_tensors(x, n):
    y = x[x > 0]
    if [y.size(0), 1] == [n, 1]:
        return y * 2
    if y.size(0) > n:
        return y.sum()
    return x if (y.size(0), n) != (2, n) else x + 1


def _attended():
    return [(rand(2, 5, 4, seed=8), s(n)) for n in (2, 5, 1)]


@program(_attended, "state data_sizes")
def attention_over_the_first_rows(x, n):
    head = x[:, :n]
    looks = torch.ones(head.size(1), head.size(1)).tril().bool()
    y = F.scaled_dot_product_attention(head, head, head)
    return y.sum(1) + F.scaled_dot_product_attention(head, head, head, looks).sum(1)


def _split():
    """Six rows: parts of two, then parts of one."""
    return [(rand(6, 3, seed=9), ints(two, 6 - 2 * two)) for two in (2, 0, 3)]


@program(_split, "state data_sizes")
def split_in_as_many_parts_as_the_data_says(x, times):
    sizes = torch.repeat_interleave(torch.tensor([2, 1]), times)
    return torch.cat([part * part.sum() for part in torch.split(x, sizes.tolist())])


@program(_split, "state data_sizes")
def parts_in_pairs(x, times):
    sizes = torch.repeat_interleave(torch.tensor([2, 1]), times).tolist()
    rows = [a.softmax(0) + b.sum(0) for a, b in zip(x.split(sizes), (x * 2).split(sizes))]
    return torch.cat(rows), len(rows)


@program(_split, "state data_sizes")
def parts_of_columns(x, times):
    sizes = torch.repeat_interleave(torch.tensor([2, 1]), times)
    out = []
    for part in x.T.split(sizes.tolist(), dim=1):
        out.append(part.cumsum(1) * 2)
    return torch.cat(out, dim=-1)


@program(lambda: [(rand(6, 3, seed=9), ints(1, 2, 3)), (rand(6, 3, seed=9), ints(6, 0, 1))], "state data_sizes")
def heads_of_several_lengths(x, lengths):
    heads = []
    for n in lengths[lengths > 0]:
        heads.append(x[: int(n)].sum(1))
    return torch.cat(heads)


@program(lambda: [*_split(), (rand(6, 3, seed=9), ints(1, 1))], "state data_sizes raises", grad=False)
def parts_handed_out(x, times):
    sizes = torch.repeat_interleave(torch.tensor([2, 1]), times)
    parts = x.split(sizes.tolist())
    return parts, parts[-1] * 2, [part + 1 for part in parts]


@program(_split, "state data_sizes", grad=False)
def tensor_of_numbers_collected(x, times):
    sizes = torch.repeat_interleave(torch.tensor([2, 1]), times)
    ends = [0]
    for size in sizes.tolist():
        ends.append(ends[-1] + size)
    return torch.tensor(ends, device=x.device, dtype=torch.int32)


def _packed():
    """Rows of images, and how many rows each has."""
    weights = rand(4, 4, seed=3)
    return [(rand(6, 4, seed=9), ints(two, 6 - 2 * two), weights) for two in (2, 0, 3)]


@program(_packed, "state data_sizes")
def attention_within_each_part(x, times, weights):
    lengths = torch.repeat_interleave(torch.tensor([2, 1]), times)
    count = x.shape[0]
    query, key, value = (t.reshape(count, 2, 2).transpose(0, 1).unsqueeze(0) for t in (x, x * 2, x + 1))
    parts = [torch.split(t, lengths.tolist(), dim=2) for t in (query, key, value)]
    outs = [F.scaled_dot_product_attention(q, k, v).transpose(1, 2).contiguous() for q, k, v in zip(*parts)]
    return F.linear(torch.cat(outs, dim=1).reshape(count, -1).contiguous(), weights)


@program(_attended, "state data_sizes")
def attention_that_asks_for_its_length(x, n, is_causal=False):
    head = x[:, : int(n)]
    is_causal = head.shape[1] > 1 and is_causal  # False, whatever the length is
    is_short = head.shape[1] < 9 or not is_causal
    y = F.scaled_dot_product_attention(head, head, head, is_causal=is_causal)
    return [y.sum(1) if is_short else y, is_causal]


@program(mixed, "state data_sizes", grad=False)
def reductions_of_what_may_be_empty(x):
    kept = x[x > 0]
    rows = x.reshape(2, 2)[x[:2] > 1.5]
    spread = kept.var() if kept.numel() > 1 else kept.mean()
    return (kept > 1).any(), (kept > 1).all(), kept.sum(), spread, rows.mean(0), (rows > 0).any(1)


@program(mixed, "state data_sizes raises", grad=False)
def greatest_of_what_may_be_empty(x):
    if x[1] > 0:
        return x.sum()
    return x[x > 0].max()


@program(mixed, "state data_sizes", grad=False)
def empty_tensors_in_a_row(x):
    none = torch.tensor([])
    repeated = torch.cat([none, none]).unique(return_counts=True)[1]
    if (repeated > 1).any() == (x[0] > 0):
        x = x * 2
    return torch.cat([none, x[x > 0]])


def corners():
    image = torch.arange(64.0).reshape(1, 8, 8)
    return [(image, ints(0, 0, 4, 4)), (image * 2, ints(2, 1, 8, 6)), (image, ints(3, 3, 3, 5))]


@program(corners, "state data_sizes")
def part_of_an_image(image, box):
    x1, y1, x2, y2 = box.tolist()
    if x2 <= x1 or y2 <= y1:
        return image.mean()
    return image[:, y1:y2, x1:x2].sum()


@program(lambda: [(x, torch.stack([box, ints(1, 1, 7, 8)])) for x, box in corners()], "state data_sizes")
def parts_of_an_image(image, boxes):
    parts = []
    for x1, y1, x2, y2 in boxes.tolist():
        part = image[0, y1:y2, x1:x2]
        parts.append(part.sum(0).sum() if part.numel() > 0 else image.new_zeros(()))
    return torch.stack(parts)


@program(corners, "state data_sizes")
def slices_among_other_parts(image, box):
    x1, y1, x2, _ = box.tolist()
    if y1 > 0:
        return image[..., y1:, 2].sum() + image[None, :, y1:, 1:].sum() + image[0, y1:, [0, 1]].sum()
    return image[0, x1:x2, 3:].sum()


@program(corners, "state data_sizes")
def slices_changed_in_place(image, box):
    x1, y1, x2, y2 = box.tolist()
    out = image * 2
    if x2 > x1:
        out[:, y1:y2, x1:x2] += 1
        out[0, y1:] *= 2
        part = out[0, 1:, x1:x2]
        part -= part.shape[1]
    return out


@program(corners, "state data_sizes")
def slice_read_behind_a_write(image, box):
    x1, y1, x2, _ = box.tolist()
    out = image[0] * 2
    total = out[y1:].sum()
    if x2 > x1:
        out[0] = 5.0
        total = total + out[x1:x2].sum()
        out[:, x1:x2].mul_(2)
        total = total * out[x1:x2, 1:].mean()
    return out, total


def labelled():
    logits = rand(4, 3)
    return [(logits, ints(0, 1, -1, 2)), (logits * 2, ints(-1, -1, -1, -1)), (logits, ints(2, 2, 0, 0))]


@program(labelled, "state data_sizes")
def loss_of_the_labelled(logits, target):
    valid = target >= 0
    if not valid.any():
        return logits.sum() * 0
    smooth = F.cross_entropy(logits[valid], target[valid], label_smoothing=0.1)
    return F.cross_entropy(logits[valid], target[valid]) + smooth


@program(lambda: [(rand(6, 2), ints(*n)) for n in ((1, 2, 3), (4, 1, 1), (2, 2, 2))], "state data_sizes")
def padded_parts(x, lengths):
    parts = torch.split(x, lengths.tolist())
    right = torch.nn.utils.rnn.pad_sequence(parts, batch_first=True, padding_value=-1.0)
    left = torch.nn.utils.rnn.pad_sequence([parts[0], parts[2]], padding_side="left")
    return right, left


def _counted():
    """Vectors whose absolute sums are 5, 5 and 7, the first above zero."""
    return [(t(2.0, 3.0),), (t(-2.0, 3.0),), (t(-4.0, 3.0),)]


@program(_counted, "branch", grad=False)
def size_learned_on_one_side(x):
    n = int(x.abs().sum().long())
    y = torch.arange(n)
    s = y.reshape(5).sum() if x[0] > 0 else y.sum()
    return (s * 2 if n == 5 else s), torch.zeros(n)


@program(_counted, "loop", grad=False)
def size_learned_on_one_side_of_a_trip(x):
    n = int(x.abs().sum().long())
    y = torch.arange(n)
    k = 0
    while k < x[1]:
        y = y.reshape(5) + 1 if x[0] > 0 else y
        k += 1
    return y.sum(), n


def _until_three():
    return [(ints(1, 2, 5, 5).view(2, 2),), (ints(1, 3, 5, 3).view(2, 2),), (ints(1, 1, 0, 6).view(2, 2),)]


@program(_until_three, "loop inductor", grad=False)
def tokens_until_an_end(x):
    out = x
    for _ in range(3):
        following = out.sum(-1, keepdim=True) % 7
        out = torch.cat((out, following), dim=-1)
        is_end = out == 3
        if is_end.any(dim=-1).all():
            break
    out = out.masked_fill(is_end, 0)[:, 2:]
    return out.reshape((*out.shape[:1], out.shape[1], 1)), out.new_zeros(out.shape[1])


def _rows():
    return [(t(1.0, 2.0, -1.0, 4.0),), (t(-1.0, 3.0, -2.0, -2.0),), (t(-1.0, -1.0, -1.0, -1.0),)]


@program(_rows, "branch", grad=False)
def operator_that_asks_for_rows(x):
    rows = x[x > 0]
    a = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
    if len(rows) == 0:
        return x * 2
    right = rows.view(-1, 1, 1).expand(-1, 2, 1)
    return torch.linalg.solve_triangular(a.expand(len(rows), 2, 2), right, upper=True).sum(0)[:, 0] + rows.max()


@program(_rows, "loop", grad=False)
def pieces_of_what_a_mask_leaves(x):
    rows = x[x > 0] if x.sum() > -3 else x.new_zeros(0)
    found = []
    for start in range(0, len(rows), 3):
        found.append(rows[start : start + 3] * 2)
    if len(found) == 0:
        return x.sum(), 0
    return torch.cat(found).sum(), len(found)


@program(_rows, "branch draws", grad=False)
def drawn_for_each_row(x):
    rows = x[x > 0]
    return torch.rand(2, len(rows), generator=None).sum() + rows.sum()


@program(_rows, "branch", grad=False)
def bool_of_a_size_for_torch(x):
    rows = x[x > 0].view(1, -1, 1)
    a = torch.softmax(rows, dim=1, dtype=torch.float64).sum()
    return x.unsqueeze(0).sum(1, keepdim=rows.shape[1] > 1), a


@program(lambda: [(rand(6, 4), ints(*n)) for n in ((2, 4), (3, 3), (5, 1))], "state loop data_sizes")
def attention_of_each_part(x, lengths):
    out, start = [], 0
    for n in lengths.tolist():
        part = x[start : start + n]
        weights = torch.softmax(part @ part.T / 2, -1)
        out.append(weights @ part + weights.matmul(part) - torch.mm(weights, part))
        start += n
    return torch.cat(out)


def _thresholds():
    return [(t(0.0, 1.0, 2.0, 3.0), ints(*ids)) for ids in ((1, 2, 7), (7, 3, 2), (7, 8, 9), (1, 1, 1))]


@program(_thresholds, "state data_sizes")
def last_of_what_there_is(x, ids):
    kept = ids[ids < 4]
    if kept.numel() > 0:
        return x + kept[-1]
    return x


@program(_thresholds, "state data_sizes")
def end_at_last_of_what_there_is(x, ids):
    kept = ids[ids < 4]
    if len(kept) > 0:
        x = x.clone()
        x[1 : kept[-1]] = 0
        x[kept[0]] = 5
    return x


@program(_thresholds, "state data_sizes", grad=False)
def the_only_one(x, ids):
    kept = ids[ids < 4]
    return kept.item() if kept.numel() == 1 else ids[0].item()


@program(lambda: [(t(*x), ints(0, 1, 2, 3)) for x in ((1, 9, 3, 2), (4, 3, 2, 1), (1, 1, 1, 1))], "loop state data_sizes", grad=False)
def suppression(x, order):
    keep = []
    while order.numel() > 0:
        if order.numel() == 1:
            keep.append(order.item())
            break
        i = order[0].item()
        keep.append(i)
        left = (x[order[1:]] <= x[i]).nonzero().squeeze(1)
        if left.numel() == 0:
            break
        order = order[left + 1]
    return torch.tensor(keep, dtype=torch.long)


@program(lambda: [(t(*x), ints(0, 1, 2, 3)) for x in ((1, 9, 3, 2), (4, 3, 2, 1), (1, 1, 6, 1))], "loop state data_sizes", grad=False)
def until_one_is_left(x, order):
    n = 9
    while order.numel() > 0:
        if order.numel() == 1:
            n = order.item()
            break
        order = order[(x[order] > 2).nonzero().squeeze(1)][1:]
    return n


def _above():
    return [(t(0.1, 0.9, 0.3, 0.8) + k,) for k in (0.0, -0.05, -1.0, 1.0)]


@program(_above, "state data_sizes")
def squeezed_and_asked(x):
    k = (x > 0.85).nonzero().squeeze()
    if k.numel() == 0:
        return x.sum()
    if k.dim() == 0:
        k = k.unsqueeze(0)
    return x[k].mean()


@program(_above, "state data_sizes")
def squeezed_in_branch(x):
    if x.sum() > 0:
        return torch.squeeze(x[x > 0.85], 0)
    return x


@program(
    lambda: [
        (t([0.5, 0.2, 1.0], [1.0, 2.0, -1.0]), torch.tensor([2, -100])),
        (t([0.5, 0.2, 1.0], [1.0, 2.0, -1.0]), torch.tensor([-100, -100])),
        (t([0.5, 0.2, 1.0], [1.0, 2.0, -1.0]), torch.tensor([0, 1])),
    ],
    "branch",
)
def mask_beside_positions(scores, labels):
    kept = labels >= 0
    if not kept.any():
        return scores.sum() * 0
    return -scores.log_softmax(-1)[kept, labels[kept]].sum() / kept.sum()
