from tests.unit.syntax.twins import log, program


@program(0, 1, 2, 3, None, True, 1.0)
def values(x):
    match log(x):
        case 0:
            return "zero"
        case 1 | 2:
            return "few"
        case None:
            y = "none"
        case _:
            y = "many"
    return y


@program(0, 1, 5)
def captures(x):
    match x + 1:
        case 1 as y:
            log(y)
        case y if y > 3:
            log("big", y)
        case z:
            log(z)
    return y


@program(0, 1, 5)
def rebinds_subject(x):
    match x:
        case 1:
            return "one"
        case x if log(x) > 3:
            return x
    return "end", x


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Kind:
    A = 1


@program(
    [1, 2], [1], (), [3, 4, 5], {"k": 1}, {"k": 2, "r": 3}, Point(0, 1), Point(1, 0), Point(5, 5), "text", 1, 7,
)
def structures(x):
    ns = Kind
    match x:
        case []:
            r = "empty"
        case [a]:
            r = "single", a
        case [a, b] if a < b and (c := a):
            r = "pair", a, b, c
        case [a, *rest]:
            r = a, rest
        case {"k": 1}:
            r = "k1"
        case {"k": v, **others}:
            r = v, others
        case Point(0, y):
            r = "axis", y
        case Point(x=px, y=0) | Point(x=_, y=px) if log(px) < 5:
            r = "other", px
        case str() as s:
            r = s
        case ns.A:
            r = "A"
        case Point() | int():
            r = "else"
    return r


@program([1, 2], [2, 1], 5)
def guard_fails_names_stay(x):
    match x:
        case [a, b] if a > b:
            return "descending"
        case _:
            pass
    return a, b


@program("a", "b", "c")
def text_only(mode):
    match mode:
        case "a":
            return 1
        case "b" | "x":
            y = 2
        case _:
            y = 3
    return y if mode else 0


@program(*range(6))
def in_loop(n):
    out = []
    for i in range(6):
        match i:
            case 1:
                continue
            case 4 if n > 2:
                break
            case 5:
                return out, "five"
            case k if k == n:
                out.append("n")
        out.append(i)
    else:
        out.append("else")
    return out


@program(0, 1, 2)
def unmatched_unbound(x):
    match x:
        case 0:
            y = 1
        case 1:
            pass
    return y


@program(0, 1, 2)
def in_generator(x):
    match x:
        case 0:
            y = yield 1
        case 1:
            y = "one"
        case _:
            y = "other"
    match x:
        case 1:
            y += "!"
    yield y


@program((0, 1), (1, 0), (1, 1))
def tuple_subject(a, b):
    match a, b:
        case 0, _:
            return "first"
        case _, 0:
            return "second"
        case p, q:
            return p, q


@program(0, 1)
def nested(x):
    match x:
        case 0:
            match [x, 5]:
                case [0, y]:
                    pass
        case _:
            y = None
    return y
