"""Programs by chance: the text of a function of tensors, with branches, loops, exits, changes and aliases.

Names have fixed kinds, so that a program is nearly always one that Python runs: a, b, c are float vectors of one size,
k, m are ints, items is a list of vectors, table a dict of them, names a set, box an object with a vector, a count and
maybe more. What is left to chance (a missing key, an empty list) raises in Python, and must raise in the compiled
program.
"""

from __future__ import annotations

from random import Random

VECTORS = ("a", "b", "c")
INTS = ("k", "m")
MOST_DEPTH = 3
SIZES = (2, 4, 4, 6, 6, 8, 10, 14)  # statements of a program, at about

Block = list[str]


class Chance(Random):
    """What a program is made of is drawn from this; `left` is how many more statements it may have."""

    left = 0


def small(r: Chance) -> str:
    return str(r.randint(-2, 3))


def vectors(r: Chance, depth: int = 0) -> str:
    """An expression for a vector."""
    kind = r.randint(0, 12)
    if kind <= 2 or depth > 1:
        return r.choice(VECTORS)
    inner = vectors(r, depth + 1)
    match kind:
        case 3:
            return f"({inner} + {r.choice(VECTORS)})"
        case 4:
            return f"({inner} * {r.choice(['0.5', '-1.0', '2', 'k'])})"
        case 5:
            return f"torch.tanh({inner})"
        case 6:
            return f"({inner} - {numbers(r)})"
        case 7:
            return f"({inner} if {conditions(r)} else {r.choice(VECTORS)})"
        case 8:
            reads = [
                "items[-1]",
                "items[0]",
                'table["p"]',
                'table.get("q", a)',
                "box.v",
                'getattr(box, "w", b)',
                "box.w",
            ]
            return r.choice([*reads, "items[k]", 'table.pop("q", b)'])
        case 9:
            return f"helper({inner}, {ints(r)})"
        case 10:
            return f"{inner}.clone()"
        case 11:
            return f"{inner}.abs().sqrt()"  # its derivative is infinite at 0
    return f"({inner} / (1 + {r.choice(VECTORS)}.abs()))"


def ints(r: Chance) -> str:
    """An expression for an int."""
    kind = r.randint(0, 7)
    if kind <= 2:
        return r.choice(INTS)
    if kind == 3:
        return small(r)
    if kind == 4:
        return f"({r.choice(INTS)} + {small(r)})"
    if kind == 5:
        return r.choice(["len(items)", "box.n", "len(table)", "len(names)"])
    if kind == 6:
        return f"int({r.choice(VECTORS)}.sum())"
    return f"({r.choice(INTS)} * 2 if {conditions(r)} else {r.choice(INTS)})"


def numbers(r: Chance) -> str:
    """An expression for a number, or a 0-d tensor."""
    kind = r.randint(0, 3)
    if kind == 0:
        return ints(r)
    if kind == 1:
        return f"{r.choice(VECTORS)}.max().item()"
    return f"{r.choice(VECTORS)}.{r.choice(['sum()', 'min()', 'mean()'])}"


def conditions(r: Chance, depth: int = 0) -> str:
    """An expression that steers."""
    kind = r.randint(0, 9)
    if kind <= 3 or depth > 1:
        what = r.choice(["sum()", "max()", "min()", "sum().item()", "mean().item()"])
        return f"{r.choice(VECTORS)}.{what} {r.choice(['>', '<', '>='])} {small(r)}"
    if kind == 4:
        return f"{r.choice(INTS)} {r.choice(['>', '<', '==', '!='])} {small(r)}"
    if kind == 5:
        word = r.choice(["and", "or"])
        return f"({conditions(r, depth + 1)} {word} {conditions(r, depth + 1)})"
    if kind == 6:
        return f"not {conditions(r, depth + 1)}"
    if kind == 7:
        asked = ['"z" in names', 'hasattr(box, "w")', "table"]
        return r.choice([*asked, '"q" in table', "items", "a is b", "b is c", "box.n > 1", "k % 2"])
    return f"({r.choice(VECTORS)} > {small(r)}).{r.choice(['any()', 'all()'])}"


def simple(r: Chance) -> str:
    """A statement on one line."""
    v, w = r.choice(VECTORS), r.choice(VECTORS)
    kind = r.randint(0, 21)
    if kind <= 5:
        return f"{v} = {vectors(r)}"
    if kind <= 8:
        return f"{r.choice(INTS)} = {ints(r)}"
    match kind:
        case 9:
            return f"{r.choice(INTS)} += {ints(r)}"
        case 10:
            return f"{v} = {w}"
        case 11:
            return f"{v}.{r.choice(['add_', 'mul_', 'sub_'])}({r.choice(['1', '0.5', 'k', w])})"
        case 12:
            return f"{v}[{r.randint(0, 2)}] = {numbers(r)}"
        case 13:
            return f"{v}[1:] += {small(r)}"
        case 14:
            return f"{v}, {w} = {w}, {v}"
        case 15:
            return r.choice(
                [f"items.append({v})", f"items[0] = {v}", "items = []", f"items = [{v}, {w}]", "items.pop()"]
            )
        case 16:
            return r.choice([f'table["p"] = {v}', f'table["q"] = {v}', f'table.setdefault("q", {v})', "table = {}"])
        case 17:
            return r.choice([f"box.v = {v}", "box.n += 1", f"box.n = {ints(r)}", "box.name = 'seen'"])
        case 18:
            return f"{v} = {w}.view(3)"
        case 19:
            changes = [f"box.w = {v}", "del box.w", 'names.add("z")', 'names.discard("x")', 'table.pop("q", None)']
            return r.choice([*changes, f"table.update(q={v}, r={w})", "table.clear()", 'del table["q"]'])
        case 20:
            return r.choice([f"items[k] = {v}", f"items += [{v}]", f"items.insert(0, {v})"])
    return f"print({r.choice(['k', 'm', repr('here'), f'{v}.sum().item() > 0'])})"


def indented(block: Block) -> Block:
    return [f"    {line}" for line in block]


def statements(r: Chance, depth: int, in_loop: bool) -> Block:
    """One statement, maybe of several lines."""
    kind = r.randint(0, 14)
    r.left -= 1
    if depth >= MOST_DEPTH or kind <= 5 or r.left <= 0:
        return [simple(r)]
    inner = blocks(r, depth + 1, in_loop or kind in (8, 9, 10, 13))
    match kind:
        case 12:
            return handled(r, inner, depth, in_loop)
        case 13:
            turn = f"turn{depth}"
            ends = [f"if {turn} > 2 or {conditions(r)}:", "    break"]
            at = r.choice([0, len(inner)]) if inner[-1][0] != " " else 0
            body = [f"{turn} += 1", *inner[:at], *ends, *inner[at:]]
            return [f"{turn} = 0", "while True:", *indented(body)]
        case 14:
            name, over = r.choice([("c", "items"), ("c", "table.values()"), ("c", "list(table.values())")])
            return [f"for {name} in {over}:", *indented(["m += 1", *inner])]
        case 6:
            return [f"if {conditions(r)}:", *indented(inner)]
        case 7:
            return [f"if {conditions(r)}:", *indented(inner), "else:", *indented(blocks(r, depth + 1, in_loop))]
        case 8:
            name = r.choice(["i", "k"])
            over = r.choice(["range(int(n))", "range(2)", "range(int(n) + 1)"])
            return [f"for {name} in {over}:", *indented(inner)]
        case 9:
            return [
                f"turn{depth} = 0",
                f"while turn{depth} < 3 and {conditions(r)}:",
                f"    turn{depth} += 1",
                *indented(inner),
            ]
        case 10:
            return [
                f"for row in {r.choice(VECTORS)}:",
                *indented([f"{r.choice(VECTORS)} = {r.choice(VECTORS)} * row", *inner]),
            ]
    exits = ["return a, k", f"return {r.choice(VECTORS)}", "raise ValueError('stop')", "return None"]
    if in_loop:
        exits += ["break", "continue"] * 2
    return [f"if {conditions(r)}:", *indented([simple(r), r.choice(exits)])]


def handled(r: Chance, inner: Block, depth: int, in_loop: bool) -> Block:
    """`try`, around a `raise` that the data decides."""
    raised = r.choice(["ValueError('a', 1)", "KeyError('b')", "Own", "ZeroDivisionError"])
    caught = r.choice(["ValueError", "(KeyError, ValueError)", "Own", "Exception", "LookupError"])
    raising = [f"if {conditions(r)}:", f"    raise {raised}"]
    handler = r.choice([[], ["m += len(error.args)"], ["raise"], ["k = 2"]]) or [simple(r)]
    block = ["try:", *indented([*inner, *raising, simple(r)]), f"except {caught} as error:", *indented(handler)]
    if r.random() < 0.5:
        block += ["else:", *indented(blocks(r, depth + 1, in_loop))]
    if r.random() < 0.5:
        block += ["finally:", *indented([simple(r)])]
    return block


def blocks(r: Chance, depth: int, in_loop: bool) -> Block:
    lines: Block = []
    most = r.randint(1, 3) if depth else r.left
    while not lines or (most > 0 and r.left > 0):
        lines += statements(r, depth, in_loop)
        most -= 1
    return lines


HEAD = """
import torch


class Own(ValueError):
    pass


class Box:
    def __init__(self, v):
        self.v, self.n = v, 0


def helper(v, j):
    if v.sum() > j:
        return v * 2
    return v


def program(a, b, n, m, box):
"""
START = ["c, k = a * 1, 1", 'items, table, names = [b], {"p": a}, {"x"}']


def program(r: Chance, grad: bool = False) -> str:
    """The text of a module with a function `program(a, b, n, m, box)` and a class `Box(v)`."""
    body: Block = []
    while not any(line.startswith(" ") for line in body):  # one that steers
        r.left = r.choice(SIZES)
        body = blocks(r, 0, False)
    copied = "a, b = a * 1, b * 1"
    first = [copied] if grad else []  # leaves must not be changed in place
    then = [copied] if r.random() < 0.5 else []
    lines = [*first, *START, *then, *body, "return a, b, c, k, m, items, table, names"]
    return HEAD + "\n".join(indented(lines)) + "\n"
