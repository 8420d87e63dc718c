"""A strategy for programs: the text of a function of tensors, with branches, loops, exits, changes and aliases.

Names have fixed kinds, so that a program is nearly always one that Python runs: a, b, c are float vectors of one size,
k, m are ints, items is a list of vectors, table a dict of them, names a set, box an object with a vector, a count and
maybe more. What is left to chance (a missing key, an empty list) raises in Python, and must raise in the compiled
program.
"""

from __future__ import annotations

from hypothesis import strategies as st

VECTORS = ("a", "b", "c")
INTS = ("k", "m")
MOST_DEPTH = 3

Block = list[str]

vector = st.sampled_from(VECTORS)
integer = st.sampled_from(INTS)
small = st.integers(-2, 3).map(str)


@st.composite
def vectors(draw: st.DrawFn, depth: int = 0) -> str:
    """An expression for a vector."""
    kind = draw(st.integers(0, 11))
    if kind <= 2 or depth > 1:
        return draw(vector)
    inner = draw(vectors(depth + 1))
    match kind:
        case 3:
            return f"({inner} + {draw(vector)})"
        case 4:
            return f"({inner} * {draw(st.sampled_from(['0.5', '-1.0', '2', 'k']))})"
        case 5:
            return f"torch.tanh({inner})"
        case 6:
            return f"({inner} - {draw(numbers())})"
        case 7:
            return f"({inner} if {draw(conditions())} else {draw(vector)})"
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
            return draw(st.sampled_from([*reads, "items[k]", 'table.pop("q", b)']))
        case 9:
            return f"helper({inner}, {draw(ints())})"
        case 10:
            return f"{inner}.clone()"
    return f"({inner} / (1 + {draw(vector)}.abs()))"


@st.composite
def ints(draw: st.DrawFn) -> str:
    """An expression for an int."""
    kind = draw(st.integers(0, 7))
    if kind <= 2:
        return draw(integer)
    if kind == 3:
        return draw(small)
    if kind == 4:
        return f"({draw(integer)} + {draw(small)})"
    if kind == 5:
        return draw(st.sampled_from(["len(items)", "box.n", "len(table)", "len(names)"]))
    if kind == 6:
        return f"int({draw(vector)}.sum())"
    return f"({draw(integer)} * 2 if {draw(conditions())} else {draw(integer)})"


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """An expression for a number, or a 0-d tensor."""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return draw(ints())
    if kind == 1:
        return f"{draw(vector)}.max().item()"
    return f"{draw(vector)}.{draw(st.sampled_from(['sum()', 'min()', 'mean()']))}"


@st.composite
def conditions(draw: st.DrawFn, depth: int = 0) -> str:
    """An expression that steers."""
    kind = draw(st.integers(0, 9))
    if kind <= 3 or depth > 1:
        what = draw(st.sampled_from(["sum()", "max()", "min()", "sum().item()", "mean().item()"]))
        return f"{draw(vector)}.{what} {draw(st.sampled_from(['>', '<', '>=']))} {draw(small)}"
    if kind == 4:
        return f"{draw(integer)} {draw(st.sampled_from(['>', '<', '==', '!=']))} {draw(small)}"
    if kind == 5:
        word = draw(st.sampled_from(["and", "or"]))
        return f"({draw(conditions(depth + 1))} {word} {draw(conditions(depth + 1))})"
    if kind == 6:
        return f"not {draw(conditions(depth + 1))}"
    if kind == 7:
        asked = ['"z" in names', 'hasattr(box, "w")', "table"]
        return draw(st.sampled_from([*asked, '"q" in table', "items", "a is b", "b is c", "box.n > 1", "k % 2"]))
    return f"({draw(vector)} > {draw(small)}).{draw(st.sampled_from(['any()', 'all()']))}"


@st.composite
def simple(draw: st.DrawFn) -> str:
    """A statement on one line."""
    v, w = draw(vector), draw(vector)
    kind = draw(st.integers(0, 21))
    if kind <= 5:
        return f"{v} = {draw(vectors())}"
    if kind <= 8:
        return f"{draw(integer)} = {draw(ints())}"
    match kind:
        case 9:
            return f"{draw(integer)} += {draw(ints())}"
        case 10:
            return f"{v} = {w}"
        case 11:
            return (
                f"{v}.{draw(st.sampled_from(['add_', 'mul_', 'sub_']))}({draw(st.sampled_from(['1', '0.5', 'k', w]))})"
            )
        case 12:
            return f"{v}[{draw(st.integers(0, 2))}] = {draw(numbers())}"
        case 13:
            return f"{v}[1:] += {draw(small)}"
        case 14:
            return f"{v}, {w} = {w}, {v}"
        case 15:
            return draw(
                st.sampled_from(
                    [f"items.append({v})", f"items[0] = {v}", "items = []", f"items = [{v}, {w}]", "items.pop()"]
                )
            )
        case 16:
            return draw(
                st.sampled_from([f'table["p"] = {v}', f'table["q"] = {v}', f'table.setdefault("q", {v})', "table = {}"])
            )
        case 17:
            return draw(st.sampled_from([f"box.v = {v}", "box.n += 1", f"box.n = {draw(ints())}", "box.name = 'seen'"]))
        case 18:
            return f"{v} = {w}.view(3)"
        case 19:
            changes = [f"box.w = {v}", "del box.w", 'names.add("z")', 'names.discard("x")', 'table.pop("q", None)']
            return draw(st.sampled_from([*changes, f"table.update(q={v}, r={w})", "table.clear()", 'del table["q"]']))
        case 20:
            return draw(st.sampled_from([f"items[k] = {v}", f"items += [{v}]", f"items.insert(0, {v})"]))
    return f"print({draw(st.sampled_from(['k', 'm', repr('here'), f'{v}.sum().item() > 0']))})"


def indented(block: Block) -> Block:
    return [f"    {line}" for line in block]


@st.composite
def statements(draw: st.DrawFn, depth: int, in_loop: bool) -> Block:
    """One statement, maybe of several lines."""
    kind = draw(st.integers(0, 14))
    if depth >= MOST_DEPTH or kind <= 5:
        return [draw(simple())]
    inner = draw(blocks(depth + 1, in_loop or kind in (8, 9, 10, 13)))
    match kind:
        case 12:
            return draw(handled(inner, depth, in_loop))
        case 13:
            turn = f"turn{depth}"
            ends = [f"if {turn} > 2 or {draw(conditions())}:", "    break"]
            at = draw(st.sampled_from([0, len(inner)])) if inner[-1][0] != " " else 0
            body = [f"{turn} += 1", *inner[:at], *ends, *inner[at:]]
            return [f"{turn} = 0", "while True:", *indented(body)]
        case 14:
            name, over = draw(st.sampled_from([("c", "items"), ("c", "table.values()"), ("c", "list(table.values())")]))
            return [f"for {name} in {over}:", *indented(["m += 1", *inner])]
        case 6:
            return [f"if {draw(conditions())}:", *indented(inner)]
        case 7:
            return [f"if {draw(conditions())}:", *indented(inner), "else:", *indented(draw(blocks(depth + 1, in_loop)))]
        case 8:
            name = draw(st.sampled_from(["i", "k"]))
            over = draw(st.sampled_from(["range(int(n))", "range(2)", "range(int(n) + 1)"]))
            return [f"for {name} in {over}:", *indented(inner)]
        case 9:
            return [
                f"turn{depth} = 0",
                f"while turn{depth} < 3 and {draw(conditions())}:",
                f"    turn{depth} += 1",
                *indented(inner),
            ]
        case 10:
            return [f"for row in {draw(vector)}:", *indented([f"{draw(vector)} = {draw(vector)} * row", *inner])]
    exits = ["return a, k", f"return {draw(vector)}", "raise ValueError('stop')", "return None"]
    if in_loop:
        exits += ["break", "continue"] * 2
    return [f"if {draw(conditions())}:", *indented([draw(simple()), draw(st.sampled_from(exits))])]


@st.composite
def handled(draw: st.DrawFn, inner: Block, depth: int, in_loop: bool) -> Block:
    """`try`, around a `raise` that the data decides."""
    raised = draw(st.sampled_from(["ValueError('a', 1)", "KeyError('b')", "Own", "ZeroDivisionError"]))
    caught = draw(st.sampled_from(["ValueError", "(KeyError, ValueError)", "Own", "Exception", "LookupError"]))
    raising = [f"if {draw(conditions())}:", f"    raise {raised}"]
    handler = draw(st.sampled_from([[], ["m += len(error.args)"], ["raise"], ["k = 2"]])) or [draw(simple())]
    block = ["try:", *indented([*inner, *raising, draw(simple())]), f"except {caught} as error:", *indented(handler)]
    if draw(st.booleans()):
        block += ["else:", *indented(draw(blocks(depth + 1, in_loop)))]
    if draw(st.booleans()):
        block += ["finally:", *indented([draw(simple())])]
    return block


@st.composite
def blocks(draw: st.DrawFn, depth: int, in_loop: bool) -> Block:
    parts = draw(st.lists(statements(depth, in_loop), min_size=1, max_size=3 if depth else 5))
    return [line for part in parts for line in part]


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
START = """    c, k = a * 1, 1
    items, table, names = [b], {"p": a}, {"x"}
"""


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a module with a function `program(a, b, n, m, box)` and a class `Box(v)`."""
    body = draw(blocks(0, False))
    start = ["a, b = a * 1, b * 1"] if draw(st.booleans()) else []
    return HEAD + START + "\n".join(indented([*start, *body, "return a, b, c, k, m, items, table, names"])) + "\n"
