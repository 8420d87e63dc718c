# ruff: noqa: B023, C416, B007, C400, F601, F841, RUF034
from tests.unit.syntax.twins import log, program


@program(0, 1)
def conditional(c):
    return log("then") if log(c) else log("else")


@program((0, 0), (0, 1), (1, 0), (1, 1))
def conditional_nested(a, b):
    return ("ab" if b else "a") if a else "b" if b else "none"


@program((0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1))
def boolean_chain(a, b, c):
    return (log(a) and log(b) and log(c), log(a) or log(b) or log(c), (log(a) and log(b)) or log(c), not log(a))


@program(*[(a, b, c) for a in range(3) for b in range(3) for c in range(3)])
def comparison_chain(a, b, c):
    return log(a) < log(b) <= log(c), a < b < c, a < log(b) < c, a == b != c, log(a) < log(b) < log(c) < log(5)


@program(0, 1, 2)
def membership(x):
    return x in (1, 2), x not in (1, 2), x in [0] in [[0]], log(x) in log([1]), "a" in "abc"


@program(None, 0, 1)
def identity(x):
    return x is None, x is not None, x is x, None is x is None


@program(0, 1)
def walrus_plain(x):
    y = (z := x + 1) * 2 if x else (z := 5)
    return y, z


@program((0, 0), (0, 1), (1, 0), (1, 1))
def walrus_lazy(a, b):
    if a and (n := log(b)):
        return "both", n
    return n if a else "none"


@program((0, 0), (0, 1), (1, 0), (1, 1))
def walrus_lazy_unbound(a, b):
    a and (n := b)
    return n


@program((0, 0), (0, 1), (1, 0), (1, 1))
def walrus_in_conditional(a, b):
    x = (m := 1) if a else (k := 2)
    if b:
        m = 5
    return x, m


@program(*[(a, b, c) for a in range(3) for b in range(3) for c in range(3)])
def walrus_in_chain(a, b, c):
    n = "none"
    r = log(a) < (m := log(b)) < (n := log(c))
    return r, m, n


@program((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1))
def walrus_in_lazy_chain(a, b):
    r = a and log(0) < (m := log(a)) < (n := log(b)) and (k := n)
    return r, (a and (m, k if r else n if m < b else 0))


@program((0, 0), (1, 0), (1, 1))
def walrus_lazy_in_region(a, b):
    x = 0
    for i in range(2):
        if a and (x := x + 1) > 0 and (y := b):
            log(x, y)
        else:
            y = None
    return x, y


@program((0, 0), (1, 0), (1, 1))
def walrus_lazy_reassigned(a, b):
    a and (n := log(b))
    if b:
        n = 7
    return n


@program((0,), (1,))
def walrus_in_comprehension(a):
    out = [(i and (m := i), a and i) for i in range(3)]
    return out, m


@program((0,), (1,))
def walrus_in_lambda(a):
    f = lambda x: (x and (y := x + 1), y if x else None)
    return f(a)


@program((0,), (1,))
def chains_in_comprehension(a):
    return [log(0) < log(i) < log(3) for i in range(3)], [0 < (i and i) < 2 for i in range(3)], list(
        a <= log(i) <= 1 for i in range(2)
    )


@program((0,), (1,))
def chain_in_lambda(a):
    return (lambda x: log(0) <= log(x) < log(a))(0), (lambda: 0 < log(a) < 3)()


@program(0, 1)
def in_arguments(a):
    return log(a if a else 2, *((a and [1]) or [2]), **({} if a else {}))


@program(0, 1)
def in_subscripts(a):
    d = {0: "zero", 1: "one", True: "t"}
    d[a or 5] = not a
    return d[1 if a else 0], [1, 2, 3][(0 if a else 1):(2 if a else 3)]


@program(0, 1)
def asserts(a):
    assert a and a > 0, log("message") if not a else ""
    assert isinstance(a, int)
    return a


@program(0, 1)
def returned_object_is_kept(a):
    x, y = [], [1]
    return (x or y) is y, (x and y) is x, (y if a else x) is (y if a else x)


class Odd:
    def __init__(self, name, truth):
        self.name, self.truth = name, truth

    def __bool__(self):
        log("bool", self.name)
        return self.truth

    def __lt__(self, other):
        log("lt", self.name, other.name)
        return Odd(self.name + other.name, self.truth)

    def __eq__(self, other):
        log("eq", self.name)
        return Odd("eq", self.truth)

    def __contains__(self, item):
        log("contains")
        return self.truth

    def __repr__(self):
        return self.name


@program(False, True)
def truth_is_asked_once(t):
    a, b, c = Odd("a", t), Odd("b", t), Odd("c", not t)
    r = [a and b, a or c, not a, a < b < c, b if a else c, a in b, a == b]
    if a:
        r.append("yes")
    return r


@program(0, 1)
def lambda_argument(a):
    return sorted([3, 1, 2], key=lambda v: -v if a else v), list(filter(lambda v: v and not a, [0, 1]))


@program(0, 1)
def never_parts_stay(a):
    return isinstance(a, int) and a, isinstance(a, str) or not a, (callable(a) and a) or "x", not isinstance(a, int)


@program(0, 1)
def starred(a):
    x = [*((a and [1]) or [2]), 3]
    return x, {**({"k": 1} if a else {})}


@program(0, 1, 3)
def list_comprehensions(n):
    xs = [log(i) for i in range(n)]
    ys = [(i, j) for i in log(range(n)) if i for j in range(i) if j or i > 1]
    zs = [[k for k in range(i) if k != n] for i in range(n)]
    fs = [lambda: i for i in range(n) if i]
    return xs, ys, zs, [f() for f in fs], n and [x for x in xs if x]


@program(0, 1, 3)
def list_comprehension_binds(n):
    if n:
        xs = [(m := i) for i in range(n)]
    else:
        m = "none"
        xs = [y for y in [1, 2] if (k := y) > 1]
    return xs, m, k


@program(0, 1, 3)
def list_comprehension_unbound(n):
    if n:
        t = 1
    try:
        return [i for i in range(n + 1) if t]
    except NameError:
        return "unbound"


@program(0, 1, 3)
def list_comprehension_in_loop(n):
    total = []
    for i in range(n):
        if i:
            total += [i * j for j in range(i + 1) if (j if i else n)]
            i = [i for i in range(i)]
        total.append(i)
    return total, (lambda: [i for i in range(n) if i])()
